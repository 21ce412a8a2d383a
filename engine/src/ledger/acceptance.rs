//! How often each lender counter-signs: it follows from the loans, so it is not kept anywhere else.

use std::collections::HashMap;

use domain::{AcceptanceRate, CancelledBy, LoanAccount, LoanEvent, LoanStage, RequestOutcome, UserId};

/// The rates of all lenders of whom a request was decided.
#[derive(Debug, Default)]
pub(super) struct AcceptanceRates(HashMap<UserId, AcceptanceRate>);

impl AcceptanceRates {
    /// A lender's rate; that of somebody new when nothing was decided yet.
    pub(super) fn of(&self, lender: UserId) -> AcceptanceRate {
        self.0.get(&lender).copied().unwrap_or_default()
    }

    /// Takes in what happens to a loan, which is still as it was before.
    pub(super) fn take_in(&mut self, before: &LoanAccount, event: &LoanEvent) {
        // Who extends no loan breaks no word: nobody offered to.
        if before.stage != LoanStage::AwaitingLender || before.extended_until.is_some() {
            return;
        }
        let outcome = match event {
            LoanEvent::Signed { .. } => RequestOutcome::CounterSigned,
            LoanEvent::Lapsed | LoanEvent::Cancelled { by: CancelledBy::Lender } => RequestOutcome::Lapsed,
            // The borrower's doing, or nobody's.
            _ => return,
        };
        self.0.entry(before.deal.lender).or_default().apply(outcome);
    }
}
