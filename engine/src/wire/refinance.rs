//! Offers that a running loan could move to, and the standing order for one.

use domain::{LoanId, LoanSummary, OfferId, RefinanceMatch, RefinanceOrder, Sats};
use serde::Serialize;
use utoipa::ToSchema;

use super::{AsString, Percent, ProcessName};

/// A borrower's standing order to refinance a loan near its due date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RefinanceOrderView {
    /// The least principal of the next loan.
    #[schema(value_type = u64)]
    pub principal_min_sats: Sats,
    /// The highest interest for the whole term of the next loan.
    #[schema(value_type = f64)]
    pub interest_max_percentage: Percent,
    /// The shortest term of the next loan, in days.
    pub term_min_days: u16,
    /// The longest term of the next loan, in days.
    pub term_max_days: u16,
    /// The number of days before the due date from which an offer is looked for.
    pub days_before: u8,
}

impl From<RefinanceOrder> for RefinanceOrderView {
    fn from(order: RefinanceOrder) -> Self {
        let RefinanceOrder { principal_min, interest_max, term_min, term_max, days_before } = order;
        Self {
            principal_min_sats: principal_min,
            interest_max_percentage: interest_max.into(),
            term_min_days: term_min.0,
            term_max_days: term_max.0,
            days_before,
        }
    }
}

/// An offer that a running loan could move to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RefinanceView {
    /// The running loan.
    #[schema(value_type = String)]
    pub loan_id: AsString<LoanId>,
    /// The offer.
    #[schema(value_type = String)]
    pub offer_id: AsString<OfferId>,
    /// Its process type.
    pub process: ProcessName,
    /// The principal of the next loan.
    #[schema(value_type = u64)]
    pub principal_sats: Sats,
    /// Its interest for the whole term.
    #[schema(value_type = f64)]
    pub interest_percentage: Percent,
    /// Its term, in days.
    pub term_days: u16,
    /// The amount to repay at its end.
    #[schema(value_type = u64)]
    pub payout_sats: Sats,
    /// The part of the interest per day of principal that it saves; negative where it costs more.
    #[schema(value_type = f64)]
    pub saved_percentage: Percent,
    /// Whether it is within the borrower's standing order; otherwise it is at least 10 percent cheaper per day.
    pub is_ordered: bool,
}

impl RefinanceView {
    /// Returns the view of an offer for a loan.
    #[must_use]
    pub fn of(loan: &LoanSummary, found: &RefinanceMatch) -> Self {
        let interest = found.terms.interest.of(found.principal).unwrap_or(Sats::ZERO);
        Self {
            loan_id: AsString(loan.id),
            offer_id: AsString(found.offer),
            process: found.process.into(),
            principal_sats: found.principal,
            interest_percentage: found.terms.interest.into(),
            term_days: found.terms.days.0,
            payout_sats: found.principal.saturating_add(interest),
            saved_percentage: Percent::from_hundredths(loan.deal.terms().saved_by(found.terms)),
            is_ordered: found.is_ordered,
        }
    }
}
