//! One lender's side of a book, and the vault behind it.

use crate::{OfferId, Sats, offer::ListPlace};

use super::ordered_index::Found;

/// Offers are numbered from 1.
const NO_OFFER: OfferId = OfferId(0);

/// An offer in its lender's list.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// [`NO_OFFER`] once it has left; the next one takes its place.
    offer: OfferId,
    /// What the vault must hold so that the offer is not paused; zero when it asks for nothing.
    need: Sats,
}

/// What a book knows of a lender.
///
/// A vault tick reads the whole list in one sweep: with 500 offers that is 8 KB in a row, while an ordered index of
/// needs would cost every offer that enters or leaves a search and two cold cache lines.
#[derive(Clone, Debug, Default)]
pub(super) struct LenderOffers {
    /// Every offer, live or not, each at its [`ListPlace`]; bounded by
    /// [`crate::Limits::offers_per_lender_max`].
    entries: Vec<Entry>,
    /// Places of the list without an offer.
    free: Vec<ListPlace>,
    /// What is usable in the vault, as last heard; `None` when there is no vault.
    pub(super) usable: Option<Sats>,
    /// Live manual offers.
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

    /// How many offers there are, live or not.
    pub(super) fn count(&self) -> usize {
        self.entries.len() - self.free.len()
    }

    /// Every offer, live or not, in no particular order.
    pub(super) fn offers(&self) -> impl Iterator<Item = OfferId> {
        self.entries.iter().map(|entry| entry.offer).filter(|offer| *offer != NO_OFFER)
    }

    /// Whether there is nothing left to know.
    pub(super) fn is_idle(&self) -> bool {
        self.count() == 0 && self.usable.is_none()
    }

    /// Adds an offer; returns its place.
    pub(super) fn add(&mut self, offer: OfferId, need: Sats) -> ListPlace {
        let entry = Entry { offer, need };
        if let Some(place) = self.free.pop() {
            self.entries[usize::from(place.0)] = entry;
            return place;
        }
        self.entries.push(entry);
        // The limit on a lender's offers has the same type.
        ListPlace(u16::try_from(self.entries.len() - 1).unwrap_or(u16::MAX))
    }

    /// Takes out the offer at a place.
    pub(super) fn remove(&mut self, place: ListPlace) {
        self.entries[usize::from(place.0)] = Entry { offer: NO_OFFER, need: Sats::ZERO };
        self.free.push(place);
    }

    /// What the vault must hold for the offer at a place from now on.
    pub(super) fn set_need(&mut self, place: ListPlace, need: Sats) {
        self.entries[usize::from(place.0)].need = need;
    }

    /// The offers that need more than `low` and at most `high`, in no particular order.
    pub(super) fn needing_between(&self, low: Sats, high: Sats) -> Found {
        let crossed = self.entries.iter().filter(|entry| entry.need > low && entry.need <= high);
        crossed.map(|entry| entry.offer).collect()
    }
}
