//! Where a book keeps its offers.

use rustc_hash::FxHashMap;

use crate::{Offer, OfferId};

/// A place in the store; stays the same while the offer is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Slot(u32);

/// Offers in reusable slots, found by id.
#[derive(Clone, Debug, Default)]
pub(super) struct OfferStore {
    slots: Vec<Option<Offer>>,
    free: Vec<Slot>,
    /// Ids are given out by the book itself, so nobody can choose colliding ones.
    by_id: FxHashMap<OfferId, Slot>,
}

impl Slot {
    fn index(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl OfferStore {
    pub(super) fn slot(&self, id: OfferId) -> Option<Slot> {
        self.by_id.get(&id).copied()
    }

    pub(super) fn get(&self, slot: Slot) -> Option<&Offer> {
        self.slots.get(slot.index()).and_then(Option::as_ref)
    }

    pub(super) fn get_mut(&mut self, slot: Slot) -> Option<&mut Offer> {
        self.slots.get_mut(slot.index()).and_then(Option::as_mut)
    }

    pub(super) fn find(&self, id: OfferId) -> Option<&Offer> {
        self.slot(id).and_then(|slot| self.get(slot))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Offer> {
        self.slots.iter().flatten()
    }

    pub(super) fn insert(&mut self, offer: Offer) -> Slot {
        let id = offer.id;
        let slot = if let Some(slot) = self.free.pop() {
            self.slots[slot.index()] = Some(offer);
            slot
        } else {
            self.slots.push(Some(offer));
            // A book holds fewer than 2^32 offers at a time: each takes over a hundred bytes.
            Slot(u32::try_from(self.slots.len() - 1).unwrap_or(u32::MAX))
        };
        self.by_id.insert(id, slot);
        slot
    }

    pub(super) fn remove(&mut self, slot: Slot) -> Option<Offer> {
        let offer = self.slots.get_mut(slot.index()).and_then(Option::take)?;
        self.by_id.remove(&offer.id);
        self.free.push(slot);
        Some(offer)
    }
}
