//! Fee rates as users write and read them: sats per virtual byte.

use bitcoin::FeeRate;

use crate::contract::transaction::template::Template;

/// The number of `kWU` in a `kvB`.
const KWU_OF_KVB: u64 = 4;
/// The lowest fee rate that nodes relay, a tenth of a sat per virtual byte.
const MIN_PER_KVB: u64 = 100;
/// The highest fee rate, which no user exceeds on purpose.
const MAX_PER_KVB: u64 = 2_000_000;

/// The decimals of a fee rate: three, as there are a thousand bytes in a `kvB`.
pub const DECIMALS: u8 = 3;
/// The rates that a user may choose, in words.
pub const EXPECTED: &str = "expected sats for each virtual byte, from 0.1 to 2000, with at most 3 decimals";

/// Returns the rate of this many sats per `kvB`, rounded up to a whole sat per `kWU`; `None` outside the range of
/// [`EXPECTED`].
#[must_use]
pub fn of_sat_per_kvb(sats: u64) -> Option<FeeRate> {
    let is_usual = (MIN_PER_KVB..=MAX_PER_KVB).contains(&sats);
    is_usual.then(|| FeeRate::from_sat_per_kwu(sats.div_ceil(KWU_OF_KVB)))
}

/// Returns the rate that a transaction pays; `None` if more comes out of it than goes in.
#[must_use]
pub fn of_template(template: &Template) -> Option<FeeRate> {
    let sats = template.fee()?.to_sat();
    let per_kwu = sats.saturating_mul(1_000) / template.weight.to_wu().max(KWU_OF_KVB);
    Some(FeeRate::from_sat_per_kwu(per_kwu))
}

/// Formats a rate in sats per virtual byte.
#[must_use]
pub fn in_words(rate: FeeRate) -> String {
    let per_kvb = rate.to_sat_per_kwu().saturating_mul(KWU_OF_KVB);
    let text = format!("{}.{:03}", per_kvb / 1_000, per_kvb % 1_000);
    format!("{} sats/vB", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_rounded_up_and_shown_in_sats_per_virtual_byte() {
        for (per_kvb, per_kwu, words) in [
            (100, 25, "0.1 sats/vB"),
            (1_000, 250, "1 sats/vB"),
            (1_001, 251, "1.004 sats/vB"),
            (12_500, 3_125, "12.5 sats/vB"),
            (2_000_000, 500_000, "2000 sats/vB"),
        ] {
            let rate = of_sat_per_kvb(per_kvb).unwrap();
            assert_eq!((rate.to_sat_per_kwu(), in_words(rate).as_str()), (per_kwu, words));
        }
        for per_kvb in [0, 99, 2_000_001, u64::MAX] {
            assert_eq!(of_sat_per_kvb(per_kvb), None);
        }
    }
}
