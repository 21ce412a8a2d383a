//! Sums over somebody's loans of one role.

use crate::{LoanStage, Sats, UnixMs};

use super::LoanSummary;

/// What somebody's loans of one role come to. Loans that never reached the chain count nowhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoanTotals {
    /// Principal of all loans there ever were.
    pub ever: Sats,
    /// Principal of those that run.
    pub running: Sats,
    /// Interest of those that were repaid.
    pub interest_paid: Sats,
    /// Interest of those that run.
    pub interest_owed: Sats,
    /// What the lender paid the platform for all of them.
    pub platform_fees: Sats,
    /// Principal of those that are overdue.
    pub at_risk: Sats,
    /// Principal of those whose collateral the lender took.
    pub claimed: Sats,
    /// How many run.
    pub running_count: u64,
    /// How many are overdue.
    pub overdue_count: u64,
    /// How many were repaid.
    pub repaid_count: u64,
    /// Of how many the lender took the collateral.
    pub claimed_count: u64,
}

impl LoanTotals {
    /// Counts a loan.
    pub fn add(&mut self, loan: &LoanSummary, now: UnixMs) {
        let (stage, principal, interest) = (loan.stage, loan.deal.principal, loan.deal.interest);
        if !stage.is_running() && !matches!(stage, LoanStage::Repaid | LoanStage::Claimed) {
            return;
        }
        let count = |sum: &mut Sats, amount| *sum = sum.saturating_add(amount);
        count(&mut self.ever, principal);
        count(&mut self.platform_fees, loan.deal.platform_fee);
        match stage {
            LoanStage::Repaid => {
                count(&mut self.interest_paid, interest);
                self.repaid_count += 1;
            }
            LoanStage::Claimed => {
                count(&mut self.claimed, principal);
                self.claimed_count += 1;
            }
            _ => {
                count(&mut self.running, principal);
                count(&mut self.interest_owed, interest);
                self.running_count += 1;
            }
        }
        if loan.is_overdue(now) {
            count(&mut self.at_risk, principal);
            self.overdue_count += 1;
        }
    }
}
