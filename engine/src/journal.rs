//! The journal port: where events become durable. Nothing is acknowledged before [`Durable`] resolves.

use domain::{Event, Stream, UnixMs};
use thiserror::Error;
use tokio::sync::oneshot;

/// The number of an event in its stream, from 1; 0 stands for "before the first".
pub type Sequence = u64;

/// Events for the end of one stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Append {
    /// Which stream.
    pub stream: Stream,
    /// The sequence of the stream's last event so far; anything else is a [`AppendError::Conflict`].
    pub after: Sequence,
    /// What happened, in order. Never empty.
    pub events: Vec<Event>,
}

/// Events of one or more streams that become durable together or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// When it happened.
    pub at: UnixMs,
    /// At most one append a stream.
    pub appends: Vec<Append>,
}

/// An event as it stands in the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Its number in the stream.
    pub sequence: Sequence,
    /// When it happened.
    pub at: UnixMs,
    /// What happened.
    pub event: Event,
}

/// The global number of a commit; later commits have greater ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position(pub u64);

/// Why a batch was not written. Neither is a failure of the disk: that ends the process.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AppendError {
    /// Somebody else wrote to the stream first.
    #[error("{stream:?} is at {actual}, not at {expected}")]
    Conflict {
        /// Which stream.
        stream: Stream,
        /// What the batch expected.
        expected: Sequence,
        /// Where the stream is.
        actual: Sequence,
    },
    /// The journal is shutting down; the batch was not written.
    #[error("the journal is closed")]
    Closed,
}

/// Resolves once a batch is on the platter (or was refused).
pub type Durable = oneshot::Receiver<Result<Position, AppendError>>;

/// Why the journal could not be read.
#[derive(Debug, Error)]
pub enum ReplayError {
    /// A record is damaged; the text names stream, sequence and what to do.
    #[error("{0}")]
    Damaged(String),
    /// The storage failed.
    #[error("cannot read the journal: {0}")]
    Storage(String),
}

/// An append-only store of event streams.
pub trait Journal: Send + Sync + 'static {
    /// Queues a batch; batches become durable in the order of these calls. Never blocks on the disk.
    ///
    /// The queue is bounded by its callers, each of which keeps a bounded number of batches in flight.
    fn append(&self, batch: Batch) -> Durable;

    /// Every stream that has events, in order.
    ///
    /// # Errors
    /// [`ReplayError`].
    fn streams(&self) -> Result<Vec<Stream>, ReplayError>;

    /// Hands over every durable event of a stream after `after`, in order, and returns the last sequence.
    ///
    /// # Errors
    /// [`ReplayError`]; events handed over before it are valid.
    fn replay(&self, stream: Stream, after: Sequence, each: &mut dyn FnMut(Recorded)) -> Result<Sequence, ReplayError>;
}
