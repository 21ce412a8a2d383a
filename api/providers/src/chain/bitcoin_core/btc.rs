//! Amounts as a node prints them: bitcoin with decimals.

use bitcoin::{Amount, Denomination};
use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::value::RawValue;

/// An amount, parsed from its digits: a float would lose sats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Btc(pub(super) Amount);

impl<'de> Deserialize<'de> for Btc {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let digits = Box::<RawValue>::deserialize(deserializer)?;
        let amount = Amount::from_str_in(digits.get(), Denomination::Bitcoin).map_err(D::Error::custom)?;
        if amount > Amount::MAX_MONEY {
            return Err(D::Error::custom(format!("{amount} is more than there is")));
        }
        Ok(Self(amount))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<u64> {
        serde_json::from_str::<Btc>(text).ok().map(|amount| amount.0.to_sat())
    }

    #[test]
    fn every_sat_is_read() {
        for (text, sats) in [
            ("0.00000000", 0),
            ("0.00000001", 1),
            ("20999999.97690000", 2_099_999_997_690_000),
            ("20999999.97689999", 2_099_999_997_689_999),
            ("0.1", 10_000_000),
            ("21000000", 2_100_000_000_000_000),
        ] {
            assert_eq!(read(text), Some(sats), "{text}");
        }
    }

    #[test]
    fn invalid_amounts_are_refused() {
        for text in
            ["-0.00000001", "0.000000001", "1e-8", "\"0.1\"", "null", "[]", "21000000.00000001", "1e400", "-0.1"]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
