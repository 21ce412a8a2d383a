//! One lender's offers in a book, and the balance of the vault behind them.

use crate::{OfferId, Sats, offer::ListIndex};

use super::ordered_index::OfferIds;

/// A value that is no offer: offers are numbered from 1.
const NO_OFFER: OfferId = OfferId(0);

/// An offer in its lender's list.
#[derive(Clone, Copy, Debug)]
struct OfferSlot {
    /// [`NO_OFFER`] once it has left; the next offer takes its position.
    offer: OfferId,
    /// The sats that the vault must hold so that the offer is not paused; zero if it needs none.
    need: Sats,
}

/// A book's state of one lender.
///
/// A change of the vault scans the whole list: 500 offers are 8 KB of contiguous memory, while an ordered index of
/// needs would cost a search and two cache misses for every offer that enters or leaves.
#[derive(Clone, Debug, Default)]
pub(super) struct LenderOffers {
    /// All offers, live or not, each at its [`ListIndex`]; bounded by [`crate::Limits::offers_per_lender_max`].
    slots: Vec<OfferSlot>,
    /// Free positions of the list.
    free: Vec<ListIndex>,
    /// The latest known usable balance of the vault; `None` without a vault.
    pub(super) usable: Option<Sats>,
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

    /// Whether there are neither offers nor a balance.
    pub(super) fn is_idle(&self) -> bool {
        self.count() == 0 && self.usable.is_none()
    }

    /// Adds an offer; returns its position.
    pub(super) fn add(&mut self, offer: OfferId, need: Sats) -> ListIndex {
        let slot = OfferSlot { offer, need };
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
        self.slots[usize::from(place.0)] = OfferSlot { offer: NO_OFFER, need: Sats::ZERO };
        self.free.push(place);
    }

    /// Sets the sats that the vault must hold for the offer at a position.
    pub(super) fn set_need(&mut self, place: ListIndex, need: Sats) {
        self.slots[usize::from(place.0)].need = need;
    }

    /// The offers that need more than `low` and at most `high`, in no particular order.
    pub(super) fn needing_between(&self, low: Sats, high: Sats) -> OfferIds {
        let affected = self.slots.iter().filter(|slot| slot.need > low && slot.need <= high);
        affected.map(|slot| slot.offer).collect()
    }
}
