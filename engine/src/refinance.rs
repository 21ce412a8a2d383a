//! The search for offers that running loans could move to.

use std::{collections::HashMap, sync::Mutex};

use domain::{LoanId, MovableLoan, RefinanceMatch, RefinanceOrder, UnixMs};

use crate::locks::MutexExt as _;

/// The time between two notices about one loan, in milliseconds.
const NOTICE_AGAIN_MS: u64 = 24 * 60 * 60 * 1_000;

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

/// The times of the latest notices about loans; lost when the process ends.
#[derive(Debug, Default)]
pub(crate) struct RefinanceNotices(Mutex<HashMap<(LoanId, bool), UnixMs>>);

impl RefinanceNotices {
    /// Whether a notice about a loan is due; it counts as sent then.
    pub(crate) fn take(&self, loan: LoanId, is_ordered: bool, now: UnixMs) -> bool {
        let mut sent = self.0.lock_unpoisoned();
        sent.retain(|_, at| at.plus_ms(NOTICE_AGAIN_MS) > now);
        sent.insert((loan, is_ordered), now).is_none_or(|before| {
            sent.insert((loan, is_ordered), before);
            false
        })
    }
}
