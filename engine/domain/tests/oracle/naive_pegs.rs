//! The pegged offers of the naive book: priced anew after every command, by trying every principal.

use domain::{Bundle, Ltv, OfferDraft, PegRejection, Quantity, Rejection, Sats, UnitPrice};

use super::{NaiveBook, NaiveOffer, ltv_of, quote_of};

/// The least and the largest principal.
pub(super) type Range = (u64, u64);

/// The principals that an offer can have, from the largest one down.
fn levels((min, max): Range) -> Vec<u64> {
    let step = ((max - min).div_ceil(100_000) * 1_000).max(1_000);
    let mut levels = vec![max];
    levels.extend((0..=100).rev().map(|number| min + number * step).filter(|level| *level < max));
    levels
}

/// The largest principal whose LTV is within `cap`; the least one if none is.
pub(super) fn principal_at(range: Range, cap: u32, quantity: Quantity, price: UnitPrice) -> u64 {
    let is_within = |level: &u64| ltv_of(quote_of(*level, quantity), price) <= u128::from(cap);
    levels(range).into_iter().find(is_within).unwrap_or(range.0)
}

impl NaiveBook {
    /// Checks the bounds of a draft at a price; `min` is the smallest offer.
    pub(super) fn check_peg(
        &self,
        draft: &OfferDraft,
        quantity: Quantity,
        least: Sats,
        (price, min): (UnitPrice, Sats),
    ) -> Result<(), Rejection> {
        let cap = draft.max_ltv.map_or(0, Ltv::basis_points);
        if cap == 0 {
            return Err(Rejection::NoMaxLtv);
        }
        if self.group.sub_collection(draft.sub_collection).is_some_and(|sub| sub.bundle == Bundle::Open) {
            return Err(PegRejection::OpenBundle.into());
        }
        if cap > 9_800 {
            return Err(Rejection::MaxLtvAboveCeiling { max_ltv: Ltv::from_basis_points(cap) });
        }
        if least < min {
            return Err(Rejection::BelowMinOffer { min });
        }
        if least > self.limits.max_offer_sats {
            return Err(Rejection::AboveMaxOffer { max: self.limits.max_offer_sats });
        }
        if least > draft.principal {
            return Err(PegRejection::AboveMax { max: draft.principal }.into());
        }
        let ltv = ltv_of(quote_of(least.get(), quantity), price);
        if ltv > u128::from(cap) {
            let ltv = Ltv::from_basis_points(u32::try_from(ltv).unwrap_or(u32::MAX));
            return Err(Rejection::MaxLtvBelowCurrent { ltv });
        }
        Ok(())
    }

    /// Prices all pegged offers that no borrower signs for.
    pub(super) fn settle_pegs(&mut self) {
        let Some(price) = self.price else { return };
        let held: Vec<bool> = self.offers.iter().map(|offer| self.held(offer.id) > 0).collect();
        for (offer, held) in self.offers.iter_mut().zip(held) {
            if let NaiveOffer { peg: Some(range), cap: Some(cap), quantity, .. } = *offer
                && !held
            {
                offer.principal = principal_at(range, cap, quantity, price);
                offer.smallest = offer.principal;
            }
        }
    }
}
