//! The keys of an index.

use crate::OfferId;

/// An ordered key: a score, then an offer id, in one number, so that a comparison is one subtraction without a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::book) struct Key(u128);

impl Key {
    pub(super) const MIN: Self = Self(0);
    /// The padding after the last key of a node; greater than any key, so a search need not know the number of keys.
    pub(super) const PAD: Self = Self(u128::MAX);

    pub(in crate::book) fn new(score: u64, id: OfferId) -> Self {
        Self(u128::from(score) << 64 | u128::from(id.0))
    }

    /// The greatest key of a score.
    pub(in crate::book) fn max_of_score(score: u64) -> Self {
        Self(u128::from(score) << 64 | u128::from(u64::MAX))
    }

    pub(in crate::book) fn score(self) -> u64 {
        u64::try_from(self.0 >> 64).unwrap_or(u64::MAX)
    }

    pub(super) fn tag(self) -> u8 {
        u8::try_from(self.0 & 0xff).unwrap_or(u8::MAX)
    }

    pub(in crate::book) fn id(self) -> OfferId {
        OfferId(u64::try_from(self.0 & u128::from(u64::MAX)).unwrap_or(u64::MAX))
    }
}
