//! What a commit or the passing of time means for those who have a loan.

use domain::{LoanNotice, LoanSummary, Role, UnixMs, UserId};

use crate::journal::Sequence;

/// How a loan stands now, and what was told of it before.
#[derive(Clone, Debug)]
pub(crate) struct LoanNews {
    pub(crate) loan: LoanSummary,
    /// How many events it has; later states have more, and what time alone changes leaves the number as it is.
    pub(crate) sequence: Sequence,
    /// As of when.
    pub(crate) at: UnixMs,
    /// How it stood before, and until when everything about that was told; `None` for a new loan.
    pub(crate) before: Option<(LoanSummary, UnixMs)>,
}

impl LoanNews {
    /// Its two sides.
    pub(crate) const fn parties(&self) -> [UserId; 2] {
        [self.loan.deal.lender, self.loan.deal.borrower]
    }

    /// What somebody is told now that was not told before.
    pub(crate) fn notices(&self, role: Role) -> Vec<LoanNotice> {
        let told = self.before.as_ref().map(|(loan, until)| loan.notices(role, *until)).unwrap_or_default();
        let mut new = self.loan.notices(role, self.at);
        new.retain(|notice| !told.contains(notice));
        new.sort_unstable();
        new
    }
}
