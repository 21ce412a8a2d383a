//! The errors of backups.

use std::{
    io,
    path::{Path, PathBuf},
};

use engine::journal::ReplayError;
use thiserror::Error;

use crate::journal_point::StateDigest;

/// The reason why a backup cannot be written or read. Each displays as one line with the recommended action.
#[derive(Debug, Error)]
pub enum BackupError {
    /// A file or folder cannot be used.
    #[error("cannot {doing} {}: {source}", path.display())]
    Io {
        /// The action, as in "read".
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// Another process writes to the folder.
    #[error("another backup writes to {}; stop it or choose another folder", path.display())]
    Locked {
        /// The folder.
        path: PathBuf,
    },
    /// A file has the suffix of pieces, and no name of one.
    #[error("{} is not the name of a piece: move it away, or choose another folder", path.display())]
    Name {
        /// The file.
        path: PathBuf,
    },
    /// Commits are missing between two pieces, or before the first.
    #[error(
        "{piece} begins with commit {found}, and commit {expected} is the next: pieces are missing; put them back, or \
             begin a new backup in another folder"
    )]
    Gap {
        /// The piece after the gap.
        piece: String,
        /// The commit that should follow.
        expected: u64,
        /// The commit that does.
        found: u64,
    },
    /// Two pieces have the same commits.
    #[error(
        "{piece} begins with commit {found}, which an earlier piece has: two backups wrote here; begin a new one in \
             another folder"
    )]
    Overlap {
        /// The later piece.
        piece: String,
        /// Its first commit.
        found: u64,
    },
    /// A piece is not as it was written.
    #[error("{piece} is damaged: {reason}; put back a sound copy of it, or begin a new backup in another folder")]
    Damaged {
        /// The piece.
        piece: String,
        /// The fault.
        reason: String,
    },
    /// A newer version of this program has written the piece, or the events in it.
    #[error("{piece} cannot be read by this version of lienbook, {}: {reason}; use the newer version", env!("CARGO_PKG_VERSION"))]
    Newer {
        /// The piece.
        piece: String,
        /// The part that is newer.
        reason: String,
    },
    /// A piece is of another journal than those before it.
    #[error("{piece} is of journal {found}, and those before it are of journal {expected}: two backups are mixed")]
    ForeignPiece {
        /// The piece.
        piece: String,
        /// The journal of the pieces before.
        expected: StateDigest,
        /// The journal of this piece.
        found: StateDigest,
    },
    /// The backup is of another journal.
    #[error("the backup is of journal {backup}, and this is journal {journal}: choose another folder")]
    ForeignJournal {
        /// The journal of the backup.
        backup: StateDigest,
        /// The journal that was to be added.
        journal: StateDigest,
    },
    /// The journal ends before the backup does.
    #[error(
        "the backup has commit {backup}, and the journal ends with commit {journal}: it was restored to an earlier \
             moment, or is an older copy; begin a new backup in another folder"
    )]
    JournalBehind {
        /// The last commit of the backup.
        backup: u64,
        /// The last commit of the journal.
        journal: u64,
    },
    /// The journal has another state than the backup at the same commit.
    #[error(
        "the journal and the backup differ at commit {position} (digests {journal} and {backup}): the journal was \
             restored to an earlier moment and has gone on; begin a new backup in another folder"
    )]
    OtherHistory {
        /// The last commit of the backup.
        position: u64,
        /// The digest of the journal there.
        journal: StateDigest,
        /// The digest of the backup there.
        backup: StateDigest,
    },
    /// The journal cannot be read.
    #[error(transparent)]
    Journal(#[from] ReplayError),
    /// A commit that was received for a piece is not sound.
    #[error("commit {position} cannot be added to the backup: {reason}")]
    Commit {
        /// The commit that was expected.
        position: u64,
        /// The fault.
        reason: String,
    },
    /// A commit, or a piece, is larger than any piece may be.
    #[error("commit {position} has too many bytes for a piece")]
    TooLarge {
        /// The commit.
        position: u64,
    },
    /// There is no piece.
    #[error("{} has no pieces of a backup", path.display())]
    Empty {
        /// The folder, or the name of the stream.
        path: PathBuf,
    },
    /// The backup does not reach the position.
    #[error("the backup ends with commit {end}, before commit {wanted}")]
    EndsBefore {
        /// The last commit of the backup.
        end: u64,
        /// The commit that was asked for.
        wanted: u64,
    },
    /// Nothing was committed up to the moment.
    #[error("the first commit of the backup is later than that moment")]
    BeginsLater,
}

impl BackupError {
    /// Returns the conversion of an error of the operating system.
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { doing, path: path.to_owned(), source }
    }

    /// Whether the same attempt can succeed later, without anything being repaired.
    #[must_use]
    pub const fn is_transient(&self) -> bool {
        matches!(self, Self::Io { .. } | Self::Journal(ReplayError::Storage(_)))
    }
}
