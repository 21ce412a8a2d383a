//! Delays before another attempt.

use std::time::Duration;

/// The first delay.
const FIRST: Duration = Duration::from_millis(250);
/// The longest delay.
pub(crate) const DELAY_MAX: Duration = Duration::from_secs(30);

/// Returns the delay before another attempt, after `failures` in a row: doubled with each, with jitter, so that clients
/// that failed together do not come back together. `random` is in [0, 1).
pub(crate) fn delay(failures: u32, random: f64) -> Duration {
    let ceiling = FIRST.saturating_mul(2_u32.saturating_pow(failures.saturating_sub(1).min(10))).min(DELAY_MAX);
    ceiling.div_f64(2.0) + ceiling.div_f64(2.0).mul_f64(random)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_half_a_minute() {
        let ms = |failures, random| delay(failures, random).as_millis();
        assert_eq!((ms(1, 0.0), ms(1, 1.0)), (125, 250));
        assert_eq!((ms(2, 0.0), ms(3, 1.0)), (250, 1_000));
        assert_eq!((ms(9, 1.0), ms(u32::MAX, 0.5)), (30_000, 22_500));
        assert_eq!(ms(0, 0.0), 125);
    }
}
