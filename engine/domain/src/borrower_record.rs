//! A borrower's record: the outcomes of the borrower's loans that matter to a lender who is asked to counter-sign
//! another one.

use serde::{Deserialize, Serialize};

use crate::{CancelledBy, Ending, LoanAccount, LoanEvent, LoanStage, UnixMs};

/// The record of a borrower.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BorrowerRecord {
    /// Loans whose repayment, or following loan, was confirmed.
    pub repaid: u32,
    /// Loans whose collateral went to the lender.
    pub claimed: u32,
    /// Loans that the borrower accepted, and whose collateral was then spent before the lender had signed.
    pub collateral_moved: u32,
    /// The last time at which collateral went to a lender. A claim that a reorg disconnects keeps it, unless no other is
    /// left.
    pub last_claimed_at: Option<UnixMs>,
}

impl BorrowerRecord {
    /// Processes an event of a loan of the borrower; the loan is still in its state before the event.
    pub fn apply(&mut self, before: &LoanAccount, event: &LoanEvent) {
        match event {
            LoanEvent::Ended { ending, mined, .. } => {
                if *ending == Ending::Claim {
                    self.last_claimed_at = self.last_claimed_at.max(Some(mined.at));
                }
                let count = self.count(*ending);
                *count = count.saturating_add(1);
            }
            LoanEvent::EndUnconfirmed if matches!(before.stage, LoanStage::Repaid | LoanStage::Claimed) => {
                if let Some(end) = &before.end {
                    let count = self.count(end.ending);
                    *count = count.saturating_sub(1);
                    self.last_claimed_at = self.last_claimed_at.filter(|_| self.claimed > 0);
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
