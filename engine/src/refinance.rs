//! The search for offers that running loans could move to.

use std::{collections::HashMap, sync::Mutex};

use domain::{LoanId, MovableLoan, RefinanceMatch, RefinanceOrder, UnixMs};

use crate::ephemeral_notices::EphemeralNotices;
use crate::locks::MutexExt as _;

/// The question of a loan to its book.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RefinanceQuestion {
    pub(crate) loan: MovableLoan,
    /// The standing order, once its time has come.
    pub(crate) order: Option<RefinanceOrder>,
    /// Whether a cheaper offer is wanted too.
    pub(crate) is_near_due: bool,
}

/// The answer: the best offer, and whether it is within the standing order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RefinanceAnswer {
    pub(crate) found: RefinanceMatch,
    pub(crate) is_ordered: bool,
}

/// The notices about loans; lost when the process ends.
#[derive(Debug, Default)]
pub(crate) struct RefinanceNotices {
    /// The notices, apart from those of other kinds, which a day with many of these must not displace.
    pub(crate) list: EphemeralNotices,
    /// The days of the latest ones, by loan and by whether they were about a standing order.
    sent: Mutex<HashMap<(LoanId, bool), u64>>,
}

impl RefinanceNotices {
    /// Forgets the notices of earlier days.
    pub(crate) fn forget_before(&self, now: UnixMs) {
        self.sent.lock_unpoisoned().retain(|_, day| *day == now.day());
    }

    /// Whether a notice about a loan is due, the first of its kind on this day; it counts as sent then.
    pub(crate) fn take(&self, loan: LoanId, is_ordered: bool, now: UnixMs) -> bool {
        self.sent.lock_unpoisoned().insert((loan, is_ordered), now.day()) != Some(now.day())
    }
}
