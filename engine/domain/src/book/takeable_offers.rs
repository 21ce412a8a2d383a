//! The offers with conditions that a borrower can take.

use std::sync::Arc;

use crate::{Inscription, Offer, OfferConditions, Taker, UnixMs};

use super::OrderBook;

impl OrderBook {
    /// The listed offers with conditions that a borrower can take, in no particular order: where its lender chose
    /// inscriptions, with one of those in `held`, each with its number if that is known.
    pub fn conditional_offers_for<'book>(
        &'book self,
        taker: &Taker,
        held: &[(Inscription, Option<i64>)],
        now: UnixMs,
    ) -> impl Iterator<Item = &'book Offer> {
        let listed = self.conditional.iter().filter(|(_, conditions)| conditions.is_listed());
        let offers = listed.filter_map(|(id, conditions)| Some((self.offer(id)?, conditions)));
        offers.filter(move |(offer, conditions)| can_take(offer, conditions, taker, held, now)).map(|(offer, _)| offer)
    }
}

fn can_take(
    offer: &Offer,
    conditions: &Arc<OfferConditions>,
    taker: &Taker,
    held: &[(Inscription, Option<i64>)],
    now: UnixMs,
) -> bool {
    if offer.check_takeable(taker.user, now).is_err() {
        return false;
    }
    if conditions.takes_any() {
        return conditions.check(offer, taker, now).is_ok();
    }
    let chosen = held.iter().filter(|one| conditions.check_chosen(offer.id, &[**one]).is_ok());
    let mut with_one = chosen.map(|(id, _)| Taker { inscriptions: vec![*id], ..taker.clone() });
    with_one.any(|taker| conditions.check(offer, &taker, now).is_ok())
}
