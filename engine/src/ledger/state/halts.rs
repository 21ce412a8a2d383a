//! The halts in effect, and the steps of loans that they refuse.

use domain::{Halts, LoanEvent, LoanId};

use super::LedgerState;

impl LedgerState {
    /// Whether an event brings a loan nearer to its beginning, which a halt of new loans refuses. A loan that continues
    /// another one between the same two sides is not new.
    pub(super) fn begins(&self, id: LoanId, event: &LoanEvent) -> bool {
        match event {
            LoanEvent::Prepared { .. } | LoanEvent::SoftPrepared { .. } => true,
            LoanEvent::BorrowerSigned { .. } | LoanEvent::Held { .. } | LoanEvent::Signed { .. } => {
                self.loan(id).is_some_and(|loan| loan.extended_until.is_none())
            }
            LoanEvent::ExtensionPrepared { .. }
            // Returns a loan to its borrower, who cannot sign it while new loans are halted.
            | LoanEvent::Rebuilt { .. }
            | LoanEvent::Confirmed(_)
            | LoanEvent::Unconfirmed
            | LoanEvent::Expired
            | LoanEvent::EndingSigned { .. }
            | LoanEvent::EndingDropped
            | LoanEvent::Ended { .. }
            | LoanEvent::EndUnconfirmed
            | LoanEvent::Cancelled { .. }
            | LoanEvent::Lapsed
            | LoanEvent::Failed
            | LoanEvent::RefinanceOrdered(_) => false,
        }
    }

    /// The halts in effect.
    pub(crate) const fn halts(&self) -> &Halts {
        &self.halts
    }
}
