//! The storage of a book's offers.

use prefetch_index::prefetch_index;

use crate::{Offer, OfferId};

/// The number of consecutive ids per page: one bit each.
const PAGE_IDS: usize = 64;

/// Offers with consecutive ids. Ids are assigned without gaps, so a table is faster than a hash map, and a page without
/// its offers is small enough that all pages stay in the cache.
#[derive(Clone, Debug, Default)]
struct Page {
    /// The ids whose offers have a position in `offers`.
    placed: u64,
    /// The ids whose offers are still in the book.
    live: u64,
    /// The offers by id. Removed offers stay until three quarters are removed; then the others are moved together.
    offers: Vec<Offer>,
}

/// Offers, found by id.
#[derive(Clone, Debug, Default)]
pub(super) struct OfferStore {
    pages: Vec<Page>,
}

/// The page of an id, and its bit in the page.
fn page_of(id: OfferId) -> (usize, u64) {
    let sequence = usize::try_from(id.sequence()).unwrap_or(usize::MAX);
    (sequence / PAGE_IDS, 1 << (sequence % PAGE_IDS))
}

impl OfferStore {
    pub(super) fn get(&self, id: OfferId) -> Option<&Offer> {
        let (page, bit) = page_of(id);
        let page = self.pages.get(page)?;
        // An id of another group may have the same number, so the whole id is compared.
        page.offers.get(page.index(bit)?).filter(|offer| offer.id == id)
    }

    pub(super) fn get_mut(&mut self, id: OfferId) -> Option<&mut Offer> {
        let (page, bit) = page_of(id);
        let page = self.pages.get_mut(page)?;
        let index = page.index(bit)?;
        page.offers.get_mut(index).filter(|offer| offer.id == id)
    }

    /// Prefetches an offer that is about to be read.
    pub(super) fn prefetch(&self, id: OfferId) {
        let (page, bit) = page_of(id);
        if let Some(page) = self.pages.get(page)
            && let Some(index) = page.index(bit)
        {
            prefetch_index(&page.offers, index);
        }
    }

    /// All offers, by id.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Offer> {
        self.pages.iter().flat_map(Page::iter)
    }

    /// Adds an offer whose number is greater than all earlier ones.
    pub(super) fn insert(&mut self, offer: Offer) {
        let (page, bit) = page_of(offer.id);
        if self.pages.len() <= page {
            self.pages.resize_with(page + 1, Page::default);
        }
        self.pages[page].insert(bit, offer);
    }

    /// Removes an offer that is in the store.
    pub(super) fn remove(&mut self, id: OfferId) {
        let (page, bit) = page_of(id);
        if let Some(page) = self.pages.get_mut(page) {
            page.remove(bit);
        }
    }
}

impl Page {
    /// The position of an id's offer: the number of set bits below its bit.
    fn index(&self, bit: u64) -> Option<usize> {
        (self.live & bit != 0).then(|| count(self.placed & (bit - 1)))
    }

    fn iter(&self) -> impl Iterator<Item = &Offer> {
        (0..PAGE_IDS).filter_map(|number| self.offers.get(self.index(1 << number)?))
    }

    fn insert(&mut self, bit: u64, offer: Offer) {
        debug_assert!(self.placed < bit, "offers are entered in the order of their numbers");
        if self.placed == 0 {
            // Offers with the following ids will be added soon.
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
