//! A place in a journal, and the digest that proves its state there.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::block::Digest;

/// The digest of the ends of all streams of a journal. Its text form has 32 hexadecimal digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StateDigest(pub(crate) Digest);

/// A commit, and the state of the journal after it. Position 0 is the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalPoint {
    /// The position of the commit.
    pub position: u64,
    /// The digest of all streams' ends after it.
    pub digest: StateDigest,
}

impl fmt::Display for StateDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hexadecimal(&self.0, f)
    }
}

impl FromStr for StateDigest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        from_hexadecimal(text).map(Self)
    }
}

impl Serialize for StateDigest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for StateDigest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Writes bytes as hexadecimal digits.
pub(crate) fn hexadecimal(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}

/// Parses exactly `N` bytes of lower-case hexadecimal digits.
pub(crate) fn from_hexadecimal<const N: usize>(text: &str) -> Result<[u8; N], String> {
    let refused = || format!("expected {} hexadecimal digits", 2 * N);
    let is_hexadecimal = |byte: &u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(byte);
    if text.len() != 2 * N || !text.as_bytes().iter().all(is_hexadecimal) {
        return Err(refused());
    }
    let mut bytes = [0; N];
    for (at, byte) in bytes.iter_mut().enumerate() {
        let digits = text.get(2 * at..2 * at + 2).ok_or_else(refused)?;
        *byte = u8::from_str_radix(digits, 16).map_err(|_| refused())?;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_round_trips_through_its_text() {
        let digest = StateDigest([0xa5; 16]);
        assert_eq!(digest.to_string(), "a5".repeat(16));
        assert_eq!(digest.to_string().parse(), Ok(digest));
        for text in ["", "a5", &"A5".repeat(16), &"a5".repeat(17), &"é".repeat(16), &"+5".repeat(16)] {
            assert!(text.parse::<StateDigest>().is_err(), "{text}");
        }
    }
}
