//! The money of a loan's agreement.

use domain::{InterestRate, LoanDeal, Sats};

/// The part of a loan's agreement that its return follows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DealTerms {
    /// The interest for the whole term.
    pub rate: InterestRate,
    /// The principal.
    pub principal: Sats,
    /// The platform's fee.
    pub platform_fee: Sats,
}

impl From<&LoanDeal> for DealTerms {
    fn from(deal: &LoanDeal) -> Self {
        Self { rate: deal.rate, principal: deal.principal, platform_fee: deal.platform_fee }
    }
}
