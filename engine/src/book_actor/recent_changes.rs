//! The recent changes of a book, so that a subscriber who comes back gets these instead of a snapshot.

use std::collections::{HashSet, VecDeque};

use domain::UnixMs;

use crate::{feed::Subject, journal::Sequence};

/// The maximum number of changes that are kept.
const KEPT_MAX: usize = 1_024;

/// The time before a subscriber's position from which on changes are repeated. An acceptance rate changes without an
/// event of the book, and may reach the books of two processes at slightly different places.
const REPEATED_MS: u64 = 2_000;

struct Change {
    /// The sequence of the book after the change.
    sequence: Sequence,
    at: UnixMs,
    subject: Subject,
}

/// The ids of what has changed, with the sequence after each change. States are absolute, so what a subscriber needs is
/// the current state of each.
pub(super) struct RecentChanges {
    changes: VecDeque<Change>,
    /// No change after this sequence is missing.
    complete_after: Sequence,
}

impl RecentChanges {
    /// Returns the changes of a book that is at this sequence: none.
    pub(super) const fn from(sequence: Sequence) -> Self {
        Self { changes: VecDeque::new(), complete_after: sequence }
    }

    /// Records what has changed up to a sequence.
    pub(super) fn record(&mut self, sequence: Sequence, at: UnixMs, subjects: impl Iterator<Item = Subject>) {
        self.changes.extend(subjects.map(|subject| Change { sequence, at, subject }));
        while self.changes.len() > KEPT_MAX {
            if let Some(dropped) = self.changes.pop_front() {
                self.complete_after = self.complete_after.max(dropped.sequence);
            }
        }
    }

    /// Returns what has changed after a sequence, each subject once; `None` if that is not known any more.
    pub(super) fn after(&self, sequence: Sequence) -> Option<Vec<Subject>> {
        if sequence < self.complete_after {
            return None;
        }
        let next = self.changes.partition_point(|change| change.sequence < sequence);
        let from = self.changes.get(next).map_or(UnixMs(u64::MAX), |change| change.at).0.saturating_sub(REPEATED_MS);
        let mut seen = HashSet::new();
        let is_needed = |(place, change): &(usize, &Change)| *place >= next || change.at.0 >= from;
        let needed = self.changes.iter().enumerate().filter(is_needed).map(|(_, change)| change.subject);
        Some(needed.filter(|subject| seen.insert(*subject)).collect())
    }
}

#[cfg(test)]
mod tests {
    use domain::{GroupId, OfferId};

    use super::*;

    fn offer(number: u64) -> Subject {
        Subject::Offer(OfferId::new(GroupId(1), number).unwrap())
    }

    #[test]
    fn changes_after_a_sequence_are_named_once_as_long_as_none_is_missing() {
        let mut recent = RecentChanges::from(10);
        recent.record(11, UnixMs(0), [offer(1)].into_iter());
        recent.record(12, UnixMs(10_000), [offer(2), offer(3)].into_iter());
        recent.record(13, UnixMs(20_000), [offer(2)].into_iter());
        assert_eq!(recent.after(9), None);
        assert_eq!(recent.after(10), Some(vec![offer(1), offer(2), offer(3)]));
        assert_eq!(recent.after(13), Some(vec![offer(2)]), "a change at the very sequence may be new");
        assert_eq!(recent.after(14), Some(vec![]));
        for number in 0..1_024 {
            recent.record(14, UnixMs(30_000), [offer(number)].into_iter());
        }
        assert_eq!((recent.after(12), recent.after(13).map(|all| all.len())), (None, Some(1_024)));
    }

    #[test]
    fn what_changed_shortly_before_is_repeated() {
        let mut recent = RecentChanges::from(0);
        recent.record(1, UnixMs(1_000), [offer(1)].into_iter());
        recent.record(2, UnixMs(4_000), [offer(2)].into_iter());
        recent.record(3, UnixMs(5_000), [offer(3)].into_iter());
        assert_eq!(recent.after(3), Some(vec![offer(2), offer(3)]));
    }
}
