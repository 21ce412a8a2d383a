//! The queue of output that waits in a book until it is durable.

use std::{collections::VecDeque, time::Instant};

use tracing::Span;

use crate::{
    Applied, Refusal,
    book_state::Changes,
    command_trace::TracedRequests,
    journal::Durable,
    ledger::{LoanChange, Ticket, VaultBalances},
};

use super::{
    Reply,
    publication::{PendingSubscription, Publication},
};

/// An answer that waits until the state it reports is durable. Refusals wait too: they reveal the state of the book.
pub(super) struct Answer {
    pub(super) reply: Reply<Applied>,
    pub(super) outcome: Result<Applied, Refusal>,
}

impl Answer {
    /// Sends the answer; the receiver may have been dropped.
    pub(super) fn send(self, is_open: Result<(), Refusal>) {
        let _ = self.reply.send(is_open.and(self.outcome));
    }
}

/// A batch on its way to the disk, and the last commit to the ledger that is in it.
pub(super) struct PendingBatch {
    pub(super) durable: Durable,
    pub(super) ticket: Option<Ticket>,
    /// The number of commands in it.
    pub(super) commands: usize,
    /// They end when the batch is durable.
    pub(super) spans: Vec<Span>,
}

/// The commands of the current burst.
#[derive(Default)]
pub(super) struct Burst {
    pub(super) pending: VecDeque<PendingBatch>,
    pub(super) vaults: Vec<VaultBalances>,
    pub(super) loans: Vec<LoanChange>,
    pub(super) answers: Vec<Answer>,
    pub(super) changes: Changes,
    /// Whether something else that the row shows has changed.
    pub(super) is_row_stale: bool,
    /// Whether events were applied, whether or not they changed offers.
    pub(super) has_events: bool,
    /// The time of the first command.
    pub(super) began: Option<Instant>,
    pub(super) traced: TracedRequests,
}

impl Burst {
    pub(super) fn is_empty(&self) -> bool {
        self.pending.is_empty() && self.answers.is_empty() && !self.has_changes()
    }

    /// Whether something may have to be published.
    pub(super) fn has_changes(&self) -> bool {
        self.is_row_stale || self.has_events || !self.changes.is_empty()
    }
}

/// The commands of one or more bursts, behind the batches they wait for.
#[derive(Default)]
pub(super) struct BurstOutput {
    pub(super) pending: VecDeque<PendingBatch>,
    pub(super) vaults: Vec<VaultBalances>,
    pub(super) loans: Vec<LoanChange>,
    pub(super) answers: Vec<Answer>,
    pub(super) publication: Option<Publication>,
    pub(super) began: Option<Instant>,
    pub(super) traced: TracedRequests,
}

impl BurstOutput {
    /// Merges the output that became durable right after.
    pub(super) fn merge(&mut self, mut next: Self) {
        self.vaults.append(&mut next.vaults);
        self.loans.append(&mut next.loans);
        self.answers.append(&mut next.answers);
        self.began = self.began.or(next.began);
        self.traced.append(std::mem::take(&mut next.traced));
        self.publication = match (self.publication.take(), next.publication) {
            (Some(earlier), Some(later)) => Some(earlier.merged(later)),
            (one, other) => one.or(other),
        };
    }
}

/// An item in the queue.
pub(super) enum QueuedOutput {
    /// Commands.
    Burst(BurstOutput),
    /// A subscriber: its snapshot leaves after all earlier frames, and it gets all later ones.
    Subscription(PendingSubscription),
    /// A read.
    PendingRead(Box<dyn FnOnce(Result<(), Refusal>) + Send>),
}
