//! The full check of a journal in a data folder.

use std::path::Path;

use crate::{
    open_error::OpenError,
    options::Options,
    verify::{VerifyReport, verify_blocks},
};

use super::{blocks::SledBlocks, folder::Folder};

/// Checks every record of the journal in the data folder `path`, and reads every event.
///
/// Cuts, copies and repairs nothing. Opening it lets sled do what it does at every start: it discards the part of its
/// log that was being written when the process ended.
///
/// # Errors
/// [`OpenError`] if there is no journal or it cannot be opened; damage is in the report.
pub fn verify(path: impl AsRef<Path>, options: &Options) -> Result<VerifyReport, OpenError> {
    let path = path.as_ref();
    if !path.exists() {
        return Err(OpenError::Absent { path: path.to_owned() });
    }
    let folder = Folder::acquire(path)?;
    if !folder.has_journal() {
        return Err(OpenError::Absent { path: path.to_owned() });
    }
    let db = folder.open(options.cache_bytes)?;
    let acknowledged = folder.ack_marker()?.get().map_err(|source| folder.not_writable(source))?;
    Ok(verify_blocks(&SledBlocks { db, quarantine: folder.quarantine() }, acknowledged))
}
