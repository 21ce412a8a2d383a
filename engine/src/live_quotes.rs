//! The lowest live quote of each process type, which rankings by the best do not tell without walking to their ends.

use std::collections::BTreeMap;

use domain::{Offer, OfferId, OrderBook, ProcessType, UnitPrice};
use rustc_hash::FxHashMap;

/// Quotes of live offers in order, per process type.
#[derive(Clone, Debug, Default)]
pub(crate) struct LiveQuotes {
    /// Ids are given out by the book itself, so nobody can choose colliding ones.
    live: FxHashMap<OfferId, (ProcessType, UnitPrice)>,
    counts: BTreeMap<(ProcessType, UnitPrice), usize>,
}

impl LiveQuotes {
    /// The quotes of a whole book.
    pub(crate) fn of(book: &OrderBook) -> Self {
        let mut quotes = Self::default();
        for offer in book.offers() {
            quotes.update(offer.id, Some(offer));
        }
        quotes
    }

    /// Takes in how an offer stands now; `None` when it is gone.
    pub(crate) fn update(&mut self, id: OfferId, offer: Option<&Offer>) {
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

    /// The lowest live quote.
    pub(crate) fn lowest(&self, process: ProcessType) -> Option<UnitPrice> {
        let from = (process, UnitPrice::from_scaled(0));
        let (&(found, quote), _) = self.counts.range(from..).next()?;
        (found == process).then_some(quote)
    }
}
