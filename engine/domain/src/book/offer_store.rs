//! Where a book keeps its offers.

use prefetch_index::prefetch_index;

use crate::{Offer, OfferId};

/// Offers of so many consecutive numbers share a page: one a bit.
const PAGE_IDS: usize = 64;

/// Offers of consecutive numbers. They are numbered without gaps, so a table finds them quicker than a hash map, and a
/// page without its offers is small enough that all of them stay near the processor.
#[derive(Clone, Debug, Default)]
struct Page {
    /// Whose place is in `offers`.
    placed: u64,
    /// Who of them is still there.
    live: u64,
    /// In the order of their numbers. Whoever left stays behind until three quarters have left, then the others move together.
    offers: Vec<Offer>,
}

/// Offers, found by id.
#[derive(Clone, Debug, Default)]
pub(super) struct OfferStore {
    pages: Vec<Page>,
}

/// The page of an id, and its bit there.
fn page_of(id: OfferId) -> (usize, u64) {
    let sequence = usize::try_from(id.sequence()).unwrap_or(usize::MAX);
    (sequence / PAGE_IDS, 1 << (sequence % PAGE_IDS))
}

impl OfferStore {
    pub(super) fn get(&self, id: OfferId) -> Option<&Offer> {
        let (page, bit) = page_of(id);
        let page = self.pages.get(page)?;
        // An id of another group has the same number, but is not the same.
        page.offers.get(page.place(bit)?).filter(|offer| offer.id == id)
    }

    pub(super) fn get_mut(&mut self, id: OfferId) -> Option<&mut Offer> {
        let (page, bit) = page_of(id);
        let page = self.pages.get_mut(page)?;
        let place = page.place(bit)?;
        page.offers.get_mut(place).filter(|offer| offer.id == id)
    }

    /// Brings an offer nearer that is soon asked for.
    pub(super) fn prefetch(&self, id: OfferId) {
        let (page, bit) = page_of(id);
        if let Some(page) = self.pages.get(page)
            && let Some(place) = page.place(bit)
        {
            prefetch_index(&page.offers, place);
        }
    }

    /// In the order of their numbers.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Offer> {
        self.pages.iter().flat_map(Page::iter)
    }

    /// Adds an offer whose number is greater than every one before.
    pub(super) fn insert(&mut self, offer: Offer) {
        let (page, bit) = page_of(offer.id);
        if self.pages.len() <= page {
            self.pages.resize_with(page + 1, Page::default);
        }
        self.pages[page].insert(bit, offer);
    }

    /// Removes an offer that is there.
    pub(super) fn remove(&mut self, id: OfferId) {
        let (page, bit) = page_of(id);
        if let Some(page) = self.pages.get_mut(page) {
            page.remove(bit);
        }
    }
}

impl Page {
    /// As many places come first as bits below are set.
    fn place(&self, bit: u64) -> Option<usize> {
        (self.live & bit != 0).then(|| count(self.placed & (bit - 1)))
    }

    fn iter(&self) -> impl Iterator<Item = &Offer> {
        (0..PAGE_IDS).filter_map(|number| self.offers.get(self.place(1 << number)?))
    }

    fn insert(&mut self, bit: u64, offer: Offer) {
        debug_assert!(self.placed < bit, "offers are entered in the order of their numbers");
        if self.placed == 0 {
            // Those of the same numbers follow soon.
            self.offers.reserve_exact(PAGE_IDS);
        }
        self.placed |= bit;
        self.live |= bit;
        self.offers.push(offer);
    }

    fn remove(&mut self, bit: u64) {
        self.live &= !bit;
        let live = count(self.live);
        if live * 4 <= self.offers.len() {
            let mut kept = Vec::with_capacity(live);
            kept.extend(self.iter().cloned());
            self.offers = kept;
            self.placed = self.live;
        }
    }
}

fn count(bits: u64) -> usize {
    usize::try_from(bits.count_ones()).unwrap_or(PAGE_IDS)
}
