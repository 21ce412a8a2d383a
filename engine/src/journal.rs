//! The journal port: the durable, append-only log of events. Nothing is acknowledged before [`Durable`] resolves.

use domain::{Event, Stream, UnixMs};
use thiserror::Error;
use tokio::sync::oneshot;

/// The number of an event in its stream, from 1; 0 means "before the first".
pub type Sequence = u64;

/// Events to append to one stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Append {
    /// The stream.
    pub stream: Stream,
    /// The sequence of the stream's last event so far; anything else is a [`AppendError::Conflict`].
    pub after: Sequence,
    /// The events, in order. Never empty.
    pub events: Vec<Event>,
}

/// Events of one or more streams that become durable together or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// The time of the events.
    pub at: UnixMs,
    /// At most one append per stream.
    pub appends: Vec<Append>,
}

/// An event as stored in the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Its number in the stream.
    pub sequence: Sequence,
    /// The time of the event.
    pub at: UnixMs,
    /// The event.
    pub event: Event,
}

/// The global number of a commit; later commits have higher numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position(pub u64);

/// The reason why a batch was not written. Disk failures are not among them: they end the process.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AppendError {
    /// Another writer appended to the stream first.
    #[error("{stream:?} is at {actual}, not at {expected}")]
    Conflict {
        /// The stream.
        stream: Stream,
        /// The sequence that the batch expected.
        expected: Sequence,
        /// The actual last sequence of the stream.
        actual: Sequence,
    },
    /// The journal is shutting down; the batch was not written.
    #[error("the journal is closed")]
    Closed,
}

/// Resolves once a batch is durable or refused.
pub type Durable = oneshot::Receiver<Result<Position, AppendError>>;

/// The reason why the journal could not be read.
#[derive(Debug, Error)]
pub enum ReplayError {
    /// A record is damaged; the text names stream, sequence and what to do.
    #[error("{0}")]
    Damaged(String),
    /// The storage failed.
    #[error("cannot read the journal: {0}")]
    Storage(String),
}

/// The events that one commit added to one stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommittedEvents {
    /// The stream.
    pub stream: Stream,
    /// The events, in order. Never empty.
    pub events: Vec<Recorded>,
}

/// A commit, as other processes read it: the batches that became durable together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommittedBatch {
    /// The position of the commit.
    pub position: Position,
    /// Each stream once, in the order of the streams.
    pub appends: Vec<CommittedEvents>,
}

/// A journal that another process may append to.
pub trait SharedJournal: Journal {
    /// The position up to which this process has read, which [`Journal::replay`] covers.
    fn position(&self) -> Position;

    /// Reads the commits that have become durable since [`Self::position`], passes each to `each` in order, and returns
    /// the new position. Blocks on the storage.
    ///
    /// # Errors
    /// [`ReplayError`]; commits passed before it are valid, and the next call begins after them.
    fn read_commits(&self, each: &mut dyn FnMut(CommittedBatch)) -> Result<Position, ReplayError>;
}

/// An append-only store of event streams.
pub trait Journal: Send + Sync + 'static {
    /// Queues a batch; batches become durable in the order of these calls. Never blocks on the disk.
    ///
    /// The queue is bounded by its callers, each of which keeps a bounded number of batches in flight.
    fn append(&self, batch: Batch) -> Durable;

    /// All streams that have events, in order.
    ///
    /// # Errors
    /// [`ReplayError`].
    fn streams(&self) -> Result<Vec<Stream>, ReplayError>;

    /// Passes every durable event of a stream after `after` to `each`, in order, and returns the last sequence.
    ///
    /// # Errors
    /// [`ReplayError`]; events passed before it are valid.
    fn replay(&self, stream: Stream, after: Sequence, each: &mut dyn FnMut(Recorded)) -> Result<Sequence, ReplayError>;
}
