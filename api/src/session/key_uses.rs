//! The times at which API keys were last used, as far as this process knows.

use std::collections::HashMap;
use std::sync::Mutex;

use domain::{ApiKeyId, UnixMs};
use engine::locks::MutexExt as _;

/// The largest number of keys whose last use is remembered; beyond it all are forgotten.
const KEYS_MAX: usize = 100_000;

/// The last uses of API keys, kept in memory only.
#[derive(Debug, Default)]
pub struct KeyUses(Mutex<HashMap<ApiKeyId, UnixMs>>);

impl KeyUses {
    /// Records a use.
    pub fn record(&self, key: ApiKeyId, now: UnixMs) {
        let mut uses = self.0.lock_unpoisoned();
        if uses.len() >= KEYS_MAX && !uses.contains_key(&key) {
            uses.clear();
        }
        uses.insert(key, now);
    }

    /// Returns the last use of a key; `None` if this process does not know one.
    #[must_use]
    pub fn last(&self, key: ApiKeyId) -> Option<UnixMs> {
        self.0.lock_unpoisoned().get(&key).copied()
    }
}
