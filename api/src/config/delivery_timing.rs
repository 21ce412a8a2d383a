//! The intervals, timeouts and retry delays of the delivery.

use std::time::Duration;

use domain::UnixMs;

/// The intervals, timeouts and retry delays of the delivery. Tests use shorter ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeliveryTiming {
    /// The interval at which the outbox is polled without a wake-up.
    pub poll_interval: Duration,
    /// The interval at which all users with a channel are examined: reminders are due by time alone.
    pub sweep_interval: Duration,
    /// The delay before the first retry of a message; each further delay is four times as long.
    pub first_retry_delay: Duration,
    /// The first delay after which an unavailable mail server or Telegram is tried again; each further delay is twice
    /// as long.
    pub first_backoff: Duration,
    /// The timeout of each answer of a mail server.
    pub mail_timeout: Duration,
    /// The timeout of a webhook's answer.
    pub webhook_timeout: Duration,
    /// The delays before the retries of a message to a webhook.
    pub webhook_retry_delays: [Duration; WEBHOOK_RETRIES],
    /// The time that deliveries in progress get when the server stops.
    pub stop_timeout: Duration,
}

impl Default for DeliveryTiming {
    fn default() -> Self {
        Self {
            poll_interval: Duration::from_secs(1),
            sweep_interval: Duration::from_mins(1),
            first_retry_delay: Duration::from_secs(30),
            first_backoff: Duration::from_secs(1),
            mail_timeout: Duration::from_secs(20),
            webhook_timeout: Duration::from_secs(10),
            webhook_retry_delays: [
                Duration::from_secs(5),
                Duration::from_mins(5),
                Duration::from_mins(30),
                Duration::from_hours(2),
                Duration::from_hours(5),
                Duration::from_hours(10),
                Duration::from_hours(14),
                Duration::from_hours(20),
                Duration::from_hours(24),
            ],
            stop_timeout: Duration::from_secs(5),
        }
    }
}

/// The longest delay of a retry, unless the other side asks for a longer one: 30 s, 2 min, 8 min, 32 min, 2 h, and 6 h
/// twice make 15 hours between the first of 8 attempts and the last.
const RETRY_MAX: Duration = Duration::from_hours(6);

/// The number of retries of a message to a webhook, within about three days.
pub const WEBHOOK_RETRIES: usize = 9;

/// The longest delay of an unavailable channel.
pub const BACKOFF_MAX: Duration = Duration::from_mins(1);

/// The random spread of a delay, so that messages that failed together are not retried together: a tenth up or down.
const JITTER_PER_MILLE: u64 = 100;

impl DeliveryTiming {
    /// Returns the time of the next attempt after the `attempt`th failure, counted from 1. `random` is any number.
    #[must_use]
    pub fn retry_at(self, attempt: u32, random: u64, now: UnixMs) -> UnixMs {
        let growth = 4_u32.saturating_pow(attempt.saturating_sub(1));
        let delay = self.first_retry_delay.saturating_mul(growth).min(RETRY_MAX);
        now.plus_ms(jitter(millis(delay), random))
    }

    /// Returns the time of the next attempt at a webhook after the `attempt`th failure, counted from 1. `random` is any
    /// number.
    #[must_use]
    pub fn webhook_retry_at(self, attempt: u32, random: u64, now: UnixMs) -> UnixMs {
        let place = usize::try_from(attempt.saturating_sub(1)).unwrap_or(usize::MAX).min(WEBHOOK_RETRIES - 1);
        now.plus_ms(jitter(millis(self.webhook_retry_delays[place]), random))
    }

    /// Returns the delay after the `failure`th consecutive failure of a channel, counted from 1.
    #[must_use]
    pub fn backoff(self, failure: u32, random: u64) -> Duration {
        let growth = 2_u32.saturating_pow(failure.saturating_sub(1));
        let backoff = self.first_backoff.saturating_mul(growth).min(BACKOFF_MAX);
        Duration::from_millis(jitter(millis(backoff), random))
    }
}

/// Converts a duration to whole milliseconds.
#[must_use]
pub fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn jitter(ms: u64, random: u64) -> u64 {
    let per_mille = 1_000 - JITTER_PER_MILLE + random % (2 * JITTER_PER_MILLE + 1);
    ms.saturating_mul(per_mille) / 1_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retries_back_off_and_are_spread() {
        let timing = DeliveryTiming::default();
        let delays = |random| (1..=9).map(|attempt| timing.retry_at(attempt, random, UnixMs(0)).0).collect::<Vec<_>>();
        let middle = [30_000, 120_000, 480_000, 1_920_000, 7_680_000, 21_600_000, 21_600_000, 21_600_000, 21_600_000];
        assert_eq!(delays(100), middle);
        for random in [0, 1, 57, 200, u64::MAX] {
            let near = |(delay, middle): (u64, u64)| delay >= middle * 9 / 10 && delay <= middle * 11 / 10;
            assert!(delays(random).into_iter().zip(middle).all(near), "{random}");
        }
        assert!(delays(0)[0] < delays(200)[0]);
        assert_eq!(timing.retry_at(u32::MAX, 100, UnixMs(5)), UnixMs(21_600_005));
    }

    #[test]
    fn a_webhook_is_retried_for_three_days() {
        let timing = DeliveryTiming::default();
        let retries = u32::try_from(WEBHOOK_RETRIES).unwrap();
        assert_eq!(retries + 1, domain::Outbox::WEBHOOK_ATTEMPTS_MAX);
        for (random, hours) in [(0, 68), (100, 75), (200, 83)] {
            let last = (1..=retries).fold(UnixMs(0), |at, attempt| timing.webhook_retry_at(attempt, random, at));
            assert_eq!(last.0 / 3_600_000, hours, "{random}");
        }
        assert_eq!(timing.webhook_retry_at(1, 100, UnixMs(7)), UnixMs(5_007));
        assert_eq!(timing.webhook_retry_at(u32::MAX, 100, UnixMs(0)), UnixMs(86_400_000));
    }

    #[test]
    fn an_unavailable_channel_is_retried_after_a_minute_at_most() {
        let backoffs: Vec<u64> =
            (1..=8).map(|failure| DeliveryTiming::default().backoff(failure, 100).as_secs()).collect();
        assert_eq!(backoffs, [1, 2, 4, 8, 16, 32, 60, 60]);
    }
}
