//! Number formatting for the tables, and the only conversion of integers to floats.

use std::time::Duration;

/// A count as a float; counts here are far below 2^53.
#[must_use]
#[expect(
    clippy::as_conversions,
    clippy::cast_precision_loss,
    reason = "no lossless conversion exists; counts are small"
)]
pub const fn float(count: u64) -> f64 {
    count as f64
}

/// A length as a float.
#[must_use]
pub fn float_len(count: usize) -> f64 {
    float(u64::try_from(count).expect("a length fits 64 bits"))
}

/// The rate per second.
#[must_use]
pub fn per_second(count: usize, elapsed: Duration) -> f64 {
    float_len(count) / elapsed.as_secs_f64()
}

/// Formats a value as a whole number with commas.
#[must_use]
pub fn whole(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) && !text.ends_with('-') {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a count with commas.
#[must_use]
pub fn count(value: usize) -> String {
    whole(float_len(value))
}

/// Formats nanoseconds in a suitable unit.
#[must_use]
pub fn nanoseconds(value: f64) -> String {
    if value < 10_000.0 {
        format!("{} ns", whole(value))
    } else if value < 10_000_000.0 {
        format!("{:.1} µs", value / 1e3)
    } else {
        format!("{:.1} ms", value / 1e6)
    }
}

/// The median of the values; the mean of the middle two if their number is even.
///
/// # Panics
/// If there are no values.
#[must_use]
pub fn median(values: &[f64]) -> f64 {
    assert!(!values.is_empty(), "a median needs figures");
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    f64::midpoint(sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2])
}

/// The minimum and the maximum.
#[must_use]
pub fn spread(values: &[f64]) -> (f64, f64) {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    (least, values.iter().copied().fold(f64::NEG_INFINITY, f64::max))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_carry_commas() {
        assert_eq!(["0", "999", "1,000", "1,234,568"].map(String::from), [0.0, 999.0, 1e3, 1_234_567.6].map(whole));
    }

    #[test]
    fn the_median_lies_in_the_middle() {
        assert!((median(&[3.0, 1.0, 2.0]) - 2.0).abs() < f64::EPSILON);
        assert!((median(&[4.0, 1.0, 2.0, 3.0]) - 2.5).abs() < f64::EPSILON);
    }
}
