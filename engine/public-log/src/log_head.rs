//! The head of a log: the number of its lines, and the hash that commits to all of them.

use std::fmt;
use std::str::FromStr;

use bitcoin::hashes::{Hash as _, HashEngine as _, sha256};
use serde::{Deserialize, Serialize};

/// The hash of a log's head.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct HeadHash([u8; 32]);

impl HeadHash {
    /// Returns the hash with these bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns its bytes.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 32] {
        self.0
    }

    /// Returns the hash of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(sha256::Hash::hash(bytes).to_byte_array())
    }
}

/// 64 hexadecimal digits.
impl fmt::Display for HeadHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for HeadHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for HeadHash {
    type Err = hex::FromHexError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(text, &mut bytes)?;
        Ok(Self(bytes))
    }
}

impl TryFrom<String> for HeadHash {
    type Error = hex::FromHexError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<HeadHash> for String {
    fn from(hash: HeadHash) -> Self {
        hash.to_string()
    }
}

/// The head of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogHead {
    /// The sequence of the last event in the book's stream; 0 when the log has only its first line.
    pub sequence: u64,
    /// The hash that commits to all lines so far.
    pub hash: HeadHash,
}

impl LogHead {
    /// Returns the head of a log that has only its first line.
    #[must_use]
    pub fn genesis(line: &[u8]) -> Self {
        Self { sequence: 0, hash: HeadHash::of(line) }
    }

    /// Returns the head after one more line.
    #[must_use]
    pub fn after(self, line: &[u8]) -> Self {
        let mut engine = sha256::Hash::engine();
        let mut digits = [0; 64];
        // A buffer of twice the length always has room.
        let _ = hex::encode_to_slice(self.hash.0, &mut digits);
        engine.input(&digits);
        engine.input(line);
        Self {
            sequence: self.sequence.saturating_add(1),
            hash: HeadHash(sha256::Hash::from_engine(engine).to_byte_array()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_can_be_followed_with_sha256sum() {
        // printf '%s' '{"group":1}' | sha256sum
        let genesis = LogHead::genesis(b"{\"group\":1}");
        assert_eq!(genesis.hash.to_string(), "246b1eba5d86e22e490894b9b51b44e76a65da27734ff6ad0ae867fdcabe6e7f");
        // printf '%s%s' "$genesis" '{"sequence":1}' | sha256sum
        let head = genesis.after(b"{\"sequence\":1}");
        let hash = "e44cb1116ed859e3f8b80dda2e2adfdf5526a85ceb3bc3493f0320ff326002a0";
        assert_eq!((head.sequence, head.hash.to_string().as_str()), (1, hash));
    }

    #[test]
    fn a_head_has_one_spelling() {
        let hash = HeadHash::of(b"line");
        assert_eq!(hash.to_string().parse(), Ok(hash));
        assert!("ab".parse::<HeadHash>().is_err() && "zz".repeat(32).parse::<HeadHash>().is_err());
    }
}
