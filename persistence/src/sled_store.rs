//! The journal on sled: one data folder, one process.

mod ack_marker;
mod blocks;
#[cfg(test)]
mod damage_scenarios;
mod folder;
mod journal;
mod quarantine;
mod record_key;
mod restore;
mod scan;
mod snapshots;
mod store;
mod verify;

#[cfg(any(test, fuzzing))]
pub(crate) use ack_marker::AckMarker;
pub use folder::FolderLock;
pub use journal::SledJournal;
pub use restore::restore;
pub(crate) use restore::restore_with;
pub use verify::verify;
