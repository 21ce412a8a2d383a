//! The allowances of lenders, and the events that change them.

use domain::{AccountEvent, Allowance, Exposure, GroupId, LoanExposure, Sats, UnixMs, UserId};

use super::LedgerState;
use crate::ledger::LedgerEvent;

impl LedgerState {
    /// The principal of a lender's manual loans.
    pub(crate) fn exposure(&self, lender: UserId) -> &Exposure {
        self.exposures.of(lender)
    }

    /// The principal of a lender's running loans, manual and instant.
    pub(crate) fn running_principal(&self, lender: UserId) -> Sats {
        self.running.of(lender)
    }

    /// The allowance of a lender in the book of a group.
    pub(crate) fn allowance(&self, lender: UserId, group: GroupId, now: UnixMs) -> Allowance {
        self.accounts.limited().allowance(lender, self.exposure(lender), group, now)
    }

    /// The part that the loan of an event has in its lender's exposure.
    pub(super) fn loan_exposure(&self, event: &LedgerEvent) -> Option<LoanExposure> {
        let LedgerEvent::Loan(id, _) = event else { return None };
        LoanExposure::of(self.loan(*id)?)
    }

    /// The lender whose allowance an event changed, after the event; `exposed` is the part of its loan before it.
    pub(super) fn changed_allowance(&self, event: &LedgerEvent, exposed: Option<LoanExposure>) -> Option<UserId> {
        match event {
            LedgerEvent::Account(AccountEvent::LimitsSet { user, .. } | AccountEvent::AbsenceChanged { user, .. }) => {
                Some(*user)
            }
            LedgerEvent::Loan(id, _) if self.loan_exposure(event) != exposed => {
                let lender = self.loan(*id)?.deal.lender;
                self.accounts.limited().of(lender).map(|_| lender)
            }
            _ => None,
        }
    }
}
