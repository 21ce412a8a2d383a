//! The inner nodes of an index.

use super::{Key, NONE};

/// How many children a node has when it is split.
pub(super) const CHILDREN_MAX: usize = 32;

/// Children in key order, each with a lower bound of its keys and the number of them. The first bound is the least of all.
#[derive(Clone, Debug)]
pub(super) struct Inner {
    pub(super) length: usize,
    pub(super) bounds: [Key; CHILDREN_MAX],
    pub(super) counts: [u32; CHILDREN_MAX],
    pub(super) children: [u32; CHILDREN_MAX],
}

fn opened<const N: usize, T: Copy>(slots: &mut [T; N], length: usize, place: usize, value: T) {
    slots.copy_within(place..length, place + 1);
    slots[place] = value;
}

fn closed<const N: usize, T: Copy>(slots: &mut [T; N], length: usize, place: usize, pad: T) {
    slots.copy_within(place + 1..length, place);
    slots[length - 1] = pad;
}

impl Inner {
    pub(super) const fn empty() -> Self {
        Self { length: 0, bounds: [Key::PAD; CHILDREN_MAX], counts: [0; CHILDREN_MAX], children: [NONE; CHILDREN_MAX] }
    }

    /// The last child whose bound is at most `key`: a binary search that halves by adding, not by branching, which a
    /// processor could not foresee.
    pub(super) fn child_of(&self, key: Key) -> usize {
        let mut child = 0;
        let mut half = CHILDREN_MAX / 2;
        while half > 0 {
            child += half * usize::from(self.bounds[child + half] <= key);
            half /= 2;
        }
        child.min(self.length - 1)
    }

    pub(super) fn insert(&mut self, place: usize, child: u32, bound: Key, count: u32) {
        opened(&mut self.bounds, self.length, place, bound);
        opened(&mut self.counts, self.length, place, count);
        opened(&mut self.children, self.length, place, child);
        self.length += 1;
    }

    pub(super) fn remove(&mut self, place: usize) {
        closed(&mut self.bounds, self.length, place, Key::PAD);
        closed(&mut self.counts, self.length, place, 0);
        closed(&mut self.children, self.length, place, NONE);
        self.length -= 1;
    }

    pub(super) fn of(entries: &[(Key, u32, u32)]) -> Self {
        let mut inner = Self::empty();
        for (place, (bound, count, child)) in entries.iter().enumerate() {
            inner.insert(place, *child, *bound, *count);
        }
        inner.bounds[0] = Key::LEAST;
        inner
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = (Key, u32, u32)> {
        (0..self.length).map(|place| (self.bounds[place], self.counts[place], self.children[place]))
    }

    pub(super) fn count(&self) -> u32 {
        self.counts[..self.length].iter().sum()
    }
}
