//! Which outputs of vaults borrowers were handed a moment ago.
//!
//! An output may be handed to several borrowers, and only one of their loans can take it. This keeps them apart as long
//! as there are enough; it is a courtesy and no promise, so it is not journaled.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use domain::{Outpoint, UnixMs};

/// More than this many are not remembered.
const REMEMBERED_MAX: usize = 100_000;

/// Outputs that somebody may be signing for.
#[derive(Debug, Default)]
pub struct HandedCoins(Mutex<BTreeMap<Outpoint, UnixMs>>);

impl HandedCoins {
    /// Those that were handed out and can still be signed for.
    #[must_use]
    pub fn now(&self, now: UnixMs) -> BTreeSet<Outpoint> {
        let mut until = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        until.retain(|_, until| *until > now);
        until.keys().copied().collect()
    }

    /// Remembers some until then.
    pub fn hand(&self, outputs: &[Outpoint], until: UnixMs) {
        let mut handed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for output in outputs {
            if handed.len() < REMEMBERED_MAX {
                handed.insert(*output, until);
            }
        }
    }
}
