//! The totals of a user's loans.

use std::sync::Arc;

use domain::{LoanId, LoanTotals, Sats};
use serde::Serialize;
use utoipa::ToSchema;

use super::{AsString, RoleName};

/// The totals of a user as a lender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LenderTotals {
    /// The principal of running loans.
    #[schema(value_type = u64)]
    pub lent_sats: Sats,
    /// The principal of all loans so far.
    #[schema(value_type = u64)]
    pub ever_lent_sats: Sats,
    /// The interest of repaid loans, before platform fees.
    #[schema(value_type = u64)]
    pub interest_earned_sats: Sats,
    /// The interest of running loans.
    #[schema(value_type = u64)]
    pub interest_owed_sats: Sats,
    /// The platform fees paid for all loans so far.
    #[schema(value_type = u64)]
    pub platform_fees_sats: Sats,
    /// The principal of overdue loans.
    #[schema(value_type = u64)]
    pub at_risk_sats: Sats,
    /// The principal of loans whose collateral was claimed.
    #[schema(value_type = u64)]
    pub claimed_sats: Sats,
    /// The number of running loans.
    pub running_loans: u64,
    /// The number of overdue loans.
    pub overdue_loans: u64,
    /// The number of repaid loans.
    pub repaid_loans: u64,
    /// The number of loans whose collateral was claimed.
    pub claimed_loans: u64,
}

impl From<LoanTotals> for LenderTotals {
    fn from(totals: LoanTotals) -> Self {
        Self {
            lent_sats: totals.running,
            ever_lent_sats: totals.all_time,
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

/// The totals of a user as a borrower.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BorrowerTotals {
    /// The principal of running loans.
    #[schema(value_type = u64)]
    pub borrowed_sats: Sats,
    /// The principal of all loans so far.
    #[schema(value_type = u64)]
    pub ever_borrowed_sats: Sats,
    /// The interest of repaid loans.
    #[schema(value_type = u64)]
    pub interest_paid_sats: Sats,
    /// The interest of running loans.
    #[schema(value_type = u64)]
    pub interest_owed_sats: Sats,
    /// The principal of overdue loans, whose collateral can be claimed.
    #[schema(value_type = u64)]
    pub at_risk_sats: Sats,
    /// The principal of loans whose collateral was claimed.
    #[schema(value_type = u64)]
    pub claimed_sats: Sats,
    /// The number of running loans.
    pub running_loans: u64,
    /// The number of overdue loans.
    pub overdue_loans: u64,
    /// The number of repaid loans.
    pub repaid_loans: u64,
    /// The number of loans whose collateral was claimed.
    pub claimed_loans: u64,
}

impl From<LoanTotals> for BorrowerTotals {
    fn from(totals: LoanTotals) -> Self {
        Self {
            borrowed_sats: totals.running,
            ever_borrowed_sats: totals.all_time,
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

/// The numbers of loans that wait for the user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaitingCounts {
    /// Loans that wait for a signature.
    pub signatures: u64,
    /// Loans that wait for a counter-signature.
    pub counter_signatures: u64,
    /// Loans with a repayment that is due within three days or overdue.
    pub repayments: u64,
    /// Loans whose collateral can be claimed.
    pub claims: u64,
}

/// The totals of a user's loans.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PortfolioView {
    /// The totals as a lender.
    pub as_lender: LenderTotals,
    /// The totals as a borrower.
    pub as_borrower: BorrowerTotals,
    /// The numbers of loans that wait for the user.
    pub waiting: WaitingCounts,
}

/// The total points of a user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PointTotals {
    /// All points.
    pub total: u64,
    /// Points for lending.
    pub as_lender: u64,
    /// Points for borrowing.
    pub as_borrower: u64,
}

/// The points of a user from one loan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LoanPointsView {
    /// The loan.
    #[schema(value_type = String)]
    pub loan_id: AsString<LoanId>,
    /// The user's side.
    pub role: RoleName,
    /// The collection of its collateral.
    #[schema(value_type = String)]
    pub collection_name: Arc<str>,
    /// The extra points of the collection, in percent.
    pub points_multiplier: u16,
    /// The principal.
    #[schema(value_type = u64)]
    pub principal: Sats,
    /// The points that it has earned so far.
    pub points: u64,
}
