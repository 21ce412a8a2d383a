//! The faults of a block.

use engine::journal::Sequence;
use thiserror::Error;

/// The version of this program.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A fault of a block, or of its place in the chain.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum Problem {
    #[error("its key is not one of this journal's")]
    Key,
    #[error("it is too short to be a block")]
    Short,
    #[error("a part of it is missing")]
    PartMissing,
    #[error("its checksum does not match")]
    Checksum,
    #[error("it was written by a newer version of lienbook (format {found}; this one, {VERSION}, reads up to {known})")]
    NewerFormat { found: u8, known: u8 },
    #[error(
        "its events were written by a newer version of lienbook (events {found}; this one, {VERSION}, reads up to {known})"
    )]
    NewerPayload { found: u8, known: u8 },
    #[error("its kind of stream was defined by a newer version of lienbook than this one, {VERSION}")]
    NewerStream,
    #[error("its kind of event was defined by a newer version of lienbook than this one, {VERSION}")]
    NewerEvent,
    #[error("its header does not match its key")]
    Misplaced,
    #[error("events {expected} to {} are missing", found.saturating_sub(1))]
    Gap { expected: Sequence, found: Sequence },
    #[error("it does not follow from the block before it")]
    Unlinked,
    #[error("its commit is older than the one before it")]
    CommitOrder,
    #[error("it was not written after the commit before it")]
    OtherHistory,
    #[error("the event cannot be read: {0}")]
    Payload(String),
    #[error("the storage cannot read it: {0}")]
    Unreadable(String),
    #[error("its last events are missing")]
    TailMissing,
    #[error("the other blocks of commit {commit} are missing")]
    CommitTorn { commit: u64 },
}

impl Problem {
    /// Whether there is no record to copy at the fault.
    pub(crate) const fn is_missing(&self) -> bool {
        matches!(self, Self::Gap { .. } | Self::TailMissing | Self::Unreadable(_))
    }

    /// Whether the data is sound, and only this program too old.
    pub(crate) const fn is_newer(&self) -> bool {
        matches!(self, Self::NewerFormat { .. } | Self::NewerPayload { .. } | Self::NewerStream | Self::NewerEvent)
    }
}
