//! The errors of a journal in a database.

use thiserror::Error;

/// The reason why the journal's database cannot be used. Each displays as one line, with the recommended action where
/// there is one; none contains a password.
#[derive(Debug, Error)]
pub enum DatabaseError {
    /// The address is not one of a database.
    #[error("the address of the journal's database cannot be used: {0}")]
    Address(String),
    /// No host of the address accepts connections that can write.
    #[error("cannot connect to the journal's database {address}: {reason}")]
    Unreachable {
        /// The address, without its password.
        address: String,
        /// The error of each host.
        reason: String,
    },
    /// The server could lose an acknowledged commit.
    #[error("the journal's database {address} could lose acknowledged commits: {reason}")]
    Unsafe {
        /// The address, without its password.
        address: String,
        /// The setting and its remedy.
        reason: String,
    },
    /// A newer version of this program has made the tables.
    #[error(
        "the journal's tables in {address} are of version {found}, and this version of lienbook knows up to {known}; start \
         the newer version"
    )]
    NewerSchema {
        /// The address, without its password.
        address: String,
        /// The version of the tables.
        found: i64,
        /// The newest version that this program knows.
        known: i64,
    },
    /// A newer version of this program has written to the journal.
    #[error("the journal in {address} cannot be read by this version of lienbook: {problem}; start the newer version")]
    NewerVersion {
        /// The address, without its password.
        address: String,
        /// The part that is newer.
        problem: String,
    },
    /// The blocks do not end where the row of the writer says they do.
    #[error(
        "commit {recorded} was recorded, but the journal in {address} ends with commit {found}; `lienbook check` names what \
         is missing; restore the journal from an export with `lienbook restore`"
    )]
    EndsElsewhere {
        /// The address, without its password.
        address: String,
        /// The last commit according to the row of the writer.
        recorded: u64,
        /// The last commit that was found.
        found: u64,
    },
    /// At least one stream has lost its end.
    #[error(
        "the streams in {address} do not end where commit {commit} says they do; `lienbook check` names them; restore the \
         journal from an export with `lienbook restore`"
    )]
    StreamsTruncated {
        /// The address, without its password.
        address: String,
        /// The last commit that was found.
        commit: u64,
    },
    /// The database already has a journal.
    #[error("{address} has a journal already; restore into a database or schema without one")]
    NotEmpty {
        /// The address, without its password.
        address: String,
    },
    /// The database has no journal.
    #[error("{address} has no journal")]
    Absent {
        /// The address, without its password.
        address: String,
    },
    /// A statement failed.
    #[error("cannot use the journal's database {address}: {reason}")]
    Failed {
        /// The address, without its password.
        address: String,
        /// The error of the server or of the connection.
        reason: String,
    },
}
