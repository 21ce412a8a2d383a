//! What somebody's loans come to.

use domain::{LoanId, LoanTotals, Sats};
use serde::Serialize;
use utoipa::ToSchema;

use super::{RoleName, Shown};

/// What somebody has lent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LenderTotals {
    /// Principal of the loans that run.
    #[schema(value_type = u64)]
    pub lent_sats: Sats,
    /// Principal of all loans there ever were.
    #[schema(value_type = u64)]
    pub ever_lent_sats: Sats,
    /// Interest of the loans that were repaid, the platform's fees not taken off.
    #[schema(value_type = u64)]
    pub interest_earned_sats: Sats,
    /// Interest of the loans that run.
    #[schema(value_type = u64)]
    pub interest_owed_sats: Sats,
    /// What was paid to the platform for all loans there ever were.
    #[schema(value_type = u64)]
    pub platform_fees_sats: Sats,
    /// Principal of the loans that are overdue.
    #[schema(value_type = u64)]
    pub at_risk_sats: Sats,
    /// Principal of the loans whose collateral was taken.
    #[schema(value_type = u64)]
    pub claimed_sats: Sats,
    /// How many run.
    pub running_loans: u64,
    /// How many are overdue.
    pub overdue_loans: u64,
    /// How many were repaid.
    pub repaid_loans: u64,
    /// Of how many the collateral was taken.
    pub claimed_loans: u64,
}

impl From<LoanTotals> for LenderTotals {
    fn from(totals: LoanTotals) -> Self {
        Self {
            lent_sats: totals.running,
            ever_lent_sats: totals.ever,
            interest_earned_sats: totals.interest_paid,
            interest_owed_sats: totals.interest_owed,
            platform_fees_sats: totals.platform_fees,
            at_risk_sats: totals.at_risk,
            claimed_sats: totals.claimed,
            running_loans: totals.running_count,
            overdue_loans: totals.overdue_count,
            repaid_loans: totals.repaid_count,
            claimed_loans: totals.claimed_count,
        }
    }
}

/// What somebody has borrowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BorrowerTotals {
    /// Principal of the loans that run.
    #[schema(value_type = u64)]
    pub borrowed_sats: Sats,
    /// Principal of all loans there ever were.
    #[schema(value_type = u64)]
    pub ever_borrowed_sats: Sats,
    /// Interest of the loans that were repaid.
    #[schema(value_type = u64)]
    pub interest_paid_sats: Sats,
    /// Interest of the loans that run.
    #[schema(value_type = u64)]
    pub interest_owed_sats: Sats,
    /// Principal of the loans that are overdue, so that their collateral can be lost.
    #[schema(value_type = u64)]
    pub at_risk_sats: Sats,
    /// Principal of the loans whose collateral was lost.
    #[schema(value_type = u64)]
    pub claimed_sats: Sats,
    /// How many run.
    pub running_loans: u64,
    /// How many are overdue.
    pub overdue_loans: u64,
    /// How many were repaid.
    pub repaid_loans: u64,
    /// Of how many the collateral was lost.
    pub claimed_loans: u64,
}

impl From<LoanTotals> for BorrowerTotals {
    fn from(totals: LoanTotals) -> Self {
        Self {
            borrowed_sats: totals.running,
            ever_borrowed_sats: totals.ever,
            interest_paid_sats: totals.interest_paid,
            interest_owed_sats: totals.interest_owed,
            at_risk_sats: totals.at_risk,
            claimed_sats: totals.claimed,
            running_loans: totals.running_count,
            overdue_loans: totals.overdue_count,
            repaid_loans: totals.repaid_count,
            claimed_loans: totals.claimed_count,
        }
    }
}

/// How many loans wait for somebody.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaitingCounts {
    /// For a signature.
    pub signatures: u64,
    /// For a counter-signature.
    pub counter_signatures: u64,
    /// For a repayment that is due within three days or overdue.
    pub repayments: u64,
    /// For a claim.
    pub claims: u64,
}

/// What somebody's loans come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PortfolioView {
    /// As a lender.
    pub as_lender: LenderTotals,
    /// As a borrower.
    pub as_borrower: BorrowerTotals,
    /// What waits for them.
    pub waiting: WaitingCounts,
}

/// Somebody's points, all in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PointTotals {
    /// For everything.
    pub total: u64,
    /// For lending.
    pub as_lender: u64,
    /// For borrowing.
    pub as_borrower: u64,
}

/// What one loan has earned somebody.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LoanPointsView {
    /// Which loan.
    #[schema(value_type = String)]
    pub loan_id: Shown<LoanId>,
    /// As what.
    pub role: RoleName,
    /// The collection of its collateral.
    pub collection_name: String,
    /// What the collection adds, in percent.
    pub points_multiplier: u16,
    /// What was lent.
    #[schema(value_type = u64)]
    pub principal: Sats,
    /// What it has earned so far.
    pub points: u64,
}
