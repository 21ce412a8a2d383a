//! The journal on sled: acknowledged means on the device.
//!
//! ```text
//! append -> queue -> [ gather -> pack -> sled batch -> flush -> sync_data -> note ] -> answer
//! open   -> lock  -> ends of all streams -> cut what was never acknowledged
//! replay -> check every block of the stream's chain -> events
//! ```
//!
//! What must hold:
//! - Nobody is answered before the device is synced; after a failed write or sync nobody is answered at all.
//! - A batch is written whole or not at all, however many streams it spans.
//! - Readers see only what is durable.
//! - Damage is never repaired by guessing: it is named, copied aside, and the start fails.
//! - Whatever any version has written, every later one reads.

mod block;
mod chain;
mod damage;
#[cfg(test)]
mod damage_scenarios;
mod export;
mod folder;
mod gather;
#[cfg(test)]
mod golden;
mod heads;
mod line;
mod open_error;
mod options;
mod platter;
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
mod witness;
mod writer;

pub use damage::Damage;
pub use export::{ExportError, Extent, export};
pub use open_error::OpenError;
pub use options::{CommitLimits, EXIT_STATUS_STORAGE_FAILED, FailureAction, Options};
pub use restore::{LineProblem, PROGRESS_EVENTS_EVERY, RestoreError, restore};
pub use sled_journal::SledJournal;
pub use stats::JournalStats;
pub use verify::{Report, verify};
