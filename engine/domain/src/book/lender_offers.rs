//! One lender's offers in a book, and the vault behind them.

use crate::Sats;

use super::offer_store::Slot;

/// A lender's side of the book. Bounded by [`crate::Limits::offers_per_lender_max`].
#[derive(Clone, Debug, Default)]
pub(super) struct LenderOffers {
    /// What is usable in the vault, as last heard; `None` when there is no vault.
    pub(super) usable: Option<Sats>,
    /// Every offer, ordered by what its vault must still hold for it: nothing for manual ones.
    by_need: Vec<(Sats, Slot)>,
    /// Live manual and instant offers.
    pub(super) live_manual: usize,
    /// Live instant offers.
    pub(super) live_instant: usize,
    /// What live instant offers add up to.
    pub(super) live_instant_sats: Sats,
}

impl LenderOffers {
    /// What this lender adds to the liquidity that can be borrowed at once.
    pub(super) fn liquidity(&self) -> Sats {
        self.usable.unwrap_or_default().min(self.live_instant_sats)
    }

    pub(super) const fn len(&self) -> usize {
        self.by_need.len()
    }

    pub(super) fn slots(&self) -> impl Iterator<Item = Slot> {
        self.by_need.iter().map(|(_, slot)| *slot)
    }

    pub(super) fn insert(&mut self, need: Sats, slot: Slot) {
        let place = self.by_need.partition_point(|entry| *entry < (need, slot));
        self.by_need.insert(place, (need, slot));
    }

    pub(super) fn remove(&mut self, need: Sats, slot: Slot) {
        let place = self.by_need.partition_point(|entry| *entry < (need, slot));
        debug_assert_eq!(self.by_need.get(place), Some(&(need, slot)));
        if self.by_need.get(place) == Some(&(need, slot)) {
            self.by_need.remove(place);
        }
    }

    /// Offers that need more than the lower and at most the higher of two balances: those that a move between them touches.
    pub(super) fn between(&self, one: Sats, other: Sats) -> &[(Sats, Slot)] {
        let (low, high) = (one.min(other), one.max(other));
        let from = self.by_need.partition_point(|(need, _)| *need <= low);
        let to = self.by_need.partition_point(|(need, _)| *need <= high);
        &self.by_need[from..to]
    }
}
