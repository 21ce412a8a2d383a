//! The acceptance rate of each lender: derived from the loans, not stored elsewhere.

use domain::{AcceptanceRate, CancelledBy, LoanAccount, LoanEvent, LoanStage, RequestOutcome, UserId};
use rustc_hash::FxHashMap;

/// The rates of all lenders with at least one decided request.
#[derive(Debug, Default)]
pub(super) struct AcceptanceRates(FxHashMap<UserId, AcceptanceRate>);

impl AcceptanceRates {
    /// A lender's rate; the default of a new lender if nothing was decided yet.
    pub(super) fn of(&self, lender: UserId) -> AcceptanceRate {
        self.0.get(&lender).copied().unwrap_or_default()
    }

    /// Processes an event of a loan, which is still in its state before the event.
    pub(super) fn apply(&mut self, before: &LoanAccount, event: &LoanEvent) {
        // Extensions do not count: an offer makes no promise to extend.
        if before.stage != LoanStage::AwaitingLender || before.extended_until.is_some() {
            return;
        }
        let outcome = match event {
            LoanEvent::Signed { .. } => RequestOutcome::CounterSigned,
            LoanEvent::Lapsed | LoanEvent::Cancelled { by: CancelledBy::Lender } => RequestOutcome::Lapsed,
            // Caused by the borrower, or by neither side.
            _ => return,
        };
        self.0.entry(before.deal.lender).or_default().apply(outcome);
    }
}
