//! A restored journal that a market is started from, and that nothing is appended to.

use std::sync::Arc;

use domain::Stream;
use engine::journal::{
    AppendError, Batch, CommittedBatch, Durable, Journal, Position, Recorded, ReplayError, Sequence, SharedJournal,
};
use persistence::{CommitSource as _, SledJournal};
use tokio::sync::oneshot;

/// The journal, as that of another process that decides nothing more.
#[derive(Debug)]
pub(super) struct RestoredJournal(pub(super) Arc<SledJournal>);

impl Journal for RestoredJournal {
    fn append(&self, _batch: Batch) -> Durable {
        let (refuse, refused) = oneshot::channel();
        // The receiver still exists, so this cannot fail.
        let _ = refuse.send(Err(AppendError::Closed));
        refused
    }

    fn streams(&self) -> Result<Vec<Stream>, ReplayError> {
        self.0.streams()
    }

    fn replay(&self, stream: Stream, after: Sequence, each: &mut dyn FnMut(Recorded)) -> Result<Sequence, ReplayError> {
        self.0.replay(stream, after, each)
    }
}

impl SharedJournal for RestoredJournal {
    fn position(&self) -> Position {
        Position(self.0.end().unwrap_or_default())
    }

    fn read_commits(&self, _each: &mut dyn FnMut(CommittedBatch)) -> Result<Position, ReplayError> {
        Ok(self.position())
    }
}
