//! The header of a piece, in JSON.

use domain::UnixMs;
use serde::{Deserialize, Serialize};

use crate::{hex_digest::HexDigest, journal_point::StateDigest};

/// The name that every header begins with.
pub(super) const FORMAT: &str = "lienbook-backup";
/// The version of the layout of pieces.
pub(super) const FORMAT_VERSION: u8 = 1;

/// The digest of a piece: blake3. Zeros before the first piece.
pub type PieceDigest = HexDigest<32>;

/// The description of a piece.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PieceHeader {
    pub(super) format: String,
    pub(super) version: u8,
    /// The identity of the journal: the digest of its first commit.
    pub journal: StateDigest,
    /// The first commit.
    pub first: u64,
    /// The last commit.
    pub last: u64,
    /// The time of the first commit: the latest of its events.
    pub first_at: UnixMs,
    /// The time of the last commit.
    pub last_at: UnixMs,
    /// The state of the journal before the first commit.
    pub before: StateDigest,
    /// The state of the journal after the last commit.
    pub after: StateDigest,
    /// The digest of the piece before this one.
    pub previous: PieceDigest,
    /// The number of events.
    pub events: u64,
    /// The number of blocks.
    pub blocks: u64,
    /// The bytes of the blocks.
    pub bytes: u64,
    /// The bytes of the compressed blocks.
    pub packed: u64,
}
