//! Changes of loans, by a commit or by the passing of time, as seen by their two sides.

use domain::{LoanNotice, LoanSummary, Role, UnixMs, UserId};

use crate::journal::Sequence;

/// A loan's current state, and the state that its sides were last notified of.
#[derive(Clone, Debug)]
pub(crate) struct LoanChange {
    pub(crate) loan: LoanSummary,
    /// The number of its events; later states have more, and a change through time alone leaves the number as it is.
    pub(crate) sequence: Sequence,
    /// The time of the change.
    pub(crate) at: UnixMs,
    /// Its previous state, and the time up to which notices about that state were sent; `None` for a new loan.
    pub(crate) before: Option<(LoanSummary, UnixMs)>,
}

impl LoanChange {
    /// The sides that see it: a standing order is the borrower's alone.
    pub(crate) fn parties(&self) -> impl Iterator<Item = UserId> {
        let is_order =
            self.before.as_ref().is_some_and(|(before, _)| before.refinance_order != self.loan.refinance_order);
        let lender = (!is_order).then_some(self.loan.deal.lender);
        lender.into_iter().chain([self.loan.deal.borrower])
    }

    /// The notices for a role that were not sent before.
    pub(crate) fn notices(&self, role: Role) -> Vec<LoanNotice> {
        let sent = self.before.as_ref().map(|(loan, until)| loan.notices(role, *until)).unwrap_or_default();
        let mut new = self.loan.notices(role, self.at);
        new.retain(|notice| !sent.contains(notice));
        new.sort_unstable();
        new
    }
}
