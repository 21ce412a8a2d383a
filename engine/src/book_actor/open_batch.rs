//! The batch of a burst: the events of commands that are decided one after the other.

use std::collections::BTreeMap;

use domain::{Event, Stream, UnixMs};
use tracing::Span;

use crate::{
    Applied, command_trace,
    journal::{Append, Sequence},
    ledger::{Committed, LedgerGuard, Ticket},
    shared::Shared,
};

/// A batch for the journal that is still being filled.
///
/// The ledger is locked from the first command that needs it until the batch is appended, so the journal's order is the
/// order of decisions.
pub(super) struct OpenBatch<'shared> {
    shared: &'shared Shared,
    /// The time of all decisions.
    pub(super) at: UnixMs,
    ledger: Option<LedgerGuard<'shared>>,
    /// The book's sequence before the batch, and its events.
    after: Sequence,
    events: Vec<Event>,
    /// The appends to the ledger's streams.
    of_ledger: BTreeMap<Stream, Append>,
    pub(super) committed: Committed,
    /// The number of commands with events.
    pub(super) turns: usize,
    /// The state of the ledger that a refusal reveals.
    revealed: Option<Ticket>,
    /// Spans of traced commands; they end when the batch is durable.
    pub(super) spans: Vec<Span>,
}

impl<'shared> OpenBatch<'shared> {
    /// An empty batch behind a sequence of the book.
    pub(super) fn new(shared: &'shared Shared, after: Sequence) -> Self {
        Self {
            shared,
            at: shared.clock.now(),
            ledger: None,
            after,
            events: Vec::new(),
            of_ledger: BTreeMap::new(),
            committed: Committed::default(),
            turns: 0,
            revealed: None,
            spans: Vec::new(),
        }
    }

    /// The ledger, locked until the batch is appended.
    pub(super) fn ledger(&mut self) -> &mut LedgerGuard<'shared> {
        self.ledger.get_or_insert_with(|| self.shared.ledger.lock())
    }

    /// Records that a refusal reveals the ledger as it is now.
    pub(super) fn reveal_ledger(&mut self) {
        self.revealed = Some(self.ledger().latest());
    }

    /// The commit of other books that an answer reveals and that the durability of this batch does not include.
    pub(super) fn revealed_elsewhere(&self) -> Option<Ticket> {
        self.revealed.filter(|seen| self.committed.ticket.is_none_or(|own| own < *seen))
    }

    /// Adds the events of a command, and its commit to the ledger.
    pub(super) fn add(&mut self, applied: &Applied, mut committed: Committed) {
        if applied.events.is_empty() && committed.appends.is_empty() {
            return;
        }
        self.turns += 1;
        let span = command_trace::commit();
        if !span.is_disabled() {
            self.spans.push(span);
        }
        self.events.extend(applied.events.iter().cloned().map(Event::Book));
        for append in committed.appends.drain(..) {
            match self.of_ledger.get_mut(&append.stream) {
                Some(known) => known.events.extend(append.events),
                None => drop(self.of_ledger.insert(append.stream, append)),
            }
        }
        self.committed.ticket = committed.ticket.or(self.committed.ticket);
        self.committed.vaults.append(&mut committed.vaults);
        self.committed.loans.append(&mut committed.loans);
        self.committed.quoting.append(&mut committed.quoting);
    }

    /// Takes all appends: of the book, if it has events, and of the ledger.
    pub(super) fn take_appends(&mut self, book: Stream) -> Vec<Append> {
        let events = std::mem::take(&mut self.events);
        let of_book = (!events.is_empty()).then_some(Append { stream: book, after: self.after, events });
        std::mem::take(&mut self.of_ledger).into_values().chain(of_book).collect()
    }

    /// Releases the ledger; returns what was committed to it.
    pub(super) fn close(self) -> Committed {
        self.committed
    }
}
