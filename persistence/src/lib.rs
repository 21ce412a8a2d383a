//! The journal, on sled or on PostgreSQL: an acknowledged batch is durable on the device, or on the server and its
//! synchronous standbys.
//!
//! ```text
//! append -> queue -> [ group commit -> sled batch -> flush -> sync_data -> ack marker ] -> answer
//!                    [ group commit -> one fenced statement -> synchronous standby    ] -> answer
//! open   -> ends of all streams -> (sled) cut an incomplete last commit that was never acknowledged
//! replay -> check every block of the stream's chain -> events
//! ```
//!
//! A backup has the commits in their order, as they are stored: see `backup`.
//!
//! The forms share everything but the store: `block_source` is the port to read blocks from, `durable_store` the port to
//! write commits to. On PostgreSQL a journal follows what another process appends until it claims the lease and begins to
//! write.
//!
//! Invariants:
//! - No append is answered before the device is synced; after a failed write or sync none is answered at all.
//! - On PostgreSQL only the latest epoch appends; a waiting commit is never cancelled, and one with an unknown outcome is
//!   resolved by asking.
//! - A batch is written as a whole or not at all, however many streams it spans.
//! - Readers see only durable events.
//! - Damage is never repaired by guessing: it is reported with its place, the records are copied to quarantine, and the
//!   start fails.
//! - Every version reads all data that earlier versions have written.

mod backup;
mod backup_error;
mod block;
mod block_key;
mod block_source;
mod chain;
mod commit_builder;
mod commit_check;
mod commit_feed;
mod commit_merge;
mod damage;
mod database_error;
mod durable_folder;
mod durable_store;
mod export;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
#[cfg(test)]
mod golden;
mod heads;
mod hex_digest;
mod journal_point;
mod line;
mod open_error;
mod options;
mod postgres_store;
mod problem;
mod raw_block;
mod raw_commit;
mod reader;
mod recovery;
mod restore;
mod sled_store;
mod stats;
mod stream_key;
mod upcast;
mod verify;
mod writer;
mod writer_handle;

pub use backup::{
    BackupFolder, CaughtUp, ChainEnd, PIECE_BYTES_MAX, Piece, PieceBuilder, PieceDigest, PieceHeader, PieceName,
    Pieces, RestoredBackup, Spool, Until, restore_backup, restore_backup_postgres,
};
pub use backup_error::BackupError;
pub use commit_feed::{CommitFeed, CommitSource, FeedStart};
pub use damage::Damage;
pub use database_error::DatabaseError;
pub use export::{ExportError, JournalTotals, WholeJournal, export};
pub use hex_digest::HexDigest;
pub use journal_point::{JournalPoint, StateDigest};
pub use open_error::OpenError;
pub use options::{CommitLimits, EXIT_STATUS_STORAGE_FAILED, FailureAction, Options};
pub use postgres_store::{
    BeginError, Claim, Durability, Fence, JournalFigures, JournalMonitor, LeaseError, LeaseState, PostgresAddress,
    PostgresJournal, PostgresOptions, Resolution, SynchronousStandbys, WriterLease, restore_postgres, verify_postgres,
};
pub use raw_commit::RawCommit;
pub use restore::{LineProblem, PROGRESS_EVENTS_EVERY, RestoreError};
pub use sled_store::{FolderLock, SledJournal, restore, verify};
pub use stats::JournalStats;
pub use verify::VerifyReport;
