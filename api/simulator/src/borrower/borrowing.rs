//! The origination of a borrower's next loan.

use std::sync::Arc;

use domain::{Bundle, CollateralType, GroupId, ProcessType, Quantity};
use rand::seq::IndexedRandom as _;
use rand::{Rng, RngExt as _};

use super::Borrower;
use crate::action_counters::CountedAction;
use crate::amount::tokens_of;
use crate::api_client::CallError;
use crate::demo_group::DemoGroup;
use crate::loan_wire::RuneQuotes;
use crate::operator::{DemoGift, Operator};
use crate::public_book::{PublicBook, PublicOffer};

/// The refusal codes that are caused by the collateral.
const COLLATERAL_ERRORS: [&str; 5] =
    ["insufficient_tokens", "not_your_inscription", "unknown_inscription", "wrong_collection", "collateral_pledged"];

/// The chosen offer and the collateral for it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Choice {
    offer: String,
    process: ProcessType,
    pledge: Pledge,
}

/// The collateral of a loan request.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Pledge {
    Inscription(String),
    /// Raw units and decimals.
    Runes(u128, u8),
}

impl<O: Operator> Borrower<O> {
    /// Takes an offer with collateral that the borrower owns, or acquires collateral first.
    pub(super) async fn take_loan(&mut self, height: u32) -> Result<(), CallError> {
        let owned = self.holdings.groups(height);
        let Some(group) = owned.choose(&mut self.rng).copied() else {
            return if self.holdings.has_unconfirmed(height) { Ok(()) } else { self.acquire_collateral(height).await };
        };
        if !self.shared.loan_throttle.try_acquire() {
            return Ok(());
        }
        if self.ask_for_loan(group, height).await? {
            return Ok(());
        }
        let Some(choice) = self.choose_offer(group, height).await? else {
            // No offer fits this collateral now: collateral of another group may do better.
            return if owned.len() < 3 { self.acquire_collateral(height).await } else { Ok(()) };
        };
        let taken = match (choice.process, &choice.pledge) {
            (process, Pledge::Inscription(id)) => {
                self.session.take_with_inscriptions(process, &choice.offer, std::slice::from_ref(id)).await
            }
            (ProcessType::Manual, Pledge::Runes(..)) => self.session.take_manual(&choice.offer, &[], None).await,
            (ProcessType::Instant, Pledge::Runes(raw, decimals)) => {
                let amount = Quantity::tokens(*raw, *decimals).to_string();
                self.session.take_instant("runes", &choice.offer, ("token_amount", amount.into())).await
            }
        };
        match taken {
            Ok(loan) => {
                self.shared.counters.count(CountedAction::Loan);
                self.open.insert(loan);
                self.remove_pledged(group, &choice.pledge);
                Ok(())
            }
            Err(error) => {
                let code = if let CallError::Refused { code, .. } = &error { code.as_str() } else { "" };
                // Collateral that caused the refusal is not offered again.
                if COLLATERAL_ERRORS.contains(&code) {
                    self.remove_pledged(group, &choice.pledge);
                }
                Err(error)
            }
        }
    }

    fn remove_pledged(&mut self, group: GroupId, pledge: &Pledge) {
        match pledge {
            Pledge::Inscription(id) => self.holdings.drop_inscription(id),
            Pledge::Runes(raw, _) => self.holdings.drop_runes(group, *raw),
        }
    }

    /// Receives collateral of a group as a gift: real borrowers own it already.
    async fn acquire_collateral(&mut self, height: u32) -> Result<(), CallError> {
        let Some(id) = self.profile.next_group(&mut self.rng) else { return Ok(()) };
        let shared = Arc::clone(&self.shared);
        let Some(demo) = shared.market.group(id) else { return Ok(()) };
        let gift = match &demo.group.collateral {
            CollateralType::Inscription => DemoGift::Inscription(id),
            CollateralType::Rune { .. } => DemoGift::Runes(id, rune_gift(demo, &mut self.rng)),
            CollateralType::Brc20 { .. } => return Ok(()),
        };
        let given = self.operator.give(&self.session.ordinals_script(), gift).await;
        let Some(given) = self.log_gift_failure(given) else { return Ok(()) };
        shared.counters.count(CountedAction::Gift);
        match (gift, given.inscription) {
            (DemoGift::Runes(_, raw), _) => self.holdings.add_unconfirmed_runes(id, raw, height + 1),
            (_, Some(inscription)) => {
                self.holdings.add_unconfirmed_inscription(id, inscription.to_string(), height + 1);
            }
            (_, None) => {}
        }
        Ok(())
    }

    /// The offer that the borrower prefers among those of a group that fit the collateral.
    async fn choose_offer(&mut self, group: GroupId, height: u32) -> Result<Option<Choice>, CallError> {
        let shared = Arc::clone(&self.shared);
        let (Some(demo), Some(book)) = (shared.market.group(group), shared.view.book(group)) else { return Ok(None) };
        let process = if self.rng.random_bool(self.profile.instant_probability) {
            ProcessType::Instant
        } else {
            ProcessType::Manual
        };
        if let Some(inscription) = self.holdings.inscription(group, height) {
            let pledge = Pledge::Inscription(inscription.to_owned());
            let offer = preferred_offer(&book, demo, process, None, &mut self.rng);
            return Ok(offer.map(|offer| Choice { offer: offer.offer.to_string(), process: offer.process, pledge }));
        }
        let (raw, decimals) = (self.holdings.runes(group, height), demo.group.collateral.decimals());
        if raw == 0 {
            return Ok(None);
        }
        if process == ProcessType::Instant {
            let quotes = self.session.rune_quotes(demo.group.slug.as_str()).await?;
            if let Some((offer, part)) = partial_pledge(&quotes, raw, decimals, &mut self.rng) {
                return Ok(Some(Choice { offer, process, pledge: Pledge::Runes(part, decimals) }));
            }
        }
        let offer = preferred_offer(&book, demo, ProcessType::Manual, Some(raw), &mut self.rng);
        Ok(offer.map(|offer| Choice {
            offer: offer.offer.to_string(),
            process: ProcessType::Manual,
            pledge: Pledge::Runes(offer.quantity.raw, decimals),
        }))
    }
}

/// Returns one of the best offers of the group's sub-collections: of the preferred process if there is one, and of
/// runes only those that take no more than the borrower owns.
fn preferred_offer(
    book: &PublicBook,
    demo: &DemoGroup,
    wanted: ProcessType,
    owned_raw: Option<u128>,
    rng: &mut impl Rng,
) -> Option<PublicOffer> {
    let leading = |process: ProcessType| -> Vec<PublicOffer> {
        let subs = demo.group.sub_collections.iter().filter(|sub| sub.accepts(process) && sub.bundle != Bundle::Open);
        let best = subs.filter_map(|sub| book.ranking(sub.id, process).into_iter().next());
        best.filter(|offer| owned_raw.is_none_or(|owned| offer.quantity.raw <= owned)).collect()
    };
    let other = if wanted == ProcessType::Instant { ProcessType::Manual } else { ProcessType::Instant };
    let found = Some(leading(wanted)).filter(|found| !found.is_empty() || owned_raw.is_some());
    let found = found.unwrap_or_else(|| leading(other));
    found.choose(rng).copied()
}

/// Returns an offer against runes and the raw units to pledge: all that is owned if that fits the offer's range,
/// otherwise the most that the offer takes.
fn partial_pledge(quotes: &[RuneQuotes], owned_raw: u128, decimals: u8, rng: &mut impl Rng) -> Option<(String, u128)> {
    let offers = quotes.iter().flat_map(|quotes| quotes.offers.iter().take(3));
    let fitting: Vec<(String, u128)> = offers
        .filter_map(|offer| {
            let (min, max) =
                (tokens_of(&offer.valid_range.min, decimals)?, tokens_of(&offer.valid_range.max, decimals)?);
            (min <= owned_raw && offer.available_sats > 0).then(|| (offer.offer_id.clone(), max.min(owned_raw)))
        })
        .collect();
    fitting.choose(rng).cloned()
}

/// The raw units of a gift: a few of a rune's bundles, or of the smallest one.
fn rune_gift(demo: &DemoGroup, rng: &mut impl Rng) -> u128 {
    let bundles = demo.group.sub_collections.iter().filter_map(|sub| match sub.bundle {
        Bundle::Fixed(quantity) => Some(quantity.raw),
        Bundle::Open => None,
    });
    let bundles: Vec<u128> = bundles.collect();
    bundles.choose(rng).copied().unwrap_or(1).saturating_mul(rng.random_range(1..=2))
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;
    use rand_chacha::ChaCha8Rng;
    use serde_json::json;

    use super::*;
    use crate::demo_market::DemoMarket;

    fn quotes() -> Vec<RuneQuotes> {
        let offer = |id: &str, sats: u64, min: &str, max: &str| json!({"offerId": id, "available_sats": sats, "valid_range": {"min": min, "max": max}, "ltv": 50});
        let offers = json!([
            offer("of_small", 900, "1", "2.5"),
            offer("of_large", 900, "50", "100"),
            offer("of_used", 0, "0.01", "100"),
        ]);
        serde_json::from_value(json!([{"offers": offers}])).unwrap()
    }

    #[test]
    fn an_offer_against_runes_is_taken_up_to_the_balance_and_its_range() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        assert_eq!(partial_pledge(&quotes(), 99, 2, &mut rng), None, "too little for any offer");
        assert_eq!(partial_pledge(&quotes(), 120, 2, &mut rng), Some(("of_small".to_owned(), 120)));
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..100 {
            seen.extend(partial_pledge(&quotes(), 7_000, 2, &mut rng));
        }
        let expected = [("of_large".to_owned(), 7_000), ("of_small".to_owned(), 250)];
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn runes_are_given_in_whole_bundles() {
        let market = DemoMarket::new(1);
        let runes = market.groups.iter().filter(|demo| matches!(demo.group.collateral, CollateralType::Rune { .. }));
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for demo in runes {
            let smallest = demo.group.sub_collections.iter().filter_map(|sub| match sub.bundle {
                Bundle::Fixed(quantity) => Some(quantity.raw),
                Bundle::Open => None,
            });
            assert!(rune_gift(demo, &mut rng) >= smallest.min().unwrap());
        }
    }
}
