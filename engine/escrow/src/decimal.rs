//! Decimal numbers as people type them: no sign, no exponent, no rounding.

/// Parses a number and multiplies it by 10 to the power of `decimals`.
///
/// `None` when it is not a plain number, has more decimals than that, or is too large.
#[must_use]
pub fn parse_scaled(text: &str, decimals: u8) -> Option<u128> {
    let (whole, fraction) = match text.split_once('.') {
        Some((_, "")) => return None,
        Some(parts) => parts,
        None => (text, ""),
    };
    let width = usize::from(decimals);
    let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || fraction.len() > width || !is_number(whole) || !is_number(fraction) {
        return None;
    }
    format!("{whole}{fraction:0<width$}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decimal_number_is_taken_exactly_or_not_at_all() {
        for (text, decimals, scaled) in [
            ("5", 0, 5),
            ("5", 2, 500),
            ("0.083", 8, 8_300_000),
            ("12.50", 2, 1_250),
            ("340282366920938463463374607431768211455", 0, u128::MAX),
        ] {
            assert_eq!(parse_scaled(text, decimals), Some(scaled), "{text}");
        }
        for (text, decimals) in [
            ("", 2),
            (".", 2),
            ("5.", 2),
            (".5", 2),
            ("-5", 2),
            ("+5", 2),
            ("1e3", 2),
            ("1,000", 2),
            ("1.2.3", 8),
            ("0.083", 2),
            ("5.0", 0),
            ("340282366920938463463374607431768211455", 1),
        ] {
            assert_eq!(parse_scaled(text, decimals), None, "{text} was accepted as a number");
        }
    }
}
