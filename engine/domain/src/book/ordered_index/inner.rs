//! The inner nodes of an index.

use prefetch_index::prefetch_index;

use super::{Key, NONE};

/// The number of children at which a node is split.
pub(super) const CHILDREN_MAX: usize = 32;
/// The number of keys in a cache line.
const LINE_KEYS: usize = 4;
const LINE_LINKS: usize = 8;

/// A child, and the number of keys below it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub(super) child: u32,
    pub(super) count: u32,
}

/// Children in key order, each with a lower bound of its keys. The first bound is the minimum.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Inner {
    pub(super) bounds: [Key; CHILDREN_MAX],
    pub(super) links: [Link; CHILDREN_MAX],
    pub(super) length: usize,
}

fn insert_at<const N: usize, T: Copy>(slots: &mut [T; N], length: usize, index: usize, value: T) {
    slots.copy_within(index..length, index + 1);
    slots[index] = value;
}

fn remove_at<const N: usize, T: Copy>(slots: &mut [T; N], length: usize, index: usize, pad: T) {
    slots.copy_within(index + 1..length, index);
    slots[length - 1] = pad;
}

impl Link {
    const NONE: Self = Self { child: NONE, count: 0 };
}

impl Inner {
    pub(super) const fn empty() -> Self {
        Self { bounds: [Key::PAD; CHILDREN_MAX], links: [Link::NONE; CHILDREN_MAX], length: 0 }
    }

    /// Prefetches the whole node at once; a search would wait for one cache line after the other.
    pub(super) fn prefetch(&self) {
        for line in 0..CHILDREN_MAX / LINE_KEYS {
            prefetch_index(self.bounds.as_slice(), line * LINE_KEYS);
        }
        for line in 0..CHILDREN_MAX / LINE_LINKS {
            prefetch_index(self.links.as_slice(), line * LINE_LINKS);
        }
        prefetch_index(std::slice::from_ref(&self.length), 0);
    }

    /// The last child whose bound is at most `key`: a branchless binary search, since the branches would be
    /// unpredictable.
    pub(super) fn child_of(&self, key: Key) -> usize {
        let mut child = 0;
        let mut half = CHILDREN_MAX / 2;
        while half > 0 {
            child += half * usize::from(self.bounds[child + half] <= key);
            half /= 2;
        }
        child.min(self.length - 1)
    }

    pub(super) fn insert(&mut self, index: usize, child: u32, bound: Key, count: u32) {
        insert_at(&mut self.bounds, self.length, index, bound);
        insert_at(&mut self.links, self.length, index, Link { child, count });
        self.length += 1;
    }

    pub(super) fn remove(&mut self, index: usize) {
        remove_at(&mut self.bounds, self.length, index, Key::PAD);
        remove_at(&mut self.links, self.length, index, Link::NONE);
        self.length -= 1;
    }

    pub(super) fn of(entries: &[(Key, Link)]) -> Self {
        let mut inner = Self::empty();
        for (index, (bound, link)) in entries.iter().enumerate() {
            inner.insert(index, link.child, *bound, link.count);
        }
        inner.bounds[0] = Key::MIN;
        inner
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = (Key, Link)> {
        (0..self.length).map(|index| (self.bounds[index], self.links[index]))
    }

    pub(super) fn count(&self) -> u32 {
        self.links[..self.length].iter().map(|link| link.count).sum()
    }
}
