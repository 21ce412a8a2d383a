//! The journal on sled: an acknowledged batch is durable on the device.
//!
//! ```text
//! append -> queue -> [ group commit -> sled batch -> flush -> sync_data -> ack marker ] -> answer
//! open   -> lock  -> ends of all streams -> cut an incomplete last commit that was never acknowledged
//! replay -> check every block of the stream's chain -> events
//! ```
//!
//! Invariants:
//! - No append is answered before the device is synced; after a failed write or sync none is answered at all.
//! - A batch is written as a whole or not at all, however many streams it spans.
//! - Readers see only durable events.
//! - Damage is never repaired by guessing: it is reported with its place, the records are copied to quarantine, and the
//!   start fails.
//! - Every version reads all data that earlier versions have written.

mod ack_marker;
mod block;
mod chain;
mod commit_builder;
mod damage;
#[cfg(test)]
mod damage_scenarios;
mod durable_store;
mod export;
mod folder;
#[cfg(test)]
mod golden;
mod heads;
mod line;
mod open_error;
mod options;
mod problem;
mod reader;
mod record_key;
mod recovery;
mod restore;
mod scan;
mod sled_journal;
mod sled_snapshots;
mod stats;
mod stream_key;
mod upcast;
mod verify;
mod writer;

pub use damage::Damage;
pub use export::{ExportError, JournalTotals, export};
pub use open_error::OpenError;
pub use options::{CommitLimits, EXIT_STATUS_STORAGE_FAILED, FailureAction, Options};
pub use restore::{LineProblem, PROGRESS_EVENTS_EVERY, RestoreError, restore};
pub use sled_journal::SledJournal;
pub use stats::JournalStats;
pub use verify::{VerifyReport, verify};
