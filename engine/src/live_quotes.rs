//! Aggregates that rankings cannot give without a full scan: the lowest live quote of each process type, and the number
//! of offers with a reservation.

use std::collections::BTreeMap;

use domain::{Offer, OfferId, OrderBook, ProcessType, Sats, UnitPrice};
use rustc_hash::FxHashMap;

/// Quotes of live offers in order, per process type.
#[derive(Clone, Debug, Default)]
pub(crate) struct LiveQuotes {
    /// Ids are assigned by the book itself, so an attacker cannot choose colliding ones.
    live: FxHashMap<OfferId, (ProcessType, UnitPrice)>,
    counts: BTreeMap<(ProcessType, UnitPrice), usize>,
    /// Offers with a reservation.
    held: FxHashMap<OfferId, ProcessType>,
    held_counts: BTreeMap<ProcessType, usize>,
}

impl LiveQuotes {
    /// Returns the quotes of a whole book.
    pub(crate) fn of(book: &OrderBook) -> Self {
        let mut quotes = Self::default();
        for offer in book.offers() {
            quotes.update(offer.id, Some(offer));
        }
        quotes
    }

    /// Updates the quote of an offer; `None` when the offer was removed.
    pub(crate) fn update(&mut self, id: OfferId, offer: Option<&Offer>) {
        self.update_held(id, offer);
        let now = offer.filter(|offer| offer.is_live()).map(|offer| (offer.process, offer.quote));
        let before = match now {
            Some(quote) => self.live.insert(id, quote),
            None => self.live.remove(&id),
        };
        if before == now {
            return;
        }
        if let Some(quote) = now {
            *self.counts.entry(quote).or_default() += 1;
        }
        if let Some(quote) = before
            && let Some(count) = self.counts.get_mut(&quote)
        {
            *count -= 1;
            if *count == 0 {
                self.counts.remove(&quote);
            }
        }
    }

    /// Counts what was reserved of offers that anyone can take.
    fn update_held(&mut self, id: OfferId, offer: Option<&Offer>) {
        match offer.filter(|offer| offer.held > Sats::ZERO && !offer.is_conditional()) {
            Some(offer) if self.held.insert(id, offer.process).is_none() => {
                *self.held_counts.entry(offer.process).or_default() += 1;
            }
            None if !self.held.is_empty() => {
                let count = self.held.remove(&id).and_then(|process| self.held_counts.get_mut(&process));
                if let Some(count) = count {
                    *count -= 1;
                }
            }
            _ => {}
        }
    }

    /// The number of offers of a process type that have a reservation.
    pub(crate) fn under_offer(&self, process: ProcessType) -> usize {
        self.held_counts.get(&process).copied().unwrap_or(0)
    }

    /// The lowest live quote.
    pub(crate) fn lowest(&self, process: ProcessType) -> Option<UnitPrice> {
        let from = (process, UnitPrice::from_scaled(0));
        let (&(found, quote), _) = self.counts.range(from..).next()?;
        (found == process).then_some(quote)
    }
}
