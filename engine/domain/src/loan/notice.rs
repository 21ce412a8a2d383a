//! The notices of a loan for its two sides, with their times: offer accepted, counter-signature needed, loan started,
//! due, overdue, repaid, claimable.
//!
//! All of them follow from the loan's state and the time, so they need not be stored: the same notices result from
//! every request, also after a restart.

use crate::{LoanStage, NoticeKind, ProcessType, Role, UnixMs};

use super::{CancelledBy, LoanSummary, summary::FIRST_REMINDER_MS};

/// The time before the due time at which a borrower is reminded again, in milliseconds.
const SECOND_REMINDER_MS: u64 = 24 * 3_600_000;
/// The time before the lender may claim at which a borrower with an unconfirmed repayment is warned, in milliseconds.
const REPAYMENT_WARNING_MS: u64 = 24 * 3_600_000;
/// The time that a repayment signed later than that has for its confirmation before the warning, in milliseconds.
const REPAYMENT_CONFIRMATION_GRACE_MS: u64 = 3_600_000;

/// A notice; there is one per loan and kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LoanNotice {
    /// The time.
    pub at: UnixMs,
    /// The kind.
    pub kind: NoticeKind,
}

impl LoanSummary {
    /// The notices for a role up to `now`, in no particular order.
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
        let mut notices = Vec::new();
        if is_lender {
            // An extension takes no offer.
            if self.extended_until.is_none() {
                notices.push((OfferAccepted, accepted_at));
            }
            if self.deal.process == ProcessType::Manual {
                notices.push((CounterSignatureNeeded, accepted_at));
            }
        } else if self.stage == LoanStage::Prepared {
            notices.push((SignatureNeeded, self.updated_at));
        }
        if let (Some(started_at), Some(due)) = (self.started_at(), self.due_at()) {
            notices.push((LoanStarted, started_at));
            let until = self.settled_at().map_or(now, |settled| settled.min(now));
            let reminders = if is_lender { [None, None] } else { self.reminders() };
            // A borrower who has signed a repayment needs no reminder.
            let repaying = (self.stage == LoanStage::Repaying).then_some(self.updated_at);
            let reminded = repaying.map_or(until, |since| since.min(until));
            notices.extend(
                [DueIn72Hours, DueIn24Hours]
                    .into_iter()
                    .zip(reminders)
                    .filter_map(|(kind, at)| at.filter(|at| *at <= reminded).map(|at| (kind, at))),
            );
            if due <= until {
                notices.push((Overdue, due.max(started_at)));
            }
            let unconfirmed = self.repayment_unconfirmed_at().filter(|at| !is_lender && *at <= until);
            notices.extend(unconfirmed.map(|at| (RepaymentWaits, at)));
            let claimable = self.claimable_at().filter(|at| is_lender && *at <= until);
            notices.extend(claimable.map(|at| (Claimable, at)));
        }
        // The time of a block may be earlier than that of the events that led to it.
        let ended = |at: Option<UnixMs>| at.unwrap_or(self.updated_at).max(self.started_at().unwrap_or(accepted_at));
        match self.stage {
            LoanStage::Repaid => notices.push((Repaid, ended(self.ended_at()))),
            LoanStage::Claimed => notices.push((Claimed, ended(self.ended_at()))),
            LoanStage::Cancelled => notices.push((self.cancellation(is_lender), self.updated_at)),
            LoanStage::Lapsed => notices.push((Lapsed, self.updated_at)),
            LoanStage::Failed => notices.push((Failed, self.updated_at)),
            _ => {}
        }
        notices.into_iter().map(|(kind, at)| LoanNotice { at, kind }).collect()
    }

    /// The kind of notice for the cancellation of an accepted loan.
    const fn cancellation(&self, is_lender: bool) -> NoticeKind {
        match self.cancelled_by {
            Some(CancelledBy::Owner) => NoticeKind::CollateralReclaimed,
            Some(CancelledBy::CollateralMoved) if is_lender => NoticeKind::CollateralMoved,
            _ => NoticeKind::Cancelled,
        }
    }

    /// The first time after `after` at which a notice or the view changes through time alone.
    #[must_use]
    pub fn next_change_at(&self, after: UnixMs) -> Option<UnixMs> {
        let reminders = match self.stage {
            LoanStage::Active | LoanStage::Expired => self.reminders(),
            LoanStage::Repaying => [None, None],
            _ => return None,
        };
        let times = reminders.into_iter().chain([self.due_at(), self.repayment_unconfirmed_at(), self.claimable_at()]);
        times.flatten().filter(|at| *at > after).min()
    }

    /// The time of the notice that it started.
    fn started_at(&self) -> Option<UnixMs> {
        self.began.map(|began| self.accepted_at.map_or(began.at, |accepted| accepted.max(began.at)))
    }

    /// The time from which the passing of time changes nothing any more. An unconfirmed repayment does not count: until
    /// it is confirmed the lender may claim.
    fn settled_at(&self) -> Option<UnixMs> {
        match self.stage {
            LoanStage::Repaid | LoanStage::Claimed => Some(self.ended_at().unwrap_or(self.updated_at)),
            LoanStage::Claiming => Some(self.updated_at),
            _ => None,
        }
    }

    /// The time at which a borrower is warned that the repayment is still unconfirmed.
    fn repayment_unconfirmed_at(&self) -> Option<UnixMs> {
        let warning = UnixMs(self.deal.claim_after.0.saturating_sub(REPAYMENT_WARNING_MS));
        let signed = self.updated_at.plus_ms(REPAYMENT_CONFIRMATION_GRACE_MS);
        (self.stage == LoanStage::Repaying).then(|| warning.max(signed))
    }

    /// The times of the borrower's reminders; `None` for those before the start of a short term.
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
