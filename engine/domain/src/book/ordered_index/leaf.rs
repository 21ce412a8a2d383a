//! The leaves of an index.

use super::{Key, NONE, at};

/// How many keys a leaf holds when it is split.
pub(super) const LEAF_KEYS_MAX: usize = 56;

/// A bag of keys. Tags, length and link share one cache line.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    /// The lowest byte of each key's id.
    pub(super) tags: [u8; LEAF_KEYS_MAX],
    pub(super) length: u32,
    pub(super) next: u32,
    pub(super) keys: [Key; LEAF_KEYS_MAX],
}

impl Leaf {
    pub(super) const fn empty() -> Self {
        Self { tags: [0; LEAF_KEYS_MAX], length: 0, next: NONE, keys: [Key::PAD; LEAF_KEYS_MAX] }
    }

    pub(super) fn of(keys: &[Key], next: u32) -> Self {
        let mut leaf = Self::empty();
        leaf.next = next;
        for key in keys {
            leaf.push(*key);
        }
        leaf
    }

    pub(super) fn keys(&self) -> &[Key] {
        &self.keys[..at(self.length)]
    }

    pub(super) fn push(&mut self, key: Key) {
        let place = at(self.length);
        self.tags[place] = key.tag();
        self.keys[place] = key;
        self.length += 1;
    }

    /// Removes a key by putting the last one into its place; tells whether it was there.
    pub(super) fn remove(&mut self, key: Key) -> bool {
        let length = at(self.length);
        let mut candidates = memchr::memchr_iter(key.tag(), &self.tags[..length]);
        let Some(place) = candidates.find(|place| self.keys[*place] == key) else { return false };
        self.keys[place] = self.keys[length - 1];
        self.tags[place] = self.tags[length - 1];
        self.length -= 1;
        true
    }

    pub(super) fn sorted(&self) -> Vec<Key> {
        let mut keys = self.keys().to_vec();
        keys.sort_unstable();
        keys
    }
}
