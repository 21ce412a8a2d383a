//! An ordered set with ranks: a B+tree whose inner nodes count the keys below them.
//!
//! A book of a hundred thousand offers does not fit the inner caches, so the cost of an operation is the number of
//! cache lines it touches. Keys in a leaf are unsorted: an insertion touches the end of a leaf, and a removal finds its
//! key by one line of tags, where a sorted leaf would have to be searched and shifted. A read in order sorts the leaf.

mod inner;
mod key;
mod leaf;

use inner::{CHILDREN_MAX, Inner, Link};
use leaf::{LEAF_KEYS_MAX, Leaf};

use prefetch_index::prefetch_index;
use smallvec::SmallVec;

use crate::OfferId;

pub(super) use key::Key;

/// The maximum depth. Leaves and nodes are at least a quarter full, so ten levels hold at least 2 * 14 * 8^9 keys, more
/// than `u32` counts.
const LEVELS_MAX: usize = 10;
const NONE: u32 = u32::MAX;

/// The inner nodes from the root to a leaf, each with the child taken.
#[derive(Clone)]
struct Path {
    nodes: [u32; LEVELS_MAX],
    children: [u8; LEVELS_MAX],
    length: usize,
}

/// The position of a key that is, or is to be, in the index; valid as long as the index is not changed.
pub(super) struct Cursor {
    key: Key,
    path: Path,
    leaf: u32,
}

/// The offers found by a query; rarely more than fit on the stack.
pub(super) type OfferIds = SmallVec<[OfferId; 16]>;

/// An ordered set of [`Key`]s. Insert, remove and rank are O(log n), the first key is O(1).
#[derive(Clone, Debug)]
pub(super) struct OrderedIndex {
    leaves: Vec<Leaf>,
    inners: Vec<Inner>,
    free_leaves: Vec<u32>,
    free_inners: Vec<u32>,
    root: u32,
    /// The number of inner levels above the leaves.
    levels: usize,
    length: usize,
    first: Option<Key>,
}

impl Default for OrderedIndex {
    fn default() -> Self {
        Self {
            leaves: vec![Leaf::empty()],
            inners: Vec::new(),
            free_leaves: Vec::new(),
            free_inners: Vec::new(),
            root: 0,
            levels: 0,
            length: 0,
            first: None,
        }
    }
}

/// Arena positions are `u32` to keep nodes small; an arena never grows past `u32::MAX` nodes.
fn at(index: u32) -> usize {
    usize::try_from(index).unwrap_or(usize::MAX)
}

fn position(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(NONE)
}

impl OrderedIndex {
    /// The number of keys.
    pub(super) const fn len(&self) -> usize {
        self.length
    }

    /// The least key.
    pub(super) const fn first(&self) -> Option<Key> {
        self.first
    }

    /// The greatest key.
    pub(super) fn last(&self) -> Option<Key> {
        let mut node = self.root;
        for _ in 0..self.levels {
            let inner = &self.inners[at(node)];
            node = inner.links[inner.length - 1].child;
        }
        self.leaves[at(node)].keys().iter().max().copied()
    }

    /// Finds the position of a key and prefetches it: an operation on several indices seeks in all of them first, so
    /// that their cache misses overlap.
    pub(super) fn seek(&self, key: Key) -> Cursor {
        let path = self.descend(key);
        let leaf = self.leaf_below(&path);
        prefetch_index(&self.leaves, at(leaf));
        Cursor { key, path, leaf }
    }

    /// Adds a key that is not in the index.
    pub(super) fn insert(&mut self, cursor: &Cursor) {
        let Cursor { key, ref path, leaf: leaf_index } = *cursor;
        for (inner, child) in path.steps() {
            self.inners[at(inner)].links[child].count += 1;
        }
        let leaf = &mut self.leaves[at(leaf_index)];
        leaf.push(key);
        let is_full = at(leaf.length) == LEAF_KEYS_MAX;
        self.length += 1;
        if self.first.is_none_or(|first| key < first) {
            self.first = Some(key);
        }
        if is_full {
            self.split_leaf(leaf_index, path.clone());
        }
    }

    /// Removes a key that is in the index.
    pub(super) fn remove(&mut self, cursor: &Cursor) {
        let Cursor { key, ref path, leaf: leaf_index } = *cursor;
        let leaf = &mut self.leaves[at(leaf_index)];
        let found = leaf.remove(key);
        debug_assert!(found, "only keys that are there are removed");
        if !found {
            return;
        }
        let is_underfull = at(leaf.length) < LEAF_KEYS_MAX / 4;
        self.length -= 1;
        for (inner, child) in path.steps() {
            self.inners[at(inner)].links[child].count -= 1;
        }
        if is_underfull {
            self.refill_leaf(path.clone());
        }
        if self.first == Some(key) {
            self.first = self.leftmost();
        }
    }

    /// The number of keys less than `key`.
    pub(super) fn rank(&self, key: Key) -> usize {
        let mut node = self.root;
        let mut before = 0_usize;
        for _ in 0..self.levels {
            let inner = &self.inners[at(node)];
            let child = inner.child_of(key);
            before += at(inner.links[..child].iter().map(|link| link.count).sum());
            node = inner.links[child].child;
        }
        before + self.leaves[at(node)].keys().iter().filter(|other| **other < key).count()
    }

    /// All keys, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = Key> {
        self.leaves_from(Key::MIN).flat_map(Leaf::sorted)
    }

    /// The offers of the keys greater than `low` and at most `high`, in no particular order.
    pub(super) fn between(&self, low: Key, high: Key) -> OfferIds {
        let mut found = OfferIds::new();
        for leaf in self.leaves_from(low) {
            let mut passed_high = false;
            for key in leaf.keys() {
                if *key > high {
                    passed_high = true;
                } else if *key > low {
                    found.push(key.id());
                }
            }
            // Leaves are ordered, so no leaf after a greater key can hold a lesser one.
            if passed_high {
                break;
            }
        }
        found
    }

    /// The leaf that may hold `key`, and all leaves after it.
    fn leaves_from(&self, key: Key) -> impl Iterator<Item = &Leaf> {
        let leaf = self.leaves.get(at(self.leaf_below(&self.descend(key))));
        std::iter::successors(leaf, |leaf| self.leaves.get(at(leaf.next)))
    }

    fn leftmost(&self) -> Option<Key> {
        self.leaves_from(Key::MIN).next()?.keys().iter().min().copied()
    }

    fn descend(&self, key: Key) -> Path {
        let mut path = Path { nodes: [NONE; LEVELS_MAX], children: [0; LEVELS_MAX], length: self.levels };
        let mut node = self.root;
        for level in 0..self.levels {
            let inner = &self.inners[at(node)];
            inner.prefetch();
            let child = inner.child_of(key);
            path.nodes[level] = node;
            path.children[level] = u8::try_from(child).unwrap_or(u8::MAX);
            node = inner.links[child].child;
        }
        path
    }

    fn leaf_below(&self, path: &Path) -> u32 {
        path.last().map_or(self.root, |(inner, child)| self.inners[at(inner)].links[child].child)
    }

    fn split_leaf(&mut self, left_index: u32, path: Path) {
        let right_index = self.new_leaf();
        let (right, bound) = self.leaves[at(left_index)].split_off(right_index);
        let count = right.length;
        self.leaves[at(right_index)] = right;
        self.add_right_sibling(path, left_index, right_index, bound, count);
    }

    /// Inserts `right` after `left`, from which `count` keys were moved to it; splits parents that are full.
    fn add_right_sibling(&mut self, mut path: Path, mut left: u32, mut right: u32, mut bound: Key, mut count: u32) {
        while let Some((parent_index, child)) = path.pop() {
            let parent = &mut self.inners[at(parent_index)];
            parent.links[child].count -= count;
            parent.insert(child + 1, right, bound, count);
            if parent.length < CHILDREN_MAX {
                return;
            }
            let entries: Vec<_> = parent.entries().collect();
            let (kept, moved) = entries.split_at(CHILDREN_MAX / 2);
            *parent = Inner::of(kept);
            let sibling = Inner::of(moved);
            (left, bound, count) = (parent_index, moved[0].0, sibling.count());
            right = self.new_inner(sibling);
        }
        let mut root = Inner::empty();
        let total = position(self.length);
        root.insert(0, left, Key::MIN, total - count);
        root.insert(1, right, bound, count);
        self.root = self.new_inner(root);
        self.levels += 1;
    }

    /// Refills a nearly empty leaf from its neighbour: they are merged, or share their keys evenly.
    fn refill_leaf(&mut self, mut path: Path) {
        let Some((parent_index, child)) = path.pop() else { return };
        let left_child = child.saturating_sub(1);
        let parent = &self.inners[at(parent_index)];
        let (left_index, right_index) = (parent.links[left_child].child, parent.links[left_child + 1].child);
        let (mut left, right) = (self.leaves[at(left_index)].clone(), self.leaves[at(right_index)].clone());
        if left.keys().len() + right.keys().len() <= LEAF_KEYS_MAX * 3 / 4 {
            left.next = right.next;
            right.keys().iter().for_each(|key| left.push(*key));
            self.leaves[at(left_index)] = left;
            self.free_leaves.push(right_index);
            self.drop_right_child(path, parent_index, left_child);
            return;
        }
        let (left, right, bound) = Leaf::rebalanced(&left, &right, right_index);
        let parent = &mut self.inners[at(parent_index)];
        parent.links[left_child].count = left.length;
        parent.links[left_child + 1].count = right.length;
        parent.bounds[left_child + 1] = bound;
        self.leaves[at(left_index)] = left;
        self.leaves[at(right_index)] = right;
    }

    /// Removes the child after `left_child` from a node, its keys having moved to `left_child`; refills upwards.
    fn drop_right_child(&mut self, mut path: Path, mut node: u32, mut left_child: usize) {
        loop {
            let inner = &mut self.inners[at(node)];
            inner.links[left_child].count += inner.links[left_child + 1].count;
            inner.remove(left_child + 1);
            if node == self.root {
                if inner.length == 1 {
                    self.root = inner.links[0].child;
                    self.levels -= 1;
                    self.free_inners.push(node);
                }
                return;
            }
            if inner.length >= CHILDREN_MAX / 4 {
                return;
            }
            let Some((parent_index, child)) = path.pop() else { return };
            left_child = child.saturating_sub(1);
            if !self.refill_inner(parent_index, left_child) {
                return;
            }
            node = parent_index;
        }
    }

    /// Moves children between two neighbouring nodes; returns whether all of them are in the left one now.
    fn refill_inner(&mut self, parent_index: u32, left_child: usize) -> bool {
        let parent = &self.inners[at(parent_index)];
        let (left_index, right_index) = (parent.links[left_child].child, parent.links[left_child + 1].child);
        let (left, right) = (&self.inners[at(left_index)], &self.inners[at(right_index)]);
        let bound = parent.bounds[left_child + 1];
        let mut all: Vec<(Key, Link)> = left.entries().chain(right.entries()).collect();
        all[left.length].0 = bound;
        let merges = all.len() <= CHILDREN_MAX * 3 / 4;
        let kept = if merges { all.len() } else { all.len() / 2 };
        let left = Inner::of(&all[..kept]);
        let right = Inner::of(&all[kept..]);
        if merges {
            self.free_inners.push(right_index);
        } else {
            let parent = &mut self.inners[at(parent_index)];
            parent.links[left_child].count = left.count();
            parent.links[left_child + 1].count = right.count();
            parent.bounds[left_child + 1] = all[kept].0;
        }
        self.inners[at(left_index)] = left;
        self.inners[at(right_index)] = right;
        merges
    }

    fn new_leaf(&mut self) -> u32 {
        self.free_leaves.pop().unwrap_or_else(|| {
            self.leaves.push(Leaf::empty());
            position(self.leaves.len() - 1)
        })
    }

    fn new_inner(&mut self, inner: Inner) -> u32 {
        if let Some(index) = self.free_inners.pop() {
            self.inners[at(index)] = inner;
            index
        } else {
            self.inners.push(inner);
            position(self.inners.len() - 1)
        }
    }
}

impl Path {
    fn step(&self, level: usize) -> (u32, usize) {
        (self.nodes[level], usize::from(self.children[level]))
    }

    fn steps(&self) -> impl Iterator<Item = (u32, usize)> {
        (0..self.length).map(|level| self.step(level))
    }

    fn last(&self) -> Option<(u32, usize)> {
        self.length.checked_sub(1).map(|last| self.step(last))
    }

    fn pop(&mut self) -> Option<(u32, usize)> {
        let last = self.last()?;
        self.length -= 1;
        Some(last)
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, ops::Bound};

    use proptest::prelude::*;
    use rand::{RngExt, SeedableRng, seq::SliceRandom};

    use super::*;

    fn assert_same(index: &OrderedIndex, model: &BTreeSet<Key>) {
        assert_eq!(index.len(), model.len());
        assert_eq!((index.first(), index.last()), (model.first().copied(), model.last().copied()));
        assert!(index.iter().eq(model.iter().copied()));
        for (rank, key) in model.iter().enumerate() {
            assert_eq!(index.rank(*key), rank);
        }
    }

    proptest! {
        #[test]
        fn it_agrees_with_a_sorted_set(acts in prop::collection::vec((any::<bool>(), 0_u64..40, 0_u64..40), 1..2_000)) {
            let (mut index, mut model) = (OrderedIndex::default(), BTreeSet::new());
            for (add, score, id) in acts {
                let key = Key::new(score, OfferId(id));
                if add && model.insert(key) {
                    index.insert(&index.seek(key));
                } else if !add && model.remove(&key) {
                    index.remove(&index.seek(key));
                }
                prop_assert_eq!((index.first(), index.last()), (model.first().copied(), model.last().copied()));
            }
            assert_same(&index, &model);
            let (low, high) = (Key::new(10, OfferId(30)), Key::new(20, OfferId(7)));
            let mut found = index.between(low, high);
            found.sort_unstable();
            let range = model.range((Bound::Excluded(low), Bound::Included(high)));
            let mut expected: Vec<OfferId> = range.map(|key| key.id()).collect();
            expected.sort_unstable();
            prop_assert_eq!(found.as_slice(), expected);
        }
    }

    #[test]
    fn it_grows_to_several_levels_and_shrinks_to_nothing() {
        for seed in 0..4 {
            let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
            let (mut index, mut model) = (OrderedIndex::default(), BTreeSet::new());
            while model.len() < 60_000 {
                let key = Key::new(rng.random_range(0..1_000), OfferId(rng.random()));
                if model.insert(key) {
                    index.insert(&index.seek(key));
                }
            }
            assert_same(&index, &model);
            assert!(index.levels >= 2);
            let mut keys: Vec<Key> = model.iter().copied().collect();
            match seed {
                0 => {}
                1 => keys.reverse(),
                _ => keys.shuffle(&mut rng),
            }
            for (number, key) in keys.iter().enumerate() {
                index.remove(&index.seek(*key));
                model.remove(key);
                if number % 9_973 == 0 {
                    assert_same(&index, &model);
                }
            }
            assert_same(&index, &model);
            assert_eq!(index.levels, 0, "seed {seed}: an empty index is a single leaf");
            assert!(index.leaves.len() - index.free_leaves.len() == 1 && index.inners.len() == index.free_inners.len());
        }
    }
}
