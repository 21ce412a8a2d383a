//! The history of each borrower: derived from the loans, not stored elsewhere.

use domain::{BorrowerRecord, CancelledBy, LoanAccount, LoanEvent, UserId};
use rustc_hash::FxHashMap;

/// The records of all borrowers with at least one recorded outcome.
#[derive(Debug, Default)]
pub(super) struct BorrowerRecords(FxHashMap<UserId, BorrowerRecord>);

impl BorrowerRecords {
    /// A borrower's record; that of a new borrower if nothing was recorded yet.
    pub(super) fn of(&self, borrower: UserId) -> BorrowerRecord {
        self.0.get(&borrower).copied().unwrap_or_default()
    }

    /// Processes an event of a loan, which is still in its state before the event.
    pub(super) fn apply(&mut self, before: &LoanAccount, event: &LoanEvent) {
        let is_recorded = matches!(
            event,
            LoanEvent::Ended { .. }
                | LoanEvent::EndUnconfirmed
                | LoanEvent::Cancelled { by: CancelledBy::CollateralMoved }
        );
        if is_recorded {
            self.0.entry(before.deal.borrower).or_default().apply(before, event);
        }
    }
}
