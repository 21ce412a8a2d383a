//! The state of a backup whose pieces a command takes: the piece on its way, and the end of those that were taken.
//!
//! A piece is on the disk here before the command gets it, so after a crash the command gets the same piece under the same
//! name again, never another one with the same commits.
//!
//! ```text
//! <folder>/lock                      held while a process ships
//! <folder>/*.lienbook-piece.pending  the piece that the command gets next, under its name
//! <folder>/shipped.json              the end of the pieces that the command has taken
//! <folder>/caught-up.json            the time up to which it has taken everything
//! ```
//!
//! A piece is removed once `shipped.json` has it. A crash between the two leaves a piece that `shipped.json` covers, which
//! its name tells; it is removed at the next start, unread.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

use domain::UnixMs;

use super::{
    backup_folder::{lock, remove_unfinished},
    caught_up::CaughtUp,
    chain_end::ChainEnd,
    piece::Piece,
    piece_file,
    piece_name::PieceName,
    shipped,
};
use crate::{backup_error::BackupError, durable_folder::sync_folder};

/// The suffix after the name of the piece.
const PENDING: &str = ".pending";

/// The state, which this process alone changes.
#[derive(Debug)]
pub struct Spool {
    path: PathBuf,
    end: Option<ChainEnd>,
    pending: Option<Piece>,
    /// Locked until it is dropped.
    _lock: File,
}

impl Spool {
    /// Opens the state in a folder, and creates it if it is missing.
    ///
    /// # Errors
    /// [`BackupError`]; a damaged state and another process are refused.
    pub fn open(path: &Path) -> Result<Self, BackupError> {
        let lock = lock(path)?;
        remove_unfinished(path)?;
        let end = shipped::read(path)?;
        let mut spool = Self { path: path.to_owned(), end, pending: None, _lock: lock };
        for (name, at) in pending_files(path)? {
            if end.is_some_and(|end| name.last <= end.point.position) {
                remove(path, &at)?;
                continue;
            }
            let piece = piece_file::read(&at)?;
            piece.verify().map_err(|fault| fault.of(&name.to_string(), &at))?;
            spool.check_next(&name.to_string(), &piece)?;
            spool.pending = Some(piece);
        }
        Ok(spool)
    }

    /// The end of the pieces that were taken; `None` before the first.
    #[must_use]
    pub const fn end(&self) -> Option<&ChainEnd> {
        self.end.as_ref()
    }

    /// The piece that was not taken yet.
    #[must_use]
    pub const fn pending(&self) -> Option<&Piece> {
        self.pending.as_ref()
    }

    /// Keeps the next piece, until it is taken.
    ///
    /// # Errors
    /// [`BackupError`]; [`BackupError::Overlap`] if a piece is pending already.
    pub fn put(&mut self, piece: Piece) -> Result<(), BackupError> {
        let name = piece.name().to_string();
        self.check_next(&name, &piece)?;
        piece_file::write(&self.path, &format!("{name}{PENDING}"), &piece)?;
        self.pending = Some(piece);
        Ok(())
    }

    /// Notes that the pending piece was taken, and removes it.
    ///
    /// # Errors
    /// [`BackupError`]; then it is pending still, or noted and removed by the next start.
    pub fn taken(&mut self) -> Result<(), BackupError> {
        let Some((name, end)) = self.pending.as_ref().map(|piece| (piece.name(), piece.end())) else { return Ok(()) };
        shipped::replace(&self.path, &end)?;
        self.end = Some(end);
        self.pending = None;
        remove(&self.path, &self.path.join(format!("{name}{PENDING}")))
    }

    /// Notes that everything that was committed at a time was taken.
    ///
    /// # Errors
    /// [`BackupError::Io`].
    pub fn note_caught_up(&self, at: UnixMs) -> Result<(), BackupError> {
        CaughtUp::note(&self.path, self.end.as_ref(), at)
    }

    fn check_next(&self, name: &str, piece: &Piece) -> Result<(), BackupError> {
        if self.pending.is_some() {
            return Err(BackupError::Overlap { piece: name.to_owned(), found: piece.header().first });
        }
        ChainEnd::check(self.end.as_ref(), name, piece.header())
    }
}

/// Returns the files of pieces that were not taken, or not removed.
fn pending_files(path: &Path) -> Result<Vec<(PieceName, PathBuf)>, BackupError> {
    let mut files = Vec::new();
    for entry in fs::read_dir(path).map_err(BackupError::io("read", path))? {
        let entry = entry.map_err(BackupError::io("read", path))?;
        let name = entry.file_name();
        let Some(name) = name.to_str().and_then(|name| name.strip_suffix(PENDING)) else { continue };
        let name = name.parse().map_err(|()| BackupError::Name { path: entry.path() })?;
        files.push((name, entry.path()));
    }
    Ok(files)
}

fn remove(folder: &Path, at: &Path) -> Result<(), BackupError> {
    fs::remove_file(at).map_err(BackupError::io("remove", at))?;
    sync_folder(folder).map_err(BackupError::io("sync", folder))
}
