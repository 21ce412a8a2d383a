//! Refresh tokens that were used a moment ago.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use domain::{Nonce, UnixMs};

/// For how long a used refresh token renews once more, in milliseconds.
///
/// Two tabs of one browser send the same cookie at the same time, and an answer can be lost on the way. Both are
/// harmless within seconds; later, a token that comes twice was copied.
const GRACE_MS: u64 = 15_000;

/// The most that are remembered; beyond it there is no grace.
const REMEMBERED_MAX: usize = 50_000;

/// The tokens renewed within the last seconds. What was renewed at all is in the journal.
#[derive(Default)]
pub struct RecentRenewals {
    at: Mutex<HashMap<Nonce, UnixMs>>,
}

impl RecentRenewals {
    /// Remembers a renewal.
    pub fn remember(&self, nonce: Nonce, now: UnixMs) {
        let mut at = self.at.lock().unwrap_or_else(PoisonError::into_inner);
        if at.len() >= REMEMBERED_MAX {
            at.retain(|_, renewed| renewed.plus_ms(GRACE_MS) > now);
        }
        if at.len() < REMEMBERED_MAX {
            at.insert(nonce, now);
        }
    }

    /// Whether the token was renewed a moment ago.
    #[must_use]
    pub fn is_recent(&self, nonce: Nonce, now: UnixMs) -> bool {
        let at = self.at.lock().unwrap_or_else(PoisonError::into_inner);
        at.get(&nonce).is_some_and(|renewed| renewed.plus_ms(GRACE_MS) > now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_renewal_is_recent_for_some_seconds() {
        let renewals = RecentRenewals::default();
        renewals.remember(Nonce(1), UnixMs(1_000));
        assert!(renewals.is_recent(Nonce(1), UnixMs(15_999)));
        assert!(!renewals.is_recent(Nonce(1), UnixMs(16_000)));
        assert!(!renewals.is_recent(Nonce(2), UnixMs(1_000)));
    }
}
