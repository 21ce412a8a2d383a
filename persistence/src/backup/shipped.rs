//! The end of the pieces that a command has taken, in a file of its state.

use std::{fs, io::ErrorKind, path::Path};

use super::{chain_end::ChainEnd, piece_file};
use crate::backup_error::BackupError;

const FILE: &str = "shipped.json";

/// Reads the end in a folder; `None` if no piece was taken, or the folder is no state.
pub(super) fn read(folder: &Path) -> Result<Option<ChainEnd>, BackupError> {
    let at = folder.join(FILE);
    match fs::read(&at) {
        Ok(text) => serde_json::from_slice(&text)
            .map(Some)
            .map_err(|error| BackupError::Damaged { piece: at.display().to_string(), reason: error.to_string() }),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(BackupError::io("read", &at)(error)),
    }
}

/// Replaces the end in a folder, durably.
pub(super) fn replace(folder: &Path, end: &ChainEnd) -> Result<(), BackupError> {
    piece_file::replace(folder, FILE, &serde_json::to_vec(end).unwrap_or_default())
}
