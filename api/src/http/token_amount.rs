//! Amounts of BRC-20 tokens on the wire: whole tokens as a decimal string. Inside they are raw units of 18 decimals.

use crate::operator::decimal;

/// The decimals of a raw unit.
pub const DECIMALS: u8 = 18;

/// Reads an amount of a token with so many decimals; `None` for what is no number, or has more decimals than the token.
#[must_use]
pub fn parse(text: &str, decimals: u8) -> Option<u128> {
    raw(decimal::parse_scaled(text, decimals)?, decimals)
}

/// The raw units of an amount that counts so many decimals; `None` beyond what can be counted.
#[must_use]
pub fn raw(scaled: u128, decimals: u8) -> Option<u128> {
    scaled.checked_mul(10_u128.checked_pow(u32::from(DECIMALS.checked_sub(decimals)?))?)
}

/// An amount without superfluous zeros.
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
    fn what_is_shown_is_read_again() {
        for shift in 0..128 {
            for raw in [u128::MAX >> shift, (1 << shift) - 1, 1 << shift] {
                assert_eq!(parse(&shown(raw), 18), Some(raw), "{raw}");
            }
        }
    }
}
