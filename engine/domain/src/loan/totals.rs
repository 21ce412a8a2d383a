//! The totals of a user's loans in one role.

use crate::{LoanStage, Sats, UnixMs};

use super::LoanSummary;

/// The totals of a user's loans in one role. Loans that never reached the chain are not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoanTotals {
    /// The principal of all loans so far.
    pub all_time: Sats,
    /// The principal of running loans.
    pub running: Sats,
    /// The interest of repaid loans.
    pub interest_paid: Sats,
    /// The interest of running loans.
    pub interest_owed: Sats,
    /// The platform fees that the lender paid for all loans so far.
    pub platform_fees: Sats,
    /// The principal of overdue loans.
    pub at_risk: Sats,
    /// The principal of loans whose collateral the lender took.
    pub claimed: Sats,
    /// The number of running loans.
    pub running_count: u64,
    /// The number of overdue loans.
    pub overdue_count: u64,
    /// The number of repaid loans.
    pub repaid_count: u64,
    /// The number of loans whose collateral the lender took.
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
        count(&mut self.all_time, principal);
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
