//! What stands in a book's queue until it may leave.

use std::collections::VecDeque;

use bytestring::ByteString;

use crate::{
    Applied, Refusal,
    book_state::Changes,
    feed::Subscriber,
    journal::Durable,
    ledger::{LoanNews, Ticket, VaultStanding},
};

use super::{Reply, publication::Publication};

/// An answer that waits until what it tells is durable. Refusals wait too: they tell what the book was like.
pub(super) struct Answer {
    pub(super) reply: Reply<Applied>,
    pub(super) outcome: Result<Applied, Refusal>,
}

impl Answer {
    /// Answers; whoever asked may have left.
    pub(super) fn give(self, is_open: Result<(), Refusal>) {
        let _ = self.reply.send(is_open.and(self.outcome));
    }
}

/// A batch on its way to the disk, and the commit to the ledger that is in it.
pub(super) struct Awaited {
    pub(super) durable: Durable,
    pub(super) ticket: Option<Ticket>,
}

/// The commands of one burst, while it lasts.
#[derive(Default)]
pub(super) struct Burst {
    pub(super) awaited: VecDeque<Awaited>,
    pub(super) vaults: Vec<VaultStanding>,
    pub(super) loans: Vec<LoanNews>,
    pub(super) answers: Vec<Answer>,
    pub(super) changes: Changes,
    /// Something else that the row shows has changed.
    pub(super) is_row_stale: bool,
    /// Events were applied, whether or not they changed offers.
    pub(super) has_events: bool,
}

impl Burst {
    pub(super) fn is_empty(&self) -> bool {
        self.awaited.is_empty() && self.answers.is_empty() && !self.shows_something()
    }

    /// Whether something may have to be published.
    pub(super) fn shows_something(&self) -> bool {
        self.is_row_stale || self.has_events || !self.changes.is_empty()
    }
}

/// The commands of one or more bursts, behind the batches they wait for.
#[derive(Default)]
pub(super) struct Turns {
    pub(super) awaited: VecDeque<Awaited>,
    pub(super) vaults: Vec<VaultStanding>,
    pub(super) loans: Vec<LoanNews>,
    pub(super) answers: Vec<Answer>,
    pub(super) publication: Option<Publication>,
}

impl Turns {
    /// Takes in what became durable right after.
    pub(super) fn join(&mut self, mut next: Self) {
        self.vaults.append(&mut next.vaults);
        self.loans.append(&mut next.loans);
        self.answers.append(&mut next.answers);
        self.publication = match (self.publication.take(), next.publication) {
            (Some(earlier), Some(later)) => Some(earlier.merged(later)),
            (one, other) => one.or(other),
        };
    }
}

/// A subscriber with the snapshot that was made when it came.
pub(super) struct Admission {
    pub(super) subscriber: Subscriber,
    pub(super) snapshot: ByteString,
    pub(super) reply: Reply<()>,
}

/// One place in the queue.
pub(super) enum Unit {
    /// Commands.
    Turns(Turns),
    /// A subscriber: its snapshot leaves after all earlier frames, and it gets all later ones.
    Join(Admission),
    /// A read.
    Departure(Box<dyn FnOnce(Result<(), Refusal>) + Send>),
}
