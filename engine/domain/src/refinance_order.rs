//! A borrower's standing order to refinance a loan near its due date.

use serde::{Deserialize, Serialize};

use crate::{InterestRate, LoanTerms, Sats, TermDays};

/// The terms within which a borrower wants to refinance a loan.
///
/// It signs nothing: a refinance spends coins of the next lender, which are unknown until there is one, and the borrower's
/// signature has to commit to all of them. The market looks for an offer, and the borrower signs when there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefinanceOrder {
    /// The least principal of the next loan.
    pub principal_min: Sats,
    /// The highest interest for the whole term of the next loan.
    pub interest_max: InterestRate,
    /// The shortest term of the next loan.
    pub term_min: TermDays,
    /// The longest term of the next loan.
    pub term_max: TermDays,
    /// The number of days before the due date from which the market looks for an offer.
    pub days_before: u8,
}

impl RefinanceOrder {
    /// The most days before the due date.
    pub const DAYS_BEFORE_MAX: u8 = 14;

    /// Whether some offer could be within the terms.
    #[must_use]
    pub fn is_possible(&self) -> bool {
        let has_range = TermDays(1) <= self.term_min && self.term_min <= self.term_max;
        has_range && self.principal_min > Sats::ZERO && (1..=Self::DAYS_BEFORE_MAX).contains(&self.days_before)
    }

    /// Whether a loan is within the terms.
    #[must_use]
    pub fn accepts(&self, principal: Sats, terms: LoanTerms) -> bool {
        principal >= self.principal_min
            && terms.interest <= self.interest_max
            && (self.term_min..=self.term_max).contains(&terms.days)
    }
}
