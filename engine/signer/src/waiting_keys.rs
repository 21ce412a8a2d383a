//! The repay keys between the two rounds in which the signers of a shared vault prepare a loan.

use std::collections::BTreeMap;

use bitcoin::XOnlyPublicKey;

use crate::ephemeral_key::EphemeralKey;
use crate::key_source::KeySource;

/// The time for which a key is kept, in milliseconds.
const KEPT_MS: u64 = 60_000;

/// The maximum number of kept keys; beyond it the oldest is destroyed.
const KEYS_MAX: usize = 1_024;

/// Keys that were made and have signed nothing. They are in memory only: after a restart the loans are prepared again.
#[derive(Default)]
pub(crate) struct WaitingKeys {
    /// The keys, each with the loan that it was made for and the time, in Unix milliseconds.
    keys: BTreeMap<XOnlyPublicKey, (EphemeralKey, u128, u64)>,
}

impl WaitingKeys {
    /// Makes a key for this loan.
    pub(crate) fn make(&mut self, source: &mut KeySource, loan_id: u128, now_ms: u64) -> XOnlyPublicKey {
        self.keys.retain(|_, (_, _, made_ms)| now_ms.saturating_sub(*made_ms) < KEPT_MS);
        if self.keys.len() >= KEYS_MAX {
            let oldest = self.keys.iter().min_by_key(|(_, (_, _, made_ms))| *made_ms).map(|(key, _)| *key);
            oldest.and_then(|oldest| self.keys.remove(&oldest));
        }
        let made = EphemeralKey::generate(source);
        let key = made.public_key();
        self.keys.insert(key, (made, loan_id, now_ms));
        key
    }

    /// Takes the key of this loan, which is used once.
    pub(crate) fn take(&mut self, key: XOnlyPublicKey, loan_id: u128, now_ms: u64) -> Option<EphemeralKey> {
        let (made, made_for, made_ms) = self.keys.remove(&key)?;
        (made_for == loan_id && now_ms.saturating_sub(made_ms) < KEPT_MS).then_some(made)
    }
}

impl std::fmt::Debug for WaitingKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WaitingKeys").field("count", &self.keys.len()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_taken_once_for_its_loan_and_within_its_time() {
        let mut waiting = WaitingKeys::default();
        let key = waiting.make(&mut KeySource::default(), 7, 1_000);
        assert_eq!(waiting.take(key, 7, 60_999).map(|made| made.public_key()), Some(key));
        assert!(waiting.take(key, 7, 1_000).is_none());
        let [late, foreign] = [(); 2].map(|()| waiting.make(&mut KeySource::default(), 7, 1_000));
        assert!(waiting.take(late, 7, 61_000).is_none() && waiting.take(foreign, 8, 1_000).is_none());
        assert!(waiting.keys.is_empty());
    }

    #[test]
    fn the_number_of_kept_keys_is_bounded() {
        let mut waiting = WaitingKeys::default();
        let first = waiting.make(&mut KeySource::default(), 7, 1_000);
        for _ in 0..KEYS_MAX {
            waiting.make(&mut KeySource::default(), 7, 1_001);
        }
        assert_eq!(waiting.keys.len(), KEYS_MAX);
        assert!(waiting.take(first, 7, 1_001).is_none());
        waiting.make(&mut KeySource::default(), 7, 61_001);
        assert_eq!(waiting.keys.len(), 1);
    }
}
