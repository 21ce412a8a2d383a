//! The exposure of each lender and the principal of running loans: derived from the loans, not stored elsewhere.

use domain::{Exposure, LoanAccount, LoanExposure, Sats, UserId};
use rustc_hash::FxHashMap;

/// The exposures of all lenders with manual loans.
#[derive(Debug, Default)]
pub(super) struct Exposures(FxHashMap<UserId, Exposure>);

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

/// The principal of the running loans of all lenders, manual and instant.
#[derive(Debug, Default)]
pub(super) struct RunningPrincipals(FxHashMap<UserId, Sats>);

impl RunningPrincipals {
    /// A lender's running principal.
    pub(super) fn of(&self, lender: UserId) -> Sats {
        self.0.get(&lender).copied().unwrap_or_default()
    }

    /// Replaces a loan's part by that of its state now.
    pub(super) fn replace(&mut self, before: Sats, loan: &LoanAccount) {
        let after = loan.running_principal();
        if before != after {
            let lender = loan.deal.lender;
            let sum = self.of(lender).saturating_add(after).saturating_sub(before);
            if sum == Sats::ZERO {
                self.0.remove(&lender);
            } else {
                self.0.insert(lender, sum);
            }
        }
    }
}
