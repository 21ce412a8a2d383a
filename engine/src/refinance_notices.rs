//! The notices about offers that running loans could move to.

use std::{collections::HashMap, sync::Mutex};

use domain::{LoanId, UnixMs};

use crate::ephemeral_notices::EphemeralNotices;
use crate::locks::MutexExt as _;

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
