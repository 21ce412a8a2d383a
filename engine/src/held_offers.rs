//! The number of offers with a reservation, which the book does not count.

use domain::{Offer, OfferId, OrderBook, ProcessType, Sats};
use rustc_hash::FxHashMap;

/// The offers that anyone can take, as far as a part of them is reserved.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeldOffers {
    /// Ids are assigned by the book itself, so an attacker cannot choose colliding ones.
    held: FxHashMap<OfferId, ProcessType>,
    manual: usize,
    instant: usize,
}

impl HeldOffers {
    /// Returns those of a whole book.
    pub(crate) fn of(book: &OrderBook) -> Self {
        let mut offers = Self::default();
        for offer in book.offers() {
            offers.update(offer.id, Some(offer));
        }
        offers
    }

    /// Updates an offer; `None` when it was removed.
    pub(crate) fn update(&mut self, id: OfferId, offer: Option<&Offer>) {
        match offer.filter(|offer| offer.held > Sats::ZERO && !offer.is_conditional()) {
            Some(offer) => {
                if self.held.insert(id, offer.process).is_none() {
                    *self.count_mut(offer.process) += 1;
                }
            }
            None if self.held.is_empty() => {}
            None => {
                if let Some(process) = self.held.remove(&id) {
                    *self.count_mut(process) -= 1;
                }
            }
        }
    }

    /// The number of offers of a process type that have a reservation.
    pub(crate) const fn count(&self, process: ProcessType) -> usize {
        match process {
            ProcessType::Manual => self.manual,
            ProcessType::Instant => self.instant,
        }
    }

    const fn count_mut(&mut self, process: ProcessType) -> &mut usize {
        match process {
            ProcessType::Manual => &mut self.manual,
            ProcessType::Instant => &mut self.instant,
        }
    }
}
