//! An ordered set with ranks: a B+tree whose inner nodes count what lies below them.

use crate::OfferId;

/// What is ordered: a score, then an offer id, in one number, so that a comparison is one subtraction without a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key(u128);

impl Key {
    const LEAST: Self = Self(0);
    /// Behind the last key of a node; greater than any, so a search need not know how many there are.
    const PAD: Self = Self(u128::MAX);

    pub(super) fn new(score: u64, id: OfferId) -> Self {
        Self(u128::from(score) << 64 | u128::from(id.0))
    }

    /// The greatest key of a score.
    pub(super) fn end_of(score: u64) -> Self {
        Self(u128::from(score) << 64 | u128::from(u64::MAX))
    }

    pub(super) fn id(self) -> OfferId {
        OfferId(u64::try_from(self.0 & u128::from(u64::MAX)).unwrap_or(u64::MAX))
    }
}

const LEAF_KEYS_MAX: usize = 32;
const CHILDREN_MAX: usize = 32;
/// Leaves and nodes are at least a quarter full, so ten levels hold at least 2 * 8 * 8^9, more than `u32` counts.
const LEVELS_MAX: usize = 10;
const NONE: u32 = u32::MAX;

#[derive(Clone, Debug)]
struct Leaf {
    length: usize,
    next: u32,
    keys: [Key; LEAF_KEYS_MAX],
}

/// Children in key order, each with a lower bound of its keys and the number of them. The first bound is the least of all.
#[derive(Clone, Debug)]
struct Inner {
    length: usize,
    bounds: [Key; CHILDREN_MAX],
    counts: [u32; CHILDREN_MAX],
    children: [u32; CHILDREN_MAX],
}

/// The inner nodes from the root to a leaf, each with the child taken.
struct Path {
    steps: [(u32, usize); LEVELS_MAX],
    length: usize,
}

/// An ordered set of [`Key`]s. Insert, remove and rank are O(log n), the first key is O(1).
#[derive(Clone, Debug)]
pub(super) struct OrderedIndex {
    leaves: Vec<Leaf>,
    inners: Vec<Inner>,
    free_leaves: Vec<u32>,
    free_inners: Vec<u32>,
    root: u32,
    /// Inner levels above the leaves.
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

fn opened<const N: usize, T: Copy>(slots: &mut [T; N], length: usize, place: usize, value: T) {
    slots.copy_within(place..length, place + 1);
    slots[place] = value;
}

fn closed<const N: usize, T: Copy>(slots: &mut [T; N], length: usize, place: usize, pad: T) {
    slots.copy_within(place + 1..length, place);
    slots[length - 1] = pad;
}

/// How many keys at the front satisfy a condition that neither those behind them nor [`Key::PAD`] do.
///
/// Looks at one key of each cache line first: these loads wait neither for a length nor for each other, as a binary
/// search's would.
fn count_before<const N: usize>(keys: &[Key; N], is_before: impl Fn(Key) -> bool) -> usize {
    const STRIDE: usize = 4;
    let (strides, _) = keys.as_chunks::<STRIDE>();
    let whole = strides.iter().map(|stride| usize::from(is_before(stride[STRIDE - 1]))).sum::<usize>();
    let Some(last) = strides.get(whole) else { return N };
    whole * STRIDE + last.iter().map(|key| usize::from(is_before(*key))).sum::<usize>()
}

impl Leaf {
    const fn empty() -> Self {
        Self { length: 0, next: NONE, keys: [Key::PAD; LEAF_KEYS_MAX] }
    }

    fn keys(&self) -> &[Key] {
        &self.keys[..self.length]
    }

    fn place_of(&self, key: Key) -> usize {
        count_before(&self.keys, |other| other < key)
    }
}

impl Inner {
    const fn empty() -> Self {
        Self { length: 0, bounds: [Key::PAD; CHILDREN_MAX], counts: [0; CHILDREN_MAX], children: [NONE; CHILDREN_MAX] }
    }

    /// The child whose keys may include `key`; the first child also takes keys below its bound.
    fn child_of(&self, key: Key) -> usize {
        count_before(&self.bounds, |bound| bound <= key).clamp(1, self.length) - 1
    }

    fn insert(&mut self, place: usize, child: u32, bound: Key, count: u32) {
        opened(&mut self.bounds, self.length, place, bound);
        opened(&mut self.counts, self.length, place, count);
        opened(&mut self.children, self.length, place, child);
        self.length += 1;
    }

    fn remove(&mut self, place: usize) {
        closed(&mut self.bounds, self.length, place, Key::PAD);
        closed(&mut self.counts, self.length, place, 0);
        closed(&mut self.children, self.length, place, NONE);
        self.length -= 1;
    }

    fn of(entries: &[(Key, u32, u32)]) -> Self {
        let mut inner = Self::empty();
        for (place, (bound, count, child)) in entries.iter().enumerate() {
            inner.insert(place, *child, *bound, *count);
        }
        inner.bounds[0] = Key::LEAST;
        inner
    }

    fn entries(&self) -> impl Iterator<Item = (Key, u32, u32)> {
        (0..self.length).map(|place| (self.bounds[place], self.counts[place], self.children[place]))
    }

    fn count(&self) -> u32 {
        self.counts[..self.length].iter().sum()
    }
}

impl OrderedIndex {
    /// How many keys there are.
    pub(super) const fn len(&self) -> usize {
        self.length
    }

    /// The least key.
    pub(super) const fn first(&self) -> Option<Key> {
        self.first
    }

    /// Adds a key that is not there yet.
    pub(super) fn insert(&mut self, key: Key) {
        let path = self.descend(key);
        for (inner, child) in path.steps() {
            self.inners[at(inner)].counts[child] += 1;
        }
        let leaf_index = self.leaf_below(&path);
        let leaf = &mut self.leaves[at(leaf_index)];
        let place = leaf.place_of(key);
        debug_assert!(leaf.keys().get(place) != Some(&key), "keys are unique");
        opened(&mut leaf.keys, leaf.length, place, key);
        leaf.length += 1;
        self.length += 1;
        if self.first.is_none_or(|first| key < first) {
            self.first = Some(key);
        }
        if self.leaves[at(leaf_index)].length == LEAF_KEYS_MAX {
            self.split_leaf(leaf_index, path);
        }
    }

    /// Removes a key that is there.
    pub(super) fn remove(&mut self, key: Key) {
        let path = self.descend(key);
        let leaf_index = self.leaf_below(&path);
        let leaf = &mut self.leaves[at(leaf_index)];
        let place = leaf.place_of(key);
        let found = leaf.keys().get(place) == Some(&key);
        debug_assert!(found, "only keys that are there are removed");
        if !found {
            return;
        }
        closed(&mut leaf.keys, leaf.length, place, Key::PAD);
        leaf.length -= 1;
        self.length -= 1;
        for (inner, child) in path.steps() {
            self.inners[at(inner)].counts[child] -= 1;
        }
        if self.leaves[at(leaf_index)].length < LEAF_KEYS_MAX / 4 {
            self.refill_leaf(path);
        }
        if self.first == Some(key) {
            self.first = self.leftmost();
        }
    }

    /// How many keys are less than `key`.
    pub(super) fn rank(&self, key: Key) -> usize {
        let mut node = self.root;
        let mut before = 0_usize;
        for _ in 0..self.levels {
            let inner = &self.inners[at(node)];
            let child = inner.child_of(key);
            before += at(inner.counts[..child].iter().sum());
            node = inner.children[child];
        }
        before + self.leaves[at(node)].place_of(key)
    }

    /// Every key from `key` on, in order.
    pub(super) fn iter_from(&self, key: Key) -> impl Iterator<Item = Key> {
        let mut node = self.root;
        for _ in 0..self.levels {
            let inner = &self.inners[at(node)];
            node = inner.children[inner.child_of(key)];
        }
        let leaf = &self.leaves[at(node)];
        let rest = leaf.keys()[leaf.place_of(key)..].iter();
        let following = std::iter::successors(self.leaves.get(at(leaf.next)), |leaf| self.leaves.get(at(leaf.next)));
        rest.chain(following.flat_map(|leaf| leaf.keys().iter())).copied()
    }

    /// Every key, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = Key> {
        self.iter_from(Key::LEAST)
    }

    fn leftmost(&self) -> Option<Key> {
        let mut node = self.root;
        for _ in 0..self.levels {
            node = self.inners[at(node)].children[0];
        }
        self.leaves[at(node)].keys().first().copied()
    }

    fn descend(&self, key: Key) -> Path {
        let mut path = Path { steps: [(NONE, 0); LEVELS_MAX], length: self.levels };
        let mut node = self.root;
        for level in 0..self.levels {
            let inner = &self.inners[at(node)];
            let child = inner.child_of(key);
            path.steps[level] = (node, child);
            node = inner.children[child];
        }
        path
    }

    fn leaf_below(&self, path: &Path) -> u32 {
        path.last().map_or(self.root, |(inner, child)| self.inners[at(inner)].children[child])
    }

    fn split_leaf(&mut self, left_index: u32, path: Path) {
        let right_index = self.new_leaf();
        let mut right = Leaf::empty();
        let left = &mut self.leaves[at(left_index)];
        let kept = LEAF_KEYS_MAX / 2;
        right.length = left.length - kept;
        right.keys[..right.length].copy_from_slice(&left.keys[kept..left.length]);
        right.next = left.next;
        left.keys[kept..].fill(Key::PAD);
        left.length = kept;
        left.next = right_index;
        let (bound, count) = (right.keys[0], position(right.length));
        self.leaves[at(right_index)] = right;
        self.add_right_sibling(path, left_index, right_index, bound, count);
    }

    /// Hangs `right` beside `left`, from which `count` keys were moved to it; splits parents that are full.
    fn add_right_sibling(&mut self, mut path: Path, mut left: u32, mut right: u32, mut bound: Key, mut count: u32) {
        while let Some((parent_index, child)) = path.pop() {
            let parent = &mut self.inners[at(parent_index)];
            parent.counts[child] -= count;
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
        root.insert(0, left, Key::LEAST, total - count);
        root.insert(1, right, bound, count);
        self.root = self.new_inner(root);
        self.levels += 1;
    }

    /// Fills a leaf that is nearly empty from its neighbour: they become one, or share their keys evenly.
    fn refill_leaf(&mut self, mut path: Path) {
        let Some((parent_index, child)) = path.pop() else { return };
        let left_child = child.saturating_sub(1);
        let parent = &self.inners[at(parent_index)];
        let (left_index, right_index) = (parent.children[left_child], parent.children[left_child + 1]);
        let mut keys = [Key::PAD; 2 * LEAF_KEYS_MAX];
        let (left, right) = (&self.leaves[at(left_index)], &self.leaves[at(right_index)]);
        let (length, total) = (left.length, left.length + right.length);
        keys[..length].copy_from_slice(left.keys());
        keys[length..total].copy_from_slice(right.keys());
        let next = right.next;
        let merges = total <= LEAF_KEYS_MAX * 3 / 4;
        let kept = if merges { total } else { total / 2 };
        let left = &mut self.leaves[at(left_index)];
        left.keys[..kept].copy_from_slice(&keys[..kept]);
        left.keys[kept..].fill(Key::PAD);
        left.length = kept;
        if merges {
            left.next = next;
            self.free_leaves.push(right_index);
            self.drop_right_child(path, parent_index, left_child);
        } else {
            let right = &mut self.leaves[at(right_index)];
            right.length = total - kept;
            right.keys[..total - kept].copy_from_slice(&keys[kept..total]);
            right.keys[total - kept..].fill(Key::PAD);
            let parent = &mut self.inners[at(parent_index)];
            parent.counts[left_child] = position(kept);
            parent.counts[left_child + 1] = position(total - kept);
            parent.bounds[left_child + 1] = keys[kept];
        }
    }

    /// Takes the child after `left_child` out of a node, its keys having moved to `left_child`; refills upwards.
    fn drop_right_child(&mut self, mut path: Path, mut node: u32, mut left_child: usize) {
        loop {
            let inner = &mut self.inners[at(node)];
            inner.counts[left_child] += inner.counts[left_child + 1];
            inner.remove(left_child + 1);
            if node == self.root {
                if inner.length == 1 {
                    self.root = inner.children[0];
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

    /// Moves children between two neighbouring nodes; tells whether all of them are in the left one now.
    fn refill_inner(&mut self, parent_index: u32, left_child: usize) -> bool {
        let parent = &self.inners[at(parent_index)];
        let (left_index, right_index) = (parent.children[left_child], parent.children[left_child + 1]);
        let (left, right) = (&self.inners[at(left_index)], &self.inners[at(right_index)]);
        let bound = parent.bounds[left_child + 1];
        let mut all: Vec<(Key, u32, u32)> = left.entries().chain(right.entries()).collect();
        all[left.length].0 = bound;
        let merges = all.len() <= CHILDREN_MAX * 3 / 4;
        let kept = if merges { all.len() } else { all.len() / 2 };
        let left = Inner::of(&all[..kept]);
        let right = Inner::of(&all[kept..]);
        if merges {
            self.free_inners.push(right_index);
        } else {
            let parent = &mut self.inners[at(parent_index)];
            parent.counts[left_child] = left.count();
            parent.counts[left_child + 1] = right.count();
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
    fn steps(&self) -> impl Iterator<Item = (u32, usize)> {
        self.steps[..self.length].iter().copied()
    }

    fn last(&self) -> Option<(u32, usize)> {
        self.length.checked_sub(1).map(|last| self.steps[last])
    }

    fn pop(&mut self) -> Option<(u32, usize)> {
        let last = self.last()?;
        self.length -= 1;
        Some(last)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;
    use rand::{RngExt, SeedableRng, seq::SliceRandom};

    use super::*;

    fn assert_same(index: &OrderedIndex, model: &BTreeSet<Key>) {
        assert_eq!(index.len(), model.len());
        assert_eq!(index.first(), model.first().copied());
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
                    index.insert(key);
                } else if !add && model.remove(&key) {
                    index.remove(key);
                }
                prop_assert_eq!(index.first(), model.first().copied());
            }
            assert_same(&index, &model);
            prop_assert!(index.iter_from(Key::new(20, OfferId(7))).eq(model.range(Key::new(20, OfferId(7))..).copied()));
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
                    index.insert(key);
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
                index.remove(*key);
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
