//! Fee rates in arguments: sats per virtual byte.

use bitcoin::FeeRate;
use escrow::kit::fee_rate::{DECIMALS, EXPECTED, of_sat_per_kvb};

use crate::decimal;

/// Parses sats per virtual byte, rounded up to a whole sat per `kWU`.
pub(super) fn parse(text: &str) -> Result<FeeRate, String> {
    let per_kvb = decimal::parse_scaled(text, DECIMALS).and_then(|scaled| u64::try_from(scaled).ok());
    per_kvb.and_then(of_sat_per_kvb).ok_or_else(|| EXPECTED.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fee_rate_is_parsed_in_sats_per_virtual_byte() {
        for (text, per_kwu) in [("0.1", 25), ("1", 250), ("12.5", 3_125), ("2000", 500_000)] {
            assert_eq!(parse(text).unwrap().to_sat_per_kwu(), per_kwu);
        }
        assert_eq!(parse("1.001").unwrap().to_sat_per_kwu(), 251, "rounded up");
        for text in ["0", "0.099", "2000.001", "-1", "1.0001", "much", ""] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
