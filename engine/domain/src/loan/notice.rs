//! What the two sides are told of a loan, and when (FACTS: offer accepted, counter-signature needed, loan started, due,
//! overdue, repaid, claimable).
//!
//! All of it follows from how the loan stands and from the time, so nothing needs to be written down: whoever asks again,
//! or asks after a restart, is told the same.

use crate::{LoanStage, NoticeKind, ProcessType, Role, UnixMs};

use super::{CancelledBy, LoanSummary, summary::FIRST_REMINDER_MS};

/// How long before the due time a borrower is told again, in milliseconds.
const SECOND_REMINDER_MS: u64 = 24 * 3_600_000;
/// How long before the lender may claim a borrower is told whose repayment waits, in milliseconds.
const REPAYMENT_WARNING_MS: u64 = 24 * 3_600_000;
/// A repayment that was signed later than that has so long to find its block before anybody is told, in milliseconds.
const REPAYMENT_PATIENCE_MS: u64 = 3_600_000;

/// Something that was told, once for a loan and a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LoanNotice {
    /// When.
    pub at: UnixMs,
    /// What.
    pub kind: NoticeKind,
}

impl LoanSummary {
    /// What somebody of this role has been told by `now`, in no particular order.
    #[must_use]
    pub fn notices(&self, role: Role, now: UnixMs) -> Vec<LoanNotice> {
        use NoticeKind::{
            Claimable, Claimed, CounterSignatureNeeded, DueIn24Hours, DueIn72Hours, Failed, Lapsed, LoanStarted,
            OfferAccepted, OfferTaken, Overdue, Repaid, RepaymentWaits, SignatureNeeded,
        };
        let is_lender = role == Role::Lender;
        let Some(accepted_at) = self.accepted_at else {
            let is_taken = !is_lender && self.cancelled_by == Some(CancelledBy::OfferTaken);
            return is_taken.then_some(LoanNotice { at: self.updated_at, kind: OfferTaken }).into_iter().collect();
        };
        let mut told = Vec::new();
        if is_lender {
            // Nobody made an offer of an extension.
            if self.extended_until.is_none() {
                told.push((OfferAccepted, accepted_at));
            }
            if self.deal.process == ProcessType::Manual {
                told.push((CounterSignatureNeeded, accepted_at));
            }
        } else if self.stage == LoanStage::Prepared {
            told.push((SignatureNeeded, self.updated_at));
        }
        if let (Some(started_at), Some(due)) = (self.started_at(), self.due_at()) {
            told.push((LoanStarted, started_at));
            let until = self.settled_at().map_or(now, |settled| settled.min(now));
            let reminders = if is_lender { [None, None] } else { self.reminders() };
            // Whoever has signed a repayment need not be reminded of it any more.
            let repaying = (self.stage == LoanStage::Repaying).then_some(self.updated_at);
            let reminded = repaying.map_or(until, |since| since.min(until));
            told.extend(
                [DueIn72Hours, DueIn24Hours]
                    .into_iter()
                    .zip(reminders)
                    .filter_map(|(kind, at)| at.filter(|at| *at <= reminded).map(|at| (kind, at))),
            );
            if due <= until {
                told.push((Overdue, due.max(started_at)));
            }
            let waits = self.repayment_waits_at().filter(|at| !is_lender && *at <= until);
            told.extend(waits.map(|at| (RepaymentWaits, at)));
            let claimable = self.claimable_at().filter(|at| is_lender && *at <= until);
            told.extend(claimable.map(|at| (Claimable, at)));
        }
        // The time of a block may lie before that of what led to it.
        let ended = |at: Option<UnixMs>| at.unwrap_or(self.updated_at).max(self.started_at().unwrap_or(accepted_at));
        match self.stage {
            LoanStage::Repaid => told.push((Repaid, ended(self.ended_at()))),
            LoanStage::Claimed => told.push((Claimed, ended(self.ended_at()))),
            LoanStage::Cancelled => told.push((self.cancellation(is_lender), self.updated_at)),
            LoanStage::Lapsed => told.push((Lapsed, self.updated_at)),
            LoanStage::Failed => told.push((Failed, self.updated_at)),
            _ => {}
        }
        told.into_iter().map(|(kind, at)| LoanNotice { at, kind }).collect()
    }

    /// What is told of the cancellation of an accepted loan.
    const fn cancellation(&self, is_lender: bool) -> NoticeKind {
        match self.cancelled_by {
            Some(CancelledBy::Owner) => NoticeKind::CollateralReclaimed,
            Some(CancelledBy::CollateralMoved) if is_lender => NoticeKind::CollateralMoved,
            _ => NoticeKind::Cancelled,
        }
    }

    /// When something is told, or shown otherwise, by time alone; the first such time after `after`.
    #[must_use]
    pub fn next_moment(&self, after: UnixMs) -> Option<UnixMs> {
        let reminders = match self.stage {
            LoanStage::Active | LoanStage::Expired => self.reminders(),
            LoanStage::Repaying => [None, None],
            _ => return None,
        };
        let times = reminders.into_iter().chain([self.due_at(), self.repayment_waits_at(), self.claimable_at()]);
        times.flatten().filter(|at| *at > after).min()
    }

    /// When both sides were told that it started.
    fn started_at(&self) -> Option<UnixMs> {
        self.began.map(|began| self.accepted_at.map_or(began.at, |accepted| accepted.max(began.at)))
    }

    /// Since when time changes nothing any more. A repayment that waits for its block changes nothing: until that comes
    /// the lender may claim.
    fn settled_at(&self) -> Option<UnixMs> {
        match self.stage {
            LoanStage::Repaid | LoanStage::Claimed => Some(self.ended_at().unwrap_or(self.updated_at)),
            LoanStage::Claiming => Some(self.updated_at),
            _ => None,
        }
    }

    /// When a borrower is told that the repayment still waits for its block.
    fn repayment_waits_at(&self) -> Option<UnixMs> {
        let warning = UnixMs(self.deal.claim_after.0.saturating_sub(REPAYMENT_WARNING_MS));
        let signed = self.updated_at.plus_ms(REPAYMENT_PATIENCE_MS);
        (self.stage == LoanStage::Repaying).then(|| warning.max(signed))
    }

    /// When the borrower is reminded; a term that is shorter than that has no such time.
    fn reminders(&self) -> [Option<UnixMs>; 2] {
        let before = |ms: u64| {
            let at = UnixMs(self.due_at()?.0.saturating_sub(ms));
            self.started_at().filter(|started| *started < at).map(|_| at)
        };
        [before(FIRST_REMINDER_MS), before(SECOND_REMINDER_MS)]
    }

    fn claimable_at(&self) -> Option<UnixMs> {
        self.due_at().map(|due| due.max(self.deal.claim_after))
    }
}
