//! The errors of opening a journal.

use std::{io, path::PathBuf};

use thiserror::Error;

use crate::{damage::Damage, database_error::DatabaseError};

/// The reason why a journal cannot be opened. Each displays as one line with the recommended action.
#[derive(Debug, Error)]
pub enum OpenError {
    /// Another process, or another journal in this process, has locked the folder.
    #[error("another lienbook is running on {}; stop it or choose another data folder", path.display())]
    Locked {
        /// The data folder.
        path: PathBuf,
    },
    /// The folder cannot be created or written to.
    #[error("cannot write to the data folder {}: {source}", path.display())]
    NotWritable {
        /// The data folder.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A stream is damaged; nothing was changed, and the damaged records were copied to quarantine.
    #[error(transparent)]
    Damaged(#[from] Damage),
    /// A newer version of this program has written to the journal.
    #[error("the journal in {} cannot be read by this version of lienbook: {problem}; start the newer version", path.display())]
    NewerVersion {
        /// The data folder.
        path: PathBuf,
        /// The part that is newer.
        problem: String,
    },
    /// The journal is consistent, but has lost acknowledged commits.
    #[error(
        "commit {acknowledged} was acknowledged, but the journal in {} ends with commit {found}: its last records are lost; \
         restore the journal from an export with `lienbook restore`, or, if the folder was put back from an older copy on \
         purpose, delete {}",
        path.display(), marker.display()
    )]
    AcknowledgedLost {
        /// The data folder.
        path: PathBuf,
        /// The acknowledgement marker, which names the later commit.
        marker: PathBuf,
        /// The last acknowledged commit.
        acknowledged: u64,
        /// The last commit that was found.
        found: u64,
    },
    /// At least one stream has lost its end.
    #[error(
        "the streams in {} do not end where commit {commit} says they do; `lienbook check` names them; restore the journal \
         from an export with `lienbook restore`",
        path.display()
    )]
    StreamsTruncated {
        /// The data folder.
        path: PathBuf,
        /// The last commit that was found.
        commit: u64,
    },
    /// The folder already has a journal.
    #[error("{} has a journal already; restore into a folder without one", path.display())]
    NotEmpty {
        /// The data folder.
        path: PathBuf,
    },
    /// The folder has no journal.
    #[error("{} has no journal", path.display())]
    Absent {
        /// The data folder.
        path: PathBuf,
    },
    /// sled's own files are damaged.
    #[error(
        "the files of the journal in {} are damaged: {reason}; restore the journal from an export with `lienbook restore`",
        path.display()
    )]
    StorageDamaged {
        /// The data folder.
        path: PathBuf,
        /// sled's error.
        reason: String,
    },
    /// The journal's database cannot be used.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The storage failed.
    #[error("cannot open the journal in {}: {reason}", path.display())]
    Storage {
        /// The data folder.
        path: PathBuf,
        /// The storage error.
        reason: String,
    },
}
