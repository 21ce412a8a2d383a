//! A map that remembers what each block changed, so that blocks can be taken back.

use std::collections::BTreeMap;
use std::collections::btree_map::{Iter, Range};

/// A map whose changes belong to chapters, one a block; the last chapter can be undone.
#[derive(Clone, Debug)]
pub(crate) struct ReversibleMap<K, V> {
    now: BTreeMap<K, V>,
    /// What stood at the changed keys before, oldest change first, chapter by chapter.
    chapters: Vec<Vec<(K, Option<V>)>>,
}

impl<K, V> Default for ReversibleMap<K, V> {
    fn default() -> Self {
        Self { now: BTreeMap::new(), chapters: Vec::new() }
    }
}

/// Two maps are equal when they hold the same, however they came to it.
impl<K: PartialEq, V: PartialEq> PartialEq for ReversibleMap<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.now == other.now
    }
}

impl<K: Ord + Clone, V: Clone> ReversibleMap<K, V> {
    /// Begins a chapter: what changes from here on can be undone together.
    pub(crate) fn begin(&mut self) {
        self.chapters.push(Vec::new());
    }

    /// Takes the last chapter back; without one nothing happens.
    pub(crate) fn undo(&mut self) {
        for (key, before) in self.chapters.pop().into_iter().flatten().rev() {
            match before {
                Some(value) => self.now.insert(key, value),
                None => self.now.remove(&key),
            };
        }
    }

    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        self.now.get(key)
    }

    pub(crate) fn insert(&mut self, key: K, value: V) {
        let before = self.now.insert(key.clone(), value);
        self.remember(key, before);
    }

    pub(crate) fn remove(&mut self, key: &K) -> Option<V> {
        let before = self.now.remove(key)?;
        self.remember(key.clone(), Some(before.clone()));
        Some(before)
    }

    pub(crate) fn iter(&self) -> Iter<'_, K, V> {
        self.now.iter()
    }

    /// What stands at this key and behind it.
    pub(crate) fn from(&self, first: K) -> Range<'_, K, V> {
        self.now.range(first..)
    }

    /// What is changed before the first chapter is never undone.
    fn remember(&mut self, key: K, before: Option<V>) {
        if let Some(chapter) = self.chapters.last_mut() {
            chapter.push((key, before));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn undoing_a_chapter_restores_what_stood_before_it(
            chapters in prop::collection::vec(prop::collection::vec((0_u8..6, prop::option::of(0_u8..9)), 0..12), 1..8),
        ) {
            let mut map = ReversibleMap::default();
            let mut states = Vec::new();
            for changes in &chapters {
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
