//! The exposure of each lender: derived from the loans, not stored elsewhere.

use std::collections::HashMap;

use domain::{Exposure, LoanAccount, LoanExposure, UserId};

/// The exposures of all lenders with manual loans.
#[derive(Debug, Default)]
pub(super) struct Exposures(HashMap<UserId, Exposure>);

impl Exposures {
    /// A lender's exposure.
    pub(super) fn of(&self, lender: UserId) -> &Exposure {
        static NONE: Exposure = Exposure::NONE;
        self.0.get(&lender).unwrap_or(&NONE)
    }

    /// Replaces a loan's part by that of its state now.
    pub(super) fn replace(&mut self, before: Option<LoanExposure>, loan: &LoanAccount) {
        let after = LoanExposure::of(loan);
        if before != after {
            self.0.entry(loan.deal.lender).or_default().replace(before, after);
        }
    }
}
