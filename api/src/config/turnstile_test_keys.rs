//! A test double of the provider, which knows Cloudflare's published test keys, for the demo and for regtest.
//!
//! The test site keys work on every page and return a dummy token; the test secrets give a fixed answer for every
//! token.

use providers::TurnstileError;

/// The secret that accepts every token.
pub const PASSES: &str = "1x0000000000000000000000000000000AA";
/// The secret that refuses every token.
pub const FAILS: &str = "2x0000000000000000000000000000000AA";
/// The secret that reports every token as used before.
pub const SPENT: &str = "3x0000000000000000000000000000000AA";
/// The site key whose visible challenge always succeeds.
pub const SITE_KEY: &str = "1x00000000000000000000AA";

/// The answer of each test secret.
pub const SECRETS: [(&str, TestKey); 3] = [(PASSES, TestKey::Passes), (FAILS, TestKey::Fails), (SPENT, TestKey::Spent)];

/// The test site keys with the matching secrets: always passes, always blocks, both again invisible, and one that
/// forces an interactive challenge.
pub const SITE_KEYS: [(&str, &str); 5] = [
    (SITE_KEY, PASSES),
    ("2x00000000000000000000AB", FAILS),
    ("1x00000000000000000000BB", PASSES),
    ("2x00000000000000000000BB", FAILS),
    ("3x00000000000000000000FF", PASSES),
];

/// The answer for every token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestKey {
    /// The token is valid.
    Passes,
    /// The token is not valid.
    Fails,
    /// The token was used before.
    Spent,
}

impl TestKey {
    /// Returns the answer of a test secret; `None` for a real secret.
    #[must_use]
    pub fn of_secret(secret: &str) -> Option<Self> {
        SECRETS.iter().find(|(known, _)| *known == secret).map(|(_, test_key)| *test_key)
    }

    /// Returns the secret of a test site key; `None` for a real one.
    #[must_use]
    pub fn secret_of(site_key: &str) -> Option<&'static str> {
        SITE_KEYS.iter().find(|(known, _)| *known == site_key).map(|(_, secret)| *secret)
    }

    /// Returns the answer that the provider would give.
    pub(crate) fn verify(self) -> Result<(), TurnstileError> {
        match self {
            Self::Passes => Ok(()),
            Self::Fails => Err(TurnstileError::InvalidToken("invalid-input-response".to_owned())),
            Self::Spent => Err(TurnstileError::TimeoutOrDuplicate),
        }
    }
}
