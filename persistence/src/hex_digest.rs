//! A digest whose text form is hexadecimal.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A digest of `N` bytes. Its text form has 2 `N` lower-case hexadecimal digits. Zeros stand for the digest of nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HexDigest<const N: usize>(pub(crate) [u8; N]);

impl<const N: usize> Default for HexDigest<N> {
    fn default() -> Self {
        Self([0; N])
    }
}

impl<const N: usize> fmt::Display for HexDigest<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl<const N: usize> FromStr for HexDigest<N> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
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
        Ok(Self(bytes))
    }
}

impl<const N: usize> Serialize for HexDigest<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de, const N: usize> Deserialize<'de> for HexDigest<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_round_trips_through_its_text() {
        let digest = HexDigest([0xa5; 16]);
        assert_eq!(digest.to_string(), "a5".repeat(16));
        assert_eq!(digest.to_string().parse(), Ok(digest));
        for text in ["", "a5", &"A5".repeat(16), &"a5".repeat(17), &"é".repeat(16), &"+5".repeat(16)] {
            assert!(text.parse::<HexDigest<16>>().is_err(), "{text}");
        }
    }
}
