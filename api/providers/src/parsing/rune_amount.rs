//! Rune amounts as upstreams print them.

use crate::parsing::decimal::Decimal;

/// Returns raw units. A fraction would be of whole units, which these upstreams do not print: it is invalid.
pub(crate) fn raw(amount: &Decimal) -> Option<u128> {
    amount.scaled(0).filter(|_| !amount.is_fraction())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_units_are_written_as_whole_numbers() {
        let of = |text: &str| raw(&Decimal::parse(text).unwrap());
        assert_eq!(of(&u128::MAX.to_string()), Some(u128::MAX));
        assert_eq!([of("0"), of("007")], [Some(0), Some(7)]);
        assert_eq!([of("1.5"), of("1.0"), of("1e3"), of("340282366920938463463374607431768211456")], [None; 4]);
    }
}
