//! The journal as the record of a backtest.

use std::collections::BTreeMap;
use std::sync::Arc;

use backtest::History;
use domain::{BookEvent, CollectionGroup, Event, GroupId, ListingEvent, LoanDeal, LoanId, Stream, UnixMs};
use engine::journal::{Journal, Recorded, ReplayError};

/// A journal, read stream by stream.
pub(super) struct JournalHistory(Arc<dyn Journal>);

impl JournalHistory {
    pub(super) const fn new(journal: Arc<dyn Journal>) -> Self {
        Self(journal)
    }

    fn replay(&self, stream: Stream, each: &mut dyn FnMut(&Recorded)) -> Result<(), ReplayError> {
        self.0.replay(stream, 0, &mut |recorded| each(&recorded)).map(drop)
    }
}

impl History for JournalHistory {
    type Error = ReplayError;

    fn groups(&self) -> Result<Vec<CollectionGroup>, ReplayError> {
        let mut groups = BTreeMap::new();
        self.replay(Stream::Listings, &mut |recorded| {
            if let Event::Listing(ListingEvent::GroupListed(group)) = &recorded.event {
                groups.insert(group.id, CollectionGroup::clone(group));
            }
        })?;
        Ok(groups.into_values().collect())
    }

    fn book_events(&self, group: GroupId, each: &mut dyn FnMut(&BookEvent, UnixMs)) -> Result<(), ReplayError> {
        self.replay(Stream::Book(group), &mut |recorded| {
            if let Event::Book(event) = &recorded.event {
                each(event, recorded.at);
            }
        })
    }

    fn deal(&self, loan: LoanId) -> Result<Option<LoanDeal>, ReplayError> {
        let mut deal = None;
        self.replay(Stream::Loan(loan), &mut |recorded| {
            if let Event::Loan(event) = &recorded.event
                && let Some(opened) = event.opened_deal()
            {
                deal = Some(opened.clone());
            }
        })?;
        Ok(deal)
    }
}
