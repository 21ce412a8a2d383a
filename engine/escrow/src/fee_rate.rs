//! Fee rates as users write and read them: sats per virtual byte.

use bitcoin::FeeRate;

use crate::contract::transaction::template::Template;
use crate::decimal::parse_scaled;

/// The number of `kWU` in a `kvB`.
const KWU_OF_KVB: u64 = 4;
/// The lowest fee rate that nodes relay, a tenth of a sat per virtual byte.
const MIN_PER_KVB: u64 = 100;
/// The highest fee rate, which no user exceeds on purpose.
const MAX_PER_KVB: u64 = 2_000_000;

/// The decimals of a fee rate: three, as there are a thousand bytes in a `kvB`.
pub const DECIMALS: u8 = 3;
/// The rates of [`parse_usual`], in words.
pub const EXPECTED: &str = "expected sats for each virtual byte, from 0.1 to 2000, with at most 3 decimals";

/// Parses sats per virtual byte, rounded up to a whole sat per `kWU`; `None` unless it is a plain number with at most
/// [`DECIMALS`] decimals.
#[must_use]
pub fn parse(text: &str) -> Option<FeeRate> {
    sats_per_kvb(text).map(of_sats_per_kvb)
}

/// Parses a rate as [`parse`] does; `None` also outside the range of [`EXPECTED`].
#[must_use]
pub fn parse_usual(text: &str) -> Option<FeeRate> {
    sats_per_kvb(text).filter(|sats| (MIN_PER_KVB..=MAX_PER_KVB).contains(sats)).map(of_sats_per_kvb)
}

/// Returns the rate that a transaction pays; `None` if more comes out of it than goes in.
#[must_use]
pub fn of_template(template: &Template) -> Option<FeeRate> {
    let sats = template.fee()?.to_sat();
    let per_kwu = sats.saturating_mul(1_000) / template.weight.to_wu().max(KWU_OF_KVB);
    Some(FeeRate::from_sat_per_kwu(per_kwu))
}

/// Formats a rate as a number of sats per virtual byte, without trailing zeros.
#[must_use]
pub fn number(rate: FeeRate) -> String {
    let per_kvb = rate.to_sat_per_kwu().saturating_mul(KWU_OF_KVB);
    let text = format!("{}.{:03}", per_kvb / 1_000, per_kvb % 1_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Formats a rate with its unit.
#[must_use]
pub fn in_words(rate: FeeRate) -> String {
    format!("{} sats/vB", number(rate))
}

fn sats_per_kvb(text: &str) -> Option<u64> {
    parse_scaled(text, DECIMALS).and_then(|sats| u64::try_from(sats).ok())
}

const fn of_sats_per_kvb(sats: u64) -> FeeRate {
    FeeRate::from_sat_per_kwu(sats.div_ceil(KWU_OF_KVB))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_read_exactly_and_rounded_up_to_a_sat_per_kwu() {
        for (text, per_kwu, words) in [
            ("0.1", 25, "0.1 sats/vB"),
            ("1", 250, "1 sats/vB"),
            ("1.001", 251, "1.004 sats/vB"),
            ("12.5", 3_125, "12.5 sats/vB"),
            ("30.0", 7_500, "30 sats/vB"),
            ("2000", 500_000, "2000 sats/vB"),
        ] {
            let rate = parse_usual(text).unwrap();
            assert_eq!((rate.to_sat_per_kwu(), in_words(rate).as_str()), (per_kwu, words));
            assert_eq!(parse(text), Some(rate));
        }
        assert_eq!(parse("0").unwrap().to_sat_per_kwu(), 0);
        assert_eq!(parse("18446744073709551.615").unwrap().to_sat_per_kwu(), u64::MAX.div_ceil(4));
    }

    #[test]
    fn an_unusual_rate_is_refused_where_a_user_chooses_it() {
        for text in ["0", "0.099", "2000.001", "18446744073709551.615"] {
            assert!(parse(text).is_some() && parse_usual(text).is_none(), "{text}");
        }
    }

    #[test]
    fn other_texts_are_no_rates() {
        for text in
            ["", ".", "5.", ".5", "-1", "+1", " 1", "1,5", "1.0001", "1.2.3", "1e3", "much", "18446744073709551.616"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
