//! Decimal numbers as upstreams print them, as JSON numbers or strings: parsed from their digits, as a float would lose
//! sats.

use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::value::RawValue;

/// The maximum length of a number, in characters.
const LENGTH_MAX: usize = 80;
/// The largest exponent that is read, positive or negative.
const EXPONENT_MAX: i32 = 40;

/// A number that is not negative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    /// Without leading zeros.
    digits: String,
    /// The number of digits after the decimal point; below 0, the number of zeros to append.
    decimals: i32,
    /// Whether it was written with a point or an exponent.
    is_fraction: bool,
}

impl Decimal {
    /// Zero.
    pub(crate) const ZERO: Self = Self { digits: String::new(), decimals: 0, is_fraction: false };

    /// Parses a number: digits with an optional point and exponent, no sign.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if text.len() > LENGTH_MAX {
            return None;
        }
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse().ok()?),
            None => (text, 0_i32),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty()
            || !is_number(whole)
            || !is_number(fraction)
            || !(-EXPONENT_MAX..=EXPONENT_MAX).contains(&exponent)
        {
            return None;
        }
        let digits = format!("{whole}{fraction}").trim_start_matches('0').to_owned();
        let decimals = i32::try_from(fraction.len()).ok()?.checked_sub(exponent)?;
        Some(Self { digits, decimals, is_fraction: text.contains(['.', 'e', 'E']) })
    }

    /// Returns whether it was written with a point or an exponent.
    pub(crate) const fn is_fraction(&self) -> bool {
        self.is_fraction
    }

    /// Returns the number times 10 to the power of `decimals`; `None` when the result is not a whole number, or too
    /// large.
    pub(crate) fn scaled(&self, decimals: u8) -> Option<u128> {
        let (kept, cut) = self.shifted(decimals)?;
        cut.bytes().all(|digit| digit == b'0').then_some(kept)
    }

    /// Returns the same, rounded down.
    pub(crate) fn scaled_floor(&self, decimals: u8) -> Option<u128> {
        self.shifted(decimals).map(|(kept, _)| kept)
    }

    fn shifted(&self, decimals: u8) -> Option<(u128, &str)> {
        if self.digits.is_empty() {
            return Some((0, ""));
        }
        let shift = i32::from(decimals).checked_sub(self.decimals)?;
        if let Ok(zeros) = u32::try_from(shift) {
            let number: u128 = self.digits.parse().ok()?;
            return Some((number.checked_mul(10_u128.checked_pow(zeros)?)?, ""));
        }
        let cut = usize::try_from(shift.unsigned_abs()).ok()?;
        let (kept, cut) = self.digits.split_at(self.digits.len().saturating_sub(cut));
        let kept = if kept.is_empty() { 0 } else { kept.parse().ok()? };
        Some((kept, cut))
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let text = raw.get().strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(raw.get());
        Self::parse(text).ok_or_else(|| D::Error::custom("it is no number that is not negative"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Option<Decimal> {
        serde_json::from_str(json).ok()
    }

    #[test]
    fn numbers_and_strings_of_numbers_are_read_exactly() {
        for (json, decimals, scaled) in [
            ("0", 8, 0),
            ("0.0", 0, 0),
            ("12", 0, 12),
            ("\"1900000.000000000000\"", 18, 1_900_000_000_000_000_000_000_000),
            ("0.1", 8, 10_000_000),
            ("8.3e-2", 8, 8_300_000),
            ("1e-8", 8, 1),
            ("\"31415926535000000000000000000\"", 0, 31_415_926_535_000_000_000_000_000_000),
            ("340282366920938463463374607431768211455", 0, u128::MAX),
            ("1.5E+3", 0, 1_500),
        ] {
            assert_eq!(read(json).and_then(|number| number.scaled(decimals)), Some(scaled), "{json}");
        }
    }

    #[test]
    fn a_number_that_needs_rounding_is_not_exact() {
        let number = read("\"0.123456789\"").unwrap();
        assert_eq!((number.scaled(8), number.scaled_floor(8)), (None, Some(12_345_678)));
        let small = read("1e-12").unwrap();
        assert_eq!((small.scaled(8), small.scaled_floor(8)), (None, Some(0)));
        assert_eq!(read("1.50000000000").unwrap().scaled(2), Some(150));
    }

    #[test]
    fn invalid_numbers_are_refused() {
        for json in [
            "-1",
            "\"\"",
            "\".5\"",
            "null",
            "true",
            "[]",
            "\"1e99\"",
            "\"+1\"",
            "\"1_000\"",
            "\"0x10\"",
            "\"NaN\"",
            "\"１\"",
        ] {
            assert_eq!(read(json), None, "{json}");
        }
        assert_eq!(read(&format!("\"{}\"", "1".repeat(81))), None);
        assert_eq!(read(&"9".repeat(40)).unwrap().scaled(0), None, "beyond 128 bits");
    }
}
