//! The lines of a log.

use domain::{BookEvent, CollectionGroup, UnixMs};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The format that the first line of a log names.
pub const GENESIS: &str = "lienbook-public-log";

/// The version of the format.
const VERSION: u8 = 1;

/// The first line.
#[derive(Serialize, Deserialize)]
struct Genesis<G> {
    format: String,
    version: u8,
    group: G,
}

/// A line after the first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogEntry {
    /// The sequence of the event in the book's stream, from 1.
    pub sequence: u64,
    /// The time of the event.
    pub at: UnixMs,
    /// The event, without names.
    pub event: BookEvent,
}

/// A line that is not of a log of this version.
#[derive(Debug, Error)]
pub enum EntryError {
    /// The line is not JSON of the expected form.
    #[error("it is not a line of a public log: {0}")]
    Malformed(#[from] serde_json::Error),
    /// The first line is of another format or version.
    #[error("it begins another kind of file, or one of a later version: {format} {version}")]
    Unknown {
        /// The named format.
        format: String,
        /// The named version.
        version: u8,
    },
}

/// Returns the first line of a book's log, without a line feed.
///
/// # Errors
/// [`EntryError::Malformed`], never for a group that was listed.
pub fn genesis_line(group: &CollectionGroup) -> Result<Vec<u8>, EntryError> {
    Ok(serde_json::to_vec(&Genesis { format: GENESIS.to_owned(), version: VERSION, group })?)
}

/// Returns the group that the first line of a log names.
///
/// # Errors
/// [`EntryError`].
pub(crate) fn read_genesis(line: &[u8]) -> Result<CollectionGroup, EntryError> {
    let Genesis { format, version, group } = serde_json::from_slice(line)?;
    if format == GENESIS && version == VERSION { Ok(group) } else { Err(EntryError::Unknown { format, version }) }
}

/// Returns the line of an entry, without a line feed.
///
/// # Errors
/// [`EntryError::Malformed`], never for an event of a journal.
pub fn entry_line(entry: &LogEntry) -> Result<Vec<u8>, EntryError> {
    Ok(serde_json::to_vec(entry)?)
}

/// Returns the entry of a line.
///
/// # Errors
/// [`EntryError::Malformed`].
pub(crate) fn read_entry(line: &[u8]) -> Result<LogEntry, EntryError> {
    Ok(serde_json::from_slice(line)?)
}
