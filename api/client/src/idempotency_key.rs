//! Idempotency keys.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The longest key that servers accept.
const LENGTH_MAX: usize = 64;

/// A text that cannot be a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("an idempotency key has 1 to 64 visible ASCII characters")]
pub struct InvalidIdempotencyKey;

/// The key of a write, with which sending it again takes effect once. Servers remember the latest 64 keys of a user for
/// 24 hours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// Returns a random key, for a new write.
    #[must_use]
    pub fn random() -> Self {
        Self(format!("{:032x}", rand::random::<u128>()))
    }

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for IdempotencyKey {
    type Err = InvalidIdempotencyKey;

    fn from_str(text: &str) -> Result<Self, InvalidIdempotencyKey> {
        let is_valid = (1..=LENGTH_MAX).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        if is_valid { Ok(Self(text.to_owned())) } else { Err(InvalidIdempotencyKey) }
    }
}

impl fmt::Display for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_visible_ascii_and_random_ones_differ() {
        assert_ne!(IdempotencyKey::random(), IdempotencyKey::random());
        assert_eq!(IdempotencyKey::random().as_str().parse::<IdempotencyKey>().map(|key| key.as_str().len()), Ok(32));
        for wrong in ["", "a b", "a\n", &"x".repeat(65)] {
            assert_eq!(wrong.parse::<IdempotencyKey>(), Err(InvalidIdempotencyKey), "{wrong:?}");
        }
    }
}
