//! The folder that a backup is written to, by one process at a time.
//!
//! ```text
//! <folder>/lock                    held while a process writes
//! <folder>/*.lienbook-piece        the pieces
//! <folder>/*.unfinished            a file that is being written, or that a killed process has left
//! <folder>/caught-up.json          the time up to which the pieces have everything
//! ```

use std::{
    fs::{self, File, TryLockError},
    path::{Path, PathBuf},
};

use domain::UnixMs;

use super::{
    caught_up::CaughtUp,
    chain_end::ChainEnd,
    piece::Piece,
    piece_file,
    pieces::{Pieces, names},
};
use crate::{
    backup_error::BackupError,
    durable_folder::{create_durably, lock_with_retries, sync_folder},
};

const LOCK: &str = "lock";

/// A folder that this process alone writes to.
#[derive(Debug)]
pub struct BackupFolder {
    path: PathBuf,
    end: Option<ChainEnd>,
    /// Locked until it is dropped.
    _lock: File,
}

impl BackupFolder {
    /// Opens a folder to add pieces, and creates it if it is missing. Checks the digest and the place of every piece in
    /// it, and every block of the last one.
    ///
    /// # Errors
    /// [`BackupError`]; a folder with a gap, a damaged piece or another writer is refused.
    pub fn open(path: &Path) -> Result<Self, BackupError> {
        let lock = lock(path)?;
        remove_unfinished(path)?;
        let mut end = None;
        if !names(path)?.is_empty() {
            let mut pieces = Pieces::of_folder(path)?;
            let mut last = None;
            for piece in &mut pieces {
                last = Some(piece?);
            }
            if let Some((name, piece)) = last {
                piece.verify().map_err(|fault| fault.of(&name, path))?;
            }
            end = pieces.end().copied();
        }
        Ok(Self { path: path.to_owned(), end, _lock: lock })
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The end of the pieces in it; `None` if there are none.
    #[must_use]
    pub const fn end(&self) -> Option<&ChainEnd> {
        self.end.as_ref()
    }

    /// Adds the next piece: when this returns, it is on the disk, was read back and checked, and has its name.
    ///
    /// # Errors
    /// [`BackupError`]; then the folder is as before, or has the piece.
    pub fn put(&mut self, piece: &Piece) -> Result<(), BackupError> {
        let name = piece.name().to_string();
        ChainEnd::check(self.end.as_ref(), &name, piece.header())?;
        // The lock may not reach a writer on another machine, if the folder is on a network.
        let last = names(&self.path)?.pop();
        let is_unchanged = last.as_ref().map(|last| last.last) == self.end.map(|end| end.point.position);
        if is_unchanged {
            piece_file::write(&self.path, &name, piece)?;
        } else if last == Some(piece.name()) && piece_file::read(&self.path.join(&name))?.end() == piece.end() {
            // An earlier attempt has failed after the piece had its name.
            sync_folder(&self.path).map_err(BackupError::io("sync", &self.path))?;
        } else {
            return Err(BackupError::Locked { path: self.path.clone() });
        }
        self.end = Some(piece.end());
        Ok(())
    }

    /// Notes that the pieces have everything that was committed at a time.
    ///
    /// # Errors
    /// [`BackupError::Io`].
    pub fn note_caught_up(&self, at: UnixMs) -> Result<(), BackupError> {
        CaughtUp::note(&self.path, self.end.as_ref(), at)
    }
}

/// Creates a folder for its owner alone, if it is missing, and locks it.
pub(super) fn lock(path: &Path) -> Result<File, BackupError> {
    create_durably(path).map_err(BackupError::io("create", path))?;
    let at = path.join(LOCK);
    lock_with_retries(&at).map_err(|error| match error {
        TryLockError::WouldBlock => BackupError::Locked { path: path.to_owned() },
        TryLockError::Error(source) => BackupError::io("lock", &at)(source),
    })
}

/// Removes what a killed process has left. The lock is held.
pub(super) fn remove_unfinished(path: &Path) -> Result<(), BackupError> {
    for entry in fs::read_dir(path).map_err(BackupError::io("read", path))? {
        let entry = entry.map_err(BackupError::io("read", path))?;
        if entry.file_name().to_str().is_some_and(|name| name.ends_with(piece_file::UNFINISHED)) {
            fs::remove_file(entry.path()).map_err(BackupError::io("remove", &entry.path()))?;
        }
    }
    Ok(())
}
