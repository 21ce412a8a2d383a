//! The lenders who have set limits.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Allowance, Exposure, GroupId, LendingLimits, UnixMs, UserId};

/// The limits of all lenders who have set some, and who of them is absent.
#[derive(Clone, Debug, Default)]
pub struct LimitedLenders {
    limits: FxHashMap<UserId, LendingLimits>,
    absent: FxHashSet<UserId>,
}

impl LimitedLenders {
    /// The limits of a lender; `None` if there are none.
    #[must_use]
    pub fn of(&self, lender: UserId) -> Option<&LendingLimits> {
        self.limits.get(&lender)
    }

    /// Whether a lender is absent.
    #[must_use]
    pub fn is_absent(&self, lender: UserId) -> bool {
        self.absent.contains(&lender)
    }

    /// The lenders with a limit on absence.
    pub fn followed(&self) -> impl Iterator<Item = UserId> {
        let followed = self.limits.iter().filter(|(_, limits)| limits.absence_minutes.is_some());
        followed.map(|(lender, _)| *lender)
    }

    /// Whether a lender who was last heard at `heard_at` has been silent for longer than allowed.
    #[must_use]
    pub fn is_silent_too_long(&self, lender: UserId, heard_at: UnixMs, now: UnixMs) -> bool {
        self.of(lender).and_then(|limits| limits.absent_from(heard_at)).is_some_and(|from| from <= now)
    }

    /// The allowance of a lender in the book of a group.
    #[must_use]
    pub fn allowance(&self, lender: UserId, exposure: &Exposure, group: GroupId, now: UnixMs) -> Allowance {
        let available = self.of(lender).and_then(|limits| limits.available(exposure, group, now));
        Allowance { available, is_absent: self.is_absent(lender) }
    }

    pub(crate) fn set(&mut self, lender: UserId, limits: LendingLimits) {
        if limits == LendingLimits::default() {
            self.limits.remove(&lender);
        } else {
            self.limits.insert(lender, limits);
        }
    }

    pub(crate) fn set_absence(&mut self, lender: UserId, is_absent: bool) {
        if is_absent {
            self.absent.insert(lender);
        } else {
            self.absent.remove(&lender);
        }
    }
}
