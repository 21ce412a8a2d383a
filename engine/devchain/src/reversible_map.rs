//! A map that records the changes of each block, so that blocks can be disconnected.

use std::collections::BTreeMap;
use std::collections::btree_map::{Iter, Range};

/// A map with undo data: its changes are grouped by block, and those of the last block can be rolled back.
#[derive(Clone, Debug)]
pub(crate) struct ReversibleMap<K, V> {
    now: BTreeMap<K, V>,
    /// The previous values of the changed keys, oldest change first, by block.
    undo_log: Vec<Vec<(K, Option<V>)>>,
}

impl<K, V> Default for ReversibleMap<K, V> {
    fn default() -> Self {
        Self { now: BTreeMap::new(), undo_log: Vec::new() }
    }
}

/// Two maps are equal when they hold the same entries, whatever their history.
impl<K: PartialEq, V: PartialEq> PartialEq for ReversibleMap<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.now == other.now
    }
}

impl<K: Ord + Clone, V: Clone> ReversibleMap<K, V> {
    /// Begins a block: the changes from here on can be rolled back together.
    pub(crate) fn begin(&mut self) {
        self.undo_log.push(Vec::new());
    }

    /// Rolls the changes of the last block back; without one it does nothing.
    pub(crate) fn undo(&mut self) {
        for (key, before) in self.undo_log.pop().into_iter().flatten().rev() {
            match before {
                Some(value) => self.now.insert(key, value),
                None => self.now.remove(&key),
            };
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.now.len()
    }

    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        self.now.get(key)
    }

    pub(crate) fn insert(&mut self, key: K, value: V) {
        let before = self.now.insert(key.clone(), value);
        self.push_undo(key, before);
    }

    pub(crate) fn remove(&mut self, key: &K) -> Option<V> {
        let before = self.now.remove(key)?;
        self.push_undo(key.clone(), Some(before.clone()));
        Some(before)
    }

    pub(crate) fn iter(&self) -> Iter<'_, K, V> {
        self.now.iter()
    }

    /// The entries from this key on.
    pub(crate) fn from(&self, first: K) -> Range<'_, K, V> {
        self.now.range(first..)
    }

    /// Changes before the first block are never rolled back.
    fn push_undo(&mut self, key: K, before: Option<V>) {
        if let Some(undo) = self.undo_log.last_mut() {
            undo.push((key, before));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn undoing_a_block_restores_the_previous_entries(
            blocks in prop::collection::vec(prop::collection::vec((0_u8..6, prop::option::of(0_u8..9)), 0..12), 1..8),
        ) {
            let mut map = ReversibleMap::default();
            let mut states = Vec::new();
            for changes in &blocks {
                states.push(map.now.clone());
                map.begin();
                for (key, value) in changes {
                    match value {
                        Some(value) => map.insert(*key, *value),
                        None => drop(map.remove(key)),
                    }
                }
            }
            for state in states.iter().rev() {
                map.undo();
                prop_assert_eq!(&map.now, state);
            }
        }
    }
}
