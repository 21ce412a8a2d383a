//! What became of the loans of a borrower, as far as a lender who is asked to sign another one wants to know.

use serde::{Deserialize, Serialize};

use crate::{CancelledBy, Ending, LoanAccount, LoanEvent, LoanStage};

/// The past of a borrower.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BorrowerRecord {
    /// Loans that were repaid in a block, by a payment or by a loan that follows.
    pub repaid: u32,
    /// Loans whose collateral went to the lender.
    pub claimed: u32,
    /// Loans that the borrower accepted, and whose collateral was then spent before the lender had signed.
    pub collateral_moved: u32,
}

impl BorrowerRecord {
    /// Takes in what happens to a loan of the borrower, which is still as it was before.
    pub fn take_in(&mut self, before: &LoanAccount, event: &LoanEvent) {
        match event {
            LoanEvent::Ended { ending, .. } => {
                let count = self.count(*ending);
                *count = count.saturating_add(1);
            }
            LoanEvent::EndUndone if matches!(before.stage, LoanStage::Repaid | LoanStage::Claimed) => {
                if let Some(end) = &before.end {
                    let count = self.count(end.ending);
                    *count = count.saturating_sub(1);
                }
            }
            LoanEvent::Cancelled { by: CancelledBy::CollateralMoved } => {
                self.collateral_moved = self.collateral_moved.saturating_add(1);
            }
            _ => {}
        }
    }

    const fn count(&mut self, ending: Ending) -> &mut u32 {
        match ending {
            Ending::Claim => &mut self.claimed,
            Ending::Repayment | Ending::Refinance(_) | Ending::Extension(_) => &mut self.repaid,
        }
    }
}
