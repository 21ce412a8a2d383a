//! The state of a backup whose pieces a command takes: the piece on its way, and the end of those that were taken.
//!
//! A piece is on the disk here before the command gets it, so after a crash the command gets the same piece under the same
//! name again, never another one with the same commits.
//!
//! ```text
//! <folder>/lock          held while a process ships
//! <folder>/pending       the piece that the command gets next
//! <folder>/shipped.json  the end of the pieces that the command has taken
//! ```

use std::{
    fs::{self, File},
    io::ErrorKind,
    path::{Path, PathBuf},
};

use super::{
    backup_folder::{lock, remove_unfinished},
    chain_end::ChainEnd,
    piece::Piece,
    piece_file,
};
use crate::backup_error::BackupError;

const PENDING: &str = "pending";
const SHIPPED: &str = "shipped.json";

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
        let at = path.join(SHIPPED);
        let end = match fs::read(&at) {
            Ok(text) => Some(serde_json::from_slice::<ChainEnd>(&text).map_err(|error| BackupError::Damaged {
                piece: at.display().to_string(),
                reason: error.to_string(),
            })?),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(BackupError::io("read", &at)(error)),
        };
        let mut spool = Self { path: path.to_owned(), end, pending: None, _lock: lock };
        let at = path.join(PENDING);
        if at.exists() {
            let piece = piece_file::read(&at)?;
            piece.verify().map_err(|fault| fault.of(PENDING, &at))?;
            if spool.end != Some(piece.end()) {
                ChainEnd::check(spool.end.as_ref(), PENDING, piece.header())?;
                spool.pending = Some(piece);
            }
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
    /// [`BackupError`].
    pub fn put(&mut self, piece: Piece) -> Result<(), BackupError> {
        ChainEnd::check(self.end.as_ref(), PENDING, piece.header())?;
        piece_file::write(&self.path, PENDING, &piece)?;
        self.pending = Some(piece);
        Ok(())
    }

    /// Notes that the pending piece was taken.
    ///
    /// # Errors
    /// [`BackupError`]; then it is pending still.
    pub fn taken(&mut self) -> Result<(), BackupError> {
        let Some(end) = self.pending.as_ref().map(Piece::end) else { return Ok(()) };
        let text = serde_json::to_vec(&end).unwrap_or_default();
        piece_file::replace(&self.path, SHIPPED, &text)?;
        self.end = Some(end);
        self.pending = None;
        Ok(())
    }
}
