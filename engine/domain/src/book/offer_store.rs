//! Where a book keeps its offers.

use crate::{Offer, OfferId};

/// A place in the store; stays the same while the offer is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Slot(u32);

const PAGE_IDS: usize = 1_024;
const CHUNK_OFFERS: usize = 256;

/// The slots of consecutive ids. Offers are numbered without gaps, so a table is smaller and quicker than a hash map.
#[derive(Clone, Debug)]
struct Page {
    slots: [Slot; PAGE_IDS],
    live: usize,
}

/// Offers in reusable slots, found by id.
#[derive(Clone, Debug, Default)]
pub(super) struct OfferStore {
    /// In chunks, so that growing never copies an offer. All but the last chunk are full.
    chunks: Vec<Vec<Option<Offer>>>,
    free: Vec<Slot>,
    /// A page is there while one of its offers is.
    pages: Vec<Option<Box<Page>>>,
}

impl Slot {
    const NONE: Self = Self(u32::MAX);

    fn index(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

/// The page of an id, and its place there.
fn page_of(id: OfferId) -> (usize, usize) {
    let sequence = usize::try_from(id.sequence()).unwrap_or(usize::MAX);
    (sequence / PAGE_IDS, sequence % PAGE_IDS)
}

impl OfferStore {
    pub(super) fn slot(&self, id: OfferId) -> Option<Slot> {
        let (page, place) = page_of(id);
        let slot = self.pages.get(page)?.as_ref()?.slots[place];
        // An id of another group has the same number, but is not the same.
        self.get(slot).is_some_and(|offer| offer.id == id).then_some(slot)
    }

    pub(super) fn get(&self, slot: Slot) -> Option<&Offer> {
        self.chunks.get(slot.index() / CHUNK_OFFERS)?.get(slot.index() % CHUNK_OFFERS)?.as_ref()
    }

    pub(super) fn get_mut(&mut self, slot: Slot) -> Option<&mut Offer> {
        self.place_mut(slot)?.as_mut()
    }

    fn place_mut(&mut self, slot: Slot) -> Option<&mut Option<Offer>> {
        self.chunks.get_mut(slot.index() / CHUNK_OFFERS)?.get_mut(slot.index() % CHUNK_OFFERS)
    }

    pub(super) fn find(&self, id: OfferId) -> Option<&Offer> {
        self.slot(id).and_then(|slot| self.get(slot))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Offer> {
        self.chunks.iter().flatten().flatten()
    }

    pub(super) fn insert(&mut self, offer: Offer) -> Slot {
        let (page, place) = page_of(offer.id);
        let slot = self.free.pop().unwrap_or_else(|| self.new_slot());
        if let Some(free) = self.place_mut(slot) {
            *free = Some(offer);
        }
        if self.pages.len() <= page {
            self.pages.resize(page + 1, None);
        }
        let page = self.pages[page].get_or_insert_with(|| Box::new(Page { slots: [Slot::NONE; PAGE_IDS], live: 0 }));
        page.slots[place] = slot;
        page.live += 1;
        slot
    }

    pub(super) fn remove(&mut self, slot: Slot) {
        let Some(id) = self.get(slot).map(|offer| offer.id) else { return };
        if let Some(taken) = self.place_mut(slot) {
            *taken = None;
        }
        self.free.push(slot);
        let (number, place) = page_of(id);
        if let Some(page) = self.pages.get_mut(number).and_then(Option::as_mut) {
            page.slots[place] = Slot::NONE;
            page.live -= 1;
            if page.live == 0 {
                self.pages[number] = None;
            }
        }
    }

    fn new_slot(&mut self) -> Slot {
        if self.chunks.last().is_none_or(|chunk| chunk.len() == CHUNK_OFFERS) {
            self.chunks.push(Vec::with_capacity(CHUNK_OFFERS));
        }
        let full = (self.chunks.len() - 1) * CHUNK_OFFERS;
        let place = self.chunks.last_mut().map_or(0, |chunk| {
            chunk.push(None);
            chunk.len() - 1
        });
        // A book holds fewer than 2^32 offers at a time: each takes over a hundred bytes.
        Slot(u32::try_from(full + place).unwrap_or(u32::MAX))
    }
}
