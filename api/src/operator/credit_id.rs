//! The id of a credit, with which it is executed at most once.

use std::fmt;
use std::str::FromStr;

use domain::Nonce;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The longest id, in bytes; that of an outpoint is shorter.
const LENGTH_MAX: usize = 128;

/// The text is not the id of a credit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected 1 to {LENGTH_MAX} visible ASCII characters, such as the transaction that brought the money")]
pub struct CreditIdError;

/// The id that the operator gives a credit. A second credit with the same id is refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CreditId(String);

impl CreditId {
    /// The time for which an id is remembered: a year, after which a repetition is not to be expected.
    pub const RETENTION_MS: u64 = 366 * 24 * 60 * 60 * 1_000;

    /// Generates a unique id.
    #[must_use]
    pub fn random() -> Self {
        Self(format!("{:032x}", rand::random::<u128>()))
    }

    /// Returns the nonce that is consumed with the credit. Nonces of signed messages are random, so none of them
    /// collides with it.
    #[must_use]
    pub fn nonce(&self) -> Nonce {
        let bytes = blake3::derive_key("lienbook 2026 vault credit", self.0.as_bytes());
        Nonce(bytes.iter().take(size_of::<u128>()).fold(0, |number, byte| number << 8 | u128::from(*byte)))
    }
}

impl fmt::Display for CreditId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for CreditId {
    type Err = CreditIdError;

    fn from_str(text: &str) -> Result<Self, CreditIdError> {
        text.to_owned().try_into()
    }
}

impl TryFrom<String> for CreditId {
    type Error = CreditIdError;

    fn try_from(text: String) -> Result<Self, CreditIdError> {
        let is_sound = (1..=LENGTH_MAX).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        if is_sound { Ok(Self(text)) } else { Err(CreditIdError) }
    }
}

impl From<CreditId> for String {
    fn from(id: CreditId) -> Self {
        id.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_visible_and_has_a_nonce_of_its_own() {
        let output: CreditId = format!("{}:0", "ab".repeat(32)).parse().unwrap();
        assert_eq!(output.nonce(), output.clone().nonce());
        assert_ne!(output.nonce(), CreditId::random().nonce());
        assert_ne!(CreditId::random(), CreditId::random());
        for text in ["", " ", "a b", "a\n", "\u{e9}", &"a".repeat(129)] {
            assert_eq!(text.parse::<CreditId>(), Err(CreditIdError), "{text:?} was accepted");
        }
    }
}
