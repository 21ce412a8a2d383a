//! The past of each borrower: it follows from the loans, so it is not kept anywhere else.

use std::collections::HashMap;

use domain::{BorrowerRecord, CancelledBy, LoanAccount, LoanEvent, UserId};

/// The records of all borrowers of whom there is something to say.
#[derive(Debug, Default)]
pub(super) struct BorrowerRecords(HashMap<UserId, BorrowerRecord>);

impl BorrowerRecords {
    /// A borrower's record; that of a newcomer when nothing has happened yet.
    pub(super) fn of(&self, borrower: UserId) -> BorrowerRecord {
        self.0.get(&borrower).copied().unwrap_or_default()
    }

    /// Takes in what happens to a loan, which is still as it was before.
    pub(super) fn take_in(&mut self, before: &LoanAccount, event: &LoanEvent) {
        let is_told = matches!(
            event,
            LoanEvent::Ended { .. } | LoanEvent::EndUndone | LoanEvent::Cancelled { by: CancelledBy::CollateralMoved }
        );
        if is_told {
            self.0.entry(before.deal.borrower).or_default().take_in(before, event);
        }
    }
}
