//! The leaves of an index.

use smallvec::SmallVec;

use super::{Key, NONE, at, position};

/// The number of keys at which a leaf is split.
pub(super) const LEAF_KEYS_MAX: usize = 56;

/// An unsorted set of keys. Tags, length and link share the first cache line.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
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

    fn of(keys: &[Key], next: u32) -> Self {
        let mut leaf = Self::empty();
        leaf.next = next;
        for key in keys {
            leaf.push(*key);
        }
        leaf
    }

    /// Moves the greater half of a full leaf into a new one, which will be at index `right`; returns it with its least
    /// key.
    pub(super) fn split_off(&mut self, right: u32) -> (Self, Key) {
        let middle = LEAF_KEYS_MAX / 2;
        // Only the halves must be separated; neither has to be sorted.
        let (_, bound, moved) = self.keys.select_nth_unstable(middle);
        let bound = *bound;
        let mut other = Self::of(moved, self.next);
        other.push(bound);
        for (tag, key) in self.tags.iter_mut().zip(&self.keys[..middle]) {
            *tag = key.tag();
        }
        self.length = position(middle);
        self.next = right;
        (other, bound)
    }

    /// Two neighbours, the second at `right_index`, with half of their keys each, and the least key of the second.
    pub(super) fn rebalanced(left: &Self, right: &Self, right_index: u32) -> (Self, Self, Key) {
        let mut keys: SmallVec<[Key; 2 * LEAF_KEYS_MAX]> = SmallVec::from_slice(left.keys());
        keys.extend_from_slice(right.keys());
        let middle = keys.len() / 2;
        let bound = *keys.select_nth_unstable(middle).1;
        (Self::of(&keys[..middle], right_index), Self::of(&keys[middle..], right.next), bound)
    }

    pub(super) fn keys(&self) -> &[Key] {
        &self.keys[..at(self.length)]
    }

    pub(super) fn push(&mut self, key: Key) {
        let index = at(self.length);
        self.tags[index] = key.tag();
        self.keys[index] = key;
        self.length += 1;
    }

    /// Removes a key by moving the last one into its position; returns whether it was found.
    pub(super) fn remove(&mut self, key: Key) -> bool {
        let length = at(self.length);
        let mut candidates = memchr::memchr_iter(key.tag(), &self.tags[..length]);
        let Some(index) = candidates.find(|index| self.keys[*index] == key) else { return false };
        self.keys[index] = self.keys[length - 1];
        self.tags[index] = self.tags[length - 1];
        self.length -= 1;
        true
    }

    pub(super) fn sorted(&self) -> Vec<Key> {
        let mut keys = self.keys().to_vec();
        keys.sort_unstable();
        keys
    }
}
