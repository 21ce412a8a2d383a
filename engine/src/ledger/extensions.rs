//! Loans without an entry in a book: extensions, and prepared loans whose borrower has not signed. The ledger itself
//! keeps their deadlines, and the outputs that extensions spend.

use domain::{CancelledBy, LoanEvent, LoanId, LoanRejection, LoanStage, Outpoint, ProcessType, ReservationId, UnixMs};

use crate::Refusal;

use super::{LedgerEvent, LedgerState};

impl LedgerState {
    /// Prepares a loan that is to follow another one of the same lender and borrower, with the same principal and
    /// collateral; and locks all outputs that it spends.
    ///
    /// # Errors
    /// [`Refusal::DealChanged`] when it follows no such loan, [`Refusal::Loan`] when that cannot end now, and
    /// [`Refusal::Asset`] when an output is locked otherwise: a loan has at most one extension at a time.
    pub(crate) fn prepare_extension(
        &self,
        id: LoanId,
        prepared: LoanEvent,
        outpoints: &[Outpoint],
        now: UnixMs,
    ) -> Result<Vec<LedgerEvent>, Refusal> {
        let LoanEvent::ExtensionPrepared { deal, .. } = &prepared else { return Err(Refusal::DealChanged) };
        let followed = deal.follows.ok_or(Refusal::DealChanged)?;
        let followed = self.loan(followed).ok_or(LoanRejection::Unknown(followed))?;
        let agreed = &followed.deal;
        let is_same = (agreed.lender, agreed.borrower, agreed.group()) == (deal.lender, deal.borrower, deal.group())
            && (agreed.principal, agreed.pledged_raw) == (deal.principal, deal.pledged_raw)
            && agreed.pledged_ids == deal.pledged_ids
            && [agreed.process, deal.process] == [ProcessType::Manual; 2]
            && agreed.claim_after < deal.claim_after;
        if !is_same {
            return Err(Refusal::DealChanged);
        }
        if !matches!(followed.stage, LoanStage::Active | LoanStage::Expired) {
            return Err(LoanRejection::WrongStage { stage: followed.stage }.into());
        }
        let mut decided = self.loan_step(id, prepared, now)?;
        for outpoint in outpoints {
            decided.push(self.lock(*outpoint, ReservationId(id.0))?);
        }
        Ok(decided)
    }

    /// Ends a loan without an entry in a book, before its transaction is broadcast, and releases everything locked for
    /// it.
    ///
    /// # Errors
    /// [`LoanRejection::Reserved`] when its borrower has signed in the meantime.
    pub(crate) fn end_outside_book(
        &self,
        id: LoanId,
        event: LoanEvent,
        now: UnixMs,
    ) -> Result<Vec<LedgerEvent>, Refusal> {
        if self.loan(id).is_some_and(|loan| !loan.is_outside_book()) {
            return Err(LoanRejection::Reserved(id).into());
        }
        let mut decided = self.loan_step(id, event, now)?;
        self.unlock_all(id, &mut decided)?;
        Ok(decided)
    }

    /// Ends loans without an entry in a book that were not signed in time, at most `count` of them.
    pub(crate) fn lapse_outside_book(&self, now: UnixMs, count: usize) -> Result<Vec<LedgerEvent>, Refusal> {
        let mut decided = Vec::new();
        for id in self.loans().lapsed(now).take(count) {
            let event = match self.loan(id).map(|loan| loan.stage) {
                Some(LoanStage::AwaitingLender) => LoanEvent::Lapsed,
                _ => LoanEvent::Cancelled { by: CancelledBy::Time },
            };
            decided.extend(self.end_outside_book(id, event, now)?);
        }
        Ok(decided)
    }
}
