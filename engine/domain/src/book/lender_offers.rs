//! One lender's offers in a book, the balance of the vault behind them, and the lender's allowance.

use crate::{Allowance, Offer, OfferId, PauseReasons, ProcessType, Sats, offer::ListIndex};

use super::ordered_index::OfferIds;

/// A value that is no offer: offers are numbered from 1.
const NO_OFFER: OfferId = OfferId(0);

/// An offer in its lender's list.
#[derive(Clone, Copy, Debug)]
struct OfferSlot {
    /// [`NO_OFFER`] once it has left; the next offer takes its position.
    offer: OfferId,
    /// The sats that the vault must hold, or the allowance leave, so that the offer is not paused.
    need: Sats,
    process: ProcessType,
}

/// A book's state of one lender.
///
/// A change of the vault or the allowance scans the whole list: 500 offers are 12 KB of contiguous memory, while an ordered index of
/// needs would cost a search and two cache misses for every offer that enters or leaves.
#[derive(Clone, Debug, Default)]
pub(super) struct LenderOffers {
    /// All offers, live or not, each at its [`ListIndex`]; bounded by [`crate::Limits::offers_per_lender_max`].
    slots: Vec<OfferSlot>,
    /// Free positions of the list.
    free: Vec<ListIndex>,
    /// The latest known usable balance of the vault; `None` without a vault.
    pub(super) usable: Option<Sats>,
    /// The latest known allowance.
    pub(super) allowance: Allowance,
    /// The number of live manual offers.
    pub(super) live_manual: usize,
    /// The number of live instant offers.
    pub(super) live_instant: usize,
    /// The sum of live instant offers.
    pub(super) live_instant_sats: Sats,
}

impl LenderOffers {
    /// This lender's contribution to the liquidity that can be borrowed at once.
    pub(super) fn liquidity(&self) -> Sats {
        self.usable.unwrap_or_default().min(self.live_instant_sats)
    }

    /// The number of offers, live or not.
    pub(super) fn count(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// All offers, live or not, in no particular order.
    pub(super) fn offers(&self) -> impl Iterator<Item = OfferId> {
        self.slots.iter().map(|slot| slot.offer).filter(|offer| *offer != NO_OFFER)
    }

    /// Whether there are neither offers nor a balance nor limits.
    pub(super) fn is_idle(&self) -> bool {
        self.count() == 0 && self.usable.is_none() && self.allowance == Allowance::default()
    }

    /// The reasons of an offer's pause, with the one that the vault or the allowance does not cover its need.
    pub(super) fn reasons_by_need(&self, offer: &Offer) -> PauseReasons {
        let need = offer.takeable();
        match offer.process {
            ProcessType::Instant => offer.paused.with(PauseReasons::BALANCE, need > self.usable.unwrap_or_default()),
            ProcessType::Manual => offer.paused.with(PauseReasons::LIMITS, need > self.allowance.limit()),
        }
    }

    /// Adds an offer; returns its position.
    pub(super) fn add(&mut self, offer: OfferId, process: ProcessType, need: Sats) -> ListIndex {
        let slot = OfferSlot { offer, need, process };
        if let Some(place) = self.free.pop() {
            self.slots[usize::from(place.0)] = slot;
            return place;
        }
        self.slots.push(slot);
        // The limit on a lender's offers has the same type.
        ListIndex(u16::try_from(self.slots.len() - 1).unwrap_or(u16::MAX))
    }

    /// Removes the offer at a position.
    pub(super) fn remove(&mut self, place: ListIndex) {
        let slot = &mut self.slots[usize::from(place.0)];
        (slot.offer, slot.need) = (NO_OFFER, Sats::ZERO);
        self.free.push(place);
    }

    /// Sets the sats that the offer at a position needs.
    pub(super) fn set_need(&mut self, place: ListIndex, need: Sats) {
        self.slots[usize::from(place.0)].need = need;
    }

    /// The offers of a process type that need more than `low` and at most `high`, in no particular order.
    pub(super) fn needing_between(&self, process: ProcessType, low: Sats, high: Sats) -> OfferIds {
        let affected = self.slots.iter().filter(|slot| slot.process == process && slot.need > low && slot.need <= high);
        affected.map(|slot| slot.offer).collect()
    }
}
