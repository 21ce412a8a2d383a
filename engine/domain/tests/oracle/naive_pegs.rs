//! The pegged offers of the naive book: priced anew after every command, by trying every principal.

use domain::{Quantity, UnitPrice};

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
