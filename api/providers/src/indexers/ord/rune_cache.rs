//! A cache of runes that were etched too deep for any reorg to change their ids.

use std::collections::BTreeMap;
use std::sync::Mutex;

use engine::asset_index::RuneEntry;
use engine::locks::MutexExt as _;
use ordinals::Rune;

/// The number of blocks after an etching beyond which no reorg is expected.
const DEPTH: u64 = 100;
/// The maximum number of cached runes.
const RUNES_MAX: usize = 10_000;

/// The cache of final runes.
#[derive(Debug, Default)]
pub(super) struct RuneCache {
    entries: Mutex<BTreeMap<Rune, RuneEntry>>,
}

impl RuneCache {
    /// Returns the cached entry of a rune.
    pub(super) fn get(&self, rune: Rune) -> Option<RuneEntry> {
        self.entries.lock_unpoisoned().get(&rune).cloned()
    }

    /// Caches a rune, if its etching is deep enough at this height.
    pub(super) fn insert_if_final(&self, entry: &RuneEntry, height: u32) {
        if entry.id.block.saturating_add(DEPTH) > u64::from(height) {
            return;
        }
        let mut entries = self.entries.lock_unpoisoned();
        if entries.len() >= RUNES_MAX {
            entries.clear();
        }
        entries.insert(entry.name.rune, entry.clone());
    }
}

#[cfg(test)]
mod tests {
    use ordinals::{RuneId, SpacedRune};

    use super::*;

    #[test]
    fn a_rune_is_cached_once_no_reorg_can_change_it() {
        let name = SpacedRune { rune: Rune(7), spacers: 0 };
        let entry = RuneEntry { id: RuneId { block: 50, tx: 1 }, name, divisibility: 2 };
        let runes = RuneCache::default();
        runes.insert_if_final(&entry, 149);
        assert_eq!(runes.get(Rune(7)), None);
        runes.insert_if_final(&entry, 150);
        assert_eq!(runes.get(Rune(7)), Some(entry));
        assert_eq!(runes.get(Rune(8)), None);
    }

    #[test]
    fn the_cache_is_bounded() {
        let runes = RuneCache::default();
        for number in 0..=10_000_u128 {
            let name = SpacedRune { rune: Rune(number), spacers: 0 };
            runes.insert_if_final(&RuneEntry { id: RuneId { block: 1, tx: 1 }, name, divisibility: 0 }, 200);
        }
        assert_eq!(runes.entries.lock().unwrap().len(), 1);
    }
}
