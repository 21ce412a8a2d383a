//! The reader of one book of a record.

use std::sync::Arc;

use domain::{BookEvent, CollectionGroup, Limits, OfferId, OrderBook, UnixMs};

use crate::rule::Rule;
use crate::tape::Tape;

/// One book with its tape.
pub(crate) struct BookReader<'a> {
    rule: &'a Rule,
    book: OrderBook,
    tape: Tape,
    /// The id after that of the latest offer when the rule began to quote.
    placed_before: Option<OfferId>,
}

impl<'a> BookReader<'a> {
    pub(crate) fn new(rule: &'a Rule, group: CollectionGroup) -> Self {
        let tape = Tape::new(&group, None);
        let book = OrderBook::new(Arc::new(group), Arc::new(Limits::default()));
        Self { rule, book, tape, placed_before: None }
    }

    /// Takes the next event of the book.
    pub(crate) fn take(&mut self, event: &BookEvent, at: UnixMs) {
        if self.placed_before.is_none() && self.rule.quotes_at(at) {
            self.placed_before = Some(self.tape.next_offer());
        }
        self.tape.record(&self.book, event, at);
        self.book.apply(event, at, &mut Vec::new());
    }

    /// Returns the tape, and the id before which the rule's first offers were placed.
    pub(crate) fn finish(self) -> (Tape, OfferId) {
        let placed_before = self.placed_before.unwrap_or_else(|| self.tape.next_offer());
        (self.tape, placed_before)
    }
}
