//! The secret of an API key.

use std::fmt;
use std::str::FromStr;

use secrecy::{ExposeSecret as _, SecretString};
use thiserror::Error;

/// The longest accepted secret, in bytes.
const BYTES_MAX: usize = 4_096;

/// A text that cannot be a key. It is not repeated, as it may be a secret with a typing error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the key is not 1 to 4096 visible ASCII characters")]
pub struct InvalidApiKey;

/// The secret of an API key, or the token of a session. Its debug output is redacted, its memory zeroed.
#[derive(Clone)]
pub struct ApiKey(SecretString);

impl ApiKey {
    /// The value of the header `Authorization`.
    pub(crate) fn authorization(&self) -> String {
        format!("Bearer {}", self.0.expose_secret())
    }
}

impl FromStr for ApiKey {
    type Err = InvalidApiKey;

    /// Reads a secret; white space around it is ignored, so that it can stand in a file.
    fn from_str(text: &str) -> Result<Self, InvalidApiKey> {
        let secret = text.trim();
        let is_valid = (1..=BYTES_MAX).contains(&secret.len()) && secret.bytes().all(|byte| byte.is_ascii_graphic());
        if is_valid { Ok(Self(secret.into())) } else { Err(InvalidApiKey) }
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_one_word_and_never_shown() {
        let key: ApiKey = " lbk_1_abc\n".parse().unwrap();
        assert_eq!(key.authorization(), "Bearer lbk_1_abc");
        assert_eq!(format!("{key:?}"), "ApiKey(..)");
        for wrong in ["", " ", "a b", "a\r\nx: y", "ключ"] {
            assert!(wrong.parse::<ApiKey>().is_err(), "{wrong:?}");
        }
    }
}
