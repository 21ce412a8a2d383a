//! The ranking of offers, as the server ranks them.

use ethnum::U256;

use crate::types::{BookOffer, OfferState, ProcessName, Row};

/// Hundred-millionths of a sat in a sat.
const SCALE: u64 = 100_000_000;
/// The largest number of decimals whose power of ten is a `u128`.
const DECIMALS_MAX: u32 = 38;

/// Offers that compete with each other, the best one for the borrower first.
#[derive(Clone, Debug)]
pub struct Ranking<'a> {
    /// The number of the sub-collection.
    pub sub_collection: u16,
    /// The process type.
    pub process: ProcessName,
    /// The offers that can be taken now by anyone.
    pub offers: Vec<&'a BookOffer>,
}

/// The position of an offer in its ranking: more sats for a whole unit of collateral first, then the earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RankKey {
    ranking: (u16, bool),
    quote: std::cmp::Reverse<u64>,
    offer: u64,
}

impl RankKey {
    /// Reads the key of an offer.
    pub(crate) fn of(offer: &BookOffer, row: &Row) -> Result<Self, String> {
        let wrong = |field: &str| format!("offer {}: {field}", offer.offer_id);
        let sub_collection = offer.sub_collection_id.parse().map_err(|_| wrong("subCollectionId"))?;
        let raw: u128 = match &offer.fungible_amount {
            Some(amount) => amount.parse().map_err(|_| wrong("fungible_amount"))?,
            None => 1,
        };
        let digits = offer.offer_id.strip_prefix("of_").ok_or_else(|| wrong("offerId"))?;
        let number = u64::from_str_radix(digits, 16).map_err(|_| wrong("offerId"))?;
        let decimals = row.rune_decimals.unwrap_or(0);
        let quote = quote(offer.principal_amount_sats, raw, decimals).ok_or_else(|| wrong("collateral"))?;
        let is_instant = offer.process == ProcessName::Instant;
        Ok(Self { ranking: (sub_collection, is_instant), quote: std::cmp::Reverse(quote), offer: number })
    }
}

/// Sats per whole unit times 10^8, rounded up and saturated, as the server computes it; `None` without collateral.
fn quote(principal_sats: u64, raw: u128, decimals: u32) -> Option<u64> {
    if raw == 0 || decimals > DECIMALS_MAX {
        return None;
    }
    let total = U256::from(principal_sats) * U256::from(SCALE) * U256::from(10_u128.pow(decimals));
    let raw = U256::from(raw);
    Some(u64::try_from((total + raw - U256::ONE) / raw).unwrap_or(u64::MAX))
}

/// Returns the rankings of offers: by sub-collection, manual offers before instant ones.
pub(crate) fn rankings<'a>(offers: impl Iterator<Item = (RankKey, &'a BookOffer)>) -> Vec<Ranking<'a>> {
    let mut live: Vec<(RankKey, &BookOffer)> = offers.filter(|(_, offer)| offer.state == OfferState::Live).collect();
    live.sort_unstable_by_key(|(key, _)| *key);
    let mut rankings: Vec<Ranking<'_>> = Vec::new();
    for (key, offer) in live {
        let (sub_collection, process) = (key.ranking.0, offer.process);
        match rankings.last_mut().filter(|last| last.sub_collection == sub_collection && last.process == process) {
            Some(last) => last.offers.push(offer),
            None => rankings.push(Ranking { sub_collection, process, offers: vec![offer] }),
        }
    }
    rankings
}

#[cfg(test)]
mod tests {
    use domain::{Quantity, Sats, UnitPrice};
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn quotes_are_those_of_the_server(sats in 0_u64..=2_100_000_000_000_000, raw in 1_u128.., decimals in 0_u8..=38) {
            let theirs = UnitPrice::quoted(Sats::new(sats), Quantity::tokens(raw, decimals)).scaled();
            prop_assert_eq!(quote(sats, raw, u32::from(decimals)), Some(theirs));
        }
    }

    #[test]
    fn no_collateral_has_no_quote() {
        assert_eq!(quote(1, 0, 0), None);
        assert_eq!(quote(1, 1, 39), None);
    }
}
