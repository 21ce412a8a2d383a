//! Amounts of BRC-20 tokens in requests and answers: whole tokens as decimal strings. Internally they are raw units of
//! 18 decimals.

use escrow::decimal;

/// The decimals of a raw unit.
pub const DECIMALS: u8 = 18;

/// Parses an amount of a token with `decimals` decimals; `None` if it is not a number or has more decimals than the
/// token.
#[must_use]
pub fn parse(text: &str, decimals: u8) -> Option<u128> {
    raw(decimal::parse_scaled(text, decimals)?, decimals)
}

/// Converts an amount scaled by `decimals` decimals to raw units; `None` if they exceed 128 bits.
#[must_use]
pub fn raw(scaled: u128, decimals: u8) -> Option<u128> {
    scaled.checked_mul(10_u128.checked_pow(u32::from(DECIMALS.checked_sub(decimals)?))?)
}

/// Returns an amount in whole tokens without trailing zeros.
#[must_use]
pub fn shown(raw: u128) -> String {
    let unit = 10_u128.pow(u32::from(DECIMALS));
    let text = format!("{}.{:018}", raw / unit, raw % unit);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_has_at_most_the_decimals_of_its_token() {
        assert_eq!(parse("1.5", 1), Some(1_500_000_000_000_000_000));
        assert_eq!(parse("600", 0), Some(600_000_000_000_000_000_000));
        for (text, decimals) in [("1.5", 0), ("1.55", 1), ("", 18), ("-1", 18), ("1", 19)] {
            assert_eq!(parse(text, decimals), None, "{text:?} of {decimals}");
        }
        assert_eq!(parse("340282366920938463463374607431768211455", 0), None);
        assert_eq!([0, 1].map(shown), ["0", "0.000000000000000001"]);
    }

    #[test]
    fn a_shown_amount_parses_to_the_same_raw_units() {
        for shift in 0..128 {
            for raw in [u128::MAX >> shift, (1 << shift) - 1, 1 << shift] {
                assert_eq!(parse(&shown(raw), 18), Some(raw), "{raw}");
            }
        }
    }
}
