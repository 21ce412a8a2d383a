//! The header of a piece, in JSON.

use std::{fmt, str::FromStr};

use domain::UnixMs;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::journal_point::{StateDigest, from_hexadecimal, hexadecimal};

/// The name that every header begins with.
pub(super) const FORMAT: &str = "lienbook-backup";
/// The version of the layout of pieces.
pub(super) const FORMAT_VERSION: u8 = 1;

/// The digest of a piece. Its text form has 64 hexadecimal digits. Zeros before the first piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PieceDigest(pub(super) [u8; 32]);

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

impl fmt::Display for PieceDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hexadecimal(&self.0, f)
    }
}

impl FromStr for PieceDigest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        from_hexadecimal(text).map(Self)
    }
}

impl Serialize for PieceDigest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PieceDigest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}
