//! The options of a journal on PostgreSQL.

use std::fmt;

use crate::options::{CommitLimits, FailureAction, Options};

/// The synchronous standbys that a server must wait for before it answers a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SynchronousStandbys {
    /// At least this many: an acknowledged commit survives the loss of that many servers.
    Required(u32),
    /// A single database server is accepted: an acknowledged commit is lost if that server's disk is.
    NotRequired,
}

impl SynchronousStandbys {
    /// The setting as a number of standbys, where 0 accepts a single server.
    #[must_use]
    pub const fn at_least(standbys: u32) -> Self {
        match standbys {
            0 => Self::NotRequired,
            count => Self::Required(count),
        }
    }
}

impl Default for SynchronousStandbys {
    fn default() -> Self {
        Self::Required(1)
    }
}

/// The maximum bytes of events in one block: a page of PostgreSQL, which holds one row of half a page or more, without the
/// rest of the row and the block's own header.
const BLOCK_BYTES: usize = 7_900;

/// The options to open a journal on PostgreSQL with.
#[derive(Clone)]
pub struct PostgresOptions {
    /// Limits on the size of commits and blocks.
    pub limits: CommitLimits,
    /// The standbys without which the database is refused.
    pub standbys: SynchronousStandbys,
    /// Called by the writer, with one descriptive line, when the storage fails or another writer has taken over; nothing
    /// is acknowledged afterwards.
    ///
    /// The default is that of [`Options`]: it ends the process.
    pub on_failure: FailureAction,
}

impl Default for PostgresOptions {
    fn default() -> Self {
        let Options { limits, on_failure, .. } = Options::default();
        let limits = CommitLimits { block_bytes: BLOCK_BYTES, ..limits };
        Self { limits, standbys: SynchronousStandbys::default(), on_failure }
    }
}

impl fmt::Debug for PostgresOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { limits, standbys, on_failure: _ } = self;
        f.debug_struct("PostgresOptions").field("limits", limits).field("standbys", standbys).finish_non_exhaustive()
    }
}
