//! A place in a journal, and the digest that proves its state there.

use serde::{Deserialize, Serialize};

use crate::hex_digest::HexDigest;

/// The digest of the ends of all streams of a journal.
pub type StateDigest = HexDigest<16>;

/// A commit, and the state of the journal after it. Position 0 is the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalPoint {
    /// The position of the commit.
    pub position: u64,
    /// The digest of all streams' ends after it.
    pub digest: StateDigest,
}
