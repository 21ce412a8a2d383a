//! The errors of becoming the writer.

use thiserror::Error;

use crate::database_error::DatabaseError;

/// The reason why a journal cannot begin to write.
#[derive(Debug, Error)]
pub enum BeginError {
    /// Another writer has taken over since the epoch was claimed.
    #[error("another writer has taken over from epoch {epoch}")]
    Deposed {
        /// The epoch that was to write.
        epoch: u64,
    },
    /// Commits were appended that this journal has not read yet, or commits that it has read are not in the database.
    #[error(
        "the journal was read up to commit {read}, and the database ends with commit {found}: read its commits first"
    )]
    OtherPosition {
        /// The last commit that this journal has read.
        read: u64,
        /// The last commit in the database.
        found: u64,
    },
    /// The last commit is not the one that this journal has read: the database has lost that one and has another.
    #[error("commit {commit} in the database is not the one that was read: open the journal again")]
    OtherHistory {
        /// The last commit.
        commit: u64,
    },
    /// The journal writes already, or is closed.
    #[error("the journal has begun to write already, or is closed")]
    NotFollowing,
    /// The wait for the standby was cancelled by an operator of the database; it can be tried again.
    #[error("the wait for the synchronous standby was cancelled")]
    Cancelled,
    /// The database cannot be used.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The last commit cannot be read.
    #[error("cannot read the journal: {0}")]
    Read(String),
    /// The writer's thread cannot be started.
    #[error("cannot start the journal's writer: {0}")]
    Thread(#[from] std::io::Error),
}
