//! A provider in this process that knows Cloudflare's published test keys, for the demo and for regtest.
//!
//! Their site keys work on every page and give a dummy token; their secrets always answer the same, whatever the token.

use providers::TurnstileError;

/// The secret that takes every token.
pub const PASSES: &str = "1x0000000000000000000000000000000AA";
/// The secret that takes no token.
pub const FAILS: &str = "2x0000000000000000000000000000000AA";
/// The secret that says of every token that it was used before.
pub const SPENT: &str = "3x0000000000000000000000000000000AA";
/// The site key whose challenge always succeeds, in sight.
pub const SITE_KEY: &str = "1x00000000000000000000AA";

/// What each test secret answers.
pub const SECRETS: [(&str, StandIn); 3] = [(PASSES, StandIn::Passes), (FAILS, StandIn::Fails), (SPENT, StandIn::Spent)];

/// The test site keys with the secret that fits each: always passes, always blocks, both again out of sight, and one
/// that wants an answer by hand.
pub const SITE_KEYS: [(&str, &str); 5] = [
    (SITE_KEY, PASSES),
    ("2x00000000000000000000AB", FAILS),
    ("1x00000000000000000000BB", PASSES),
    ("2x00000000000000000000BB", FAILS),
    ("3x00000000000000000000FF", PASSES),
];

/// What is said of every token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StandIn {
    /// It is good.
    Passes,
    /// It is not.
    Fails,
    /// It was used before.
    Spent,
}

impl StandIn {
    /// The one that a test secret stands for; `None` for a real secret.
    #[must_use]
    pub fn of_secret(secret: &str) -> Option<Self> {
        SECRETS.iter().find(|(known, _)| *known == secret).map(|(_, stand_in)| *stand_in)
    }

    /// The secret of a test site key; `None` for a real one.
    #[must_use]
    pub fn secret_of(site_key: &str) -> Option<&'static str> {
        SITE_KEYS.iter().find(|(known, _)| *known == site_key).map(|(_, secret)| *secret)
    }

    /// What the provider would say.
    pub(super) fn verify(self) -> Result<(), TurnstileError> {
        match self {
            Self::Passes => Ok(()),
            Self::Fails => Err(TurnstileError::NotVouched("invalid-input-response".to_owned())),
            Self::Spent => Err(TurnstileError::Spent),
        }
    }
}
