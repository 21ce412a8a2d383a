//! Fee rates in arguments and in the terminal: sats per virtual byte.

use bitcoin::FeeRate;

use crate::decimal;

/// The number of `kWU` in a `kvB`.
const KWU_OF_KVB: u64 = 4;
/// The lowest fee rate that nodes relay, a tenth of a sat per virtual byte.
const LEAST_PER_KVB: u64 = 100;
/// The highest fee rate, which no user exceeds on purpose.
const MOST_PER_KVB: u64 = 2_000_000;
/// The decimals of a fee rate: three, as there are a thousand bytes in a `kvB`.
const DECIMALS: u8 = 3;

/// Parses sats per virtual byte, rounded up to a whole sat per `kWU`.
pub(super) fn parse(text: &str) -> Result<FeeRate, String> {
    let per_kvb = decimal::parse_scaled(text, DECIMALS).and_then(|scaled| u64::try_from(scaled).ok());
    let per_kvb = per_kvb.filter(|rate| (LEAST_PER_KVB..=MOST_PER_KVB).contains(rate));
    let per_kvb = per_kvb.ok_or("expected sats for each virtual byte, from 0.1 to 2000, with at most 3 decimals")?;
    Ok(FeeRate::from_sat_per_kwu(per_kvb.div_ceil(KWU_OF_KVB)))
}

/// Formats a rate in sats per virtual byte.
pub(super) fn shown(rate: FeeRate) -> String {
    let per_kvb = rate.to_sat_per_kwu().saturating_mul(KWU_OF_KVB);
    let text = format!("{}.{:03}", per_kvb / 1_000, per_kvb % 1_000);
    format!("{} sats/vB", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fee_rate_is_parsed_and_shown_in_sats_per_virtual_byte() {
        for (text, per_kwu, again) in [
            ("0.1", 25, "0.1 sats/vB"),
            ("1", 250, "1 sats/vB"),
            ("12.5", 3_125, "12.5 sats/vB"),
            ("2000", 500_000, "2000 sats/vB"),
        ] {
            let rate = parse(text).unwrap();
            assert_eq!((rate.to_sat_per_kwu(), shown(rate).as_str()), (per_kwu, again));
        }
        assert_eq!(parse("1.001").unwrap().to_sat_per_kwu(), 251, "rounded up");
        for text in ["0", "0.099", "2000.001", "-1", "1.0001", "much", ""] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
