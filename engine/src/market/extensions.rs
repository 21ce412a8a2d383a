//! Loans that follow another one of the same lender and borrower: they take no offer, and replace the earlier loan in
//! the book.

use domain::{Command, LoanAccount, LoanEnd, LoanEvent, LoanId, LoanRejection, LoanStage, Outpoint, Rejection};

use crate::{Refusal, book_actor::LedgerEffects};

use super::Market;

/// The maximum number of loans that lapse in one batch.
const LAPSING_MAX: usize = 64;

impl Market {
    /// Stores an extension for signing, and locks the outputs that it spends: all or nothing. `prepared` is a
    /// [`LoanEvent::ExtensionPrepared`].
    ///
    /// # Errors
    /// [`Refusal::DealChanged`] when it follows no loan of the same lender, borrower, principal and collateral;
    /// [`Refusal::Loan`] when that loan is not running or is ending; [`Refusal::Asset`] when an output is locked
    /// otherwise.
    pub async fn prepare_extension(
        &self,
        id: LoanId,
        prepared: LoanEvent,
        mut outpoints: Vec<Outpoint>,
    ) -> Result<(), Refusal> {
        outpoints.sort_unstable();
        outpoints.dedup();
        self.on_ledger(|ledger, now| Ok((ledger.prepare_extension(id, prepared, &outpoints, now)?, ()))).await.map(drop)
    }

    /// Ends the loans without an entry in a book that were not signed in time: extensions and prepared loans. What was
    /// locked for them is free.
    pub async fn lapse_outside_book(&self) -> Result<(), Refusal> {
        self.on_ledger(|ledger, now| Ok((ledger.lapse_outside_book(now, LAPSING_MAX)?, ()))).await.map(drop)
    }

    /// Ends a loan without an entry in a book before it is fully signed, unless it has moved on from the stage that was
    /// seen.
    pub(super) async fn end_outside_book(
        &self,
        id: LoanId,
        seen: Option<LoanStage>,
        event: LoanEvent,
    ) -> Result<(), Refusal> {
        let end = |ledger: &crate::ledger::LedgerState, now| {
            if let Some(stage) = seen {
                ledger.check_stage(id, stage)?;
            }
            Ok((ledger.end_outside_book(id, event, now)?, ()))
        };
        self.on_ledger(end).await.map(drop)
    }

    /// Begins a fully signed extension: applies `steps` of both loans, the extension's last, and puts it into the book.
    pub(super) async fn begin_extension(
        &self,
        extension: &LoanAccount,
        steps: Vec<(LoanId, LoanEvent)>,
    ) -> Result<(), Refusal> {
        let followed = extension.deal.follows.ok_or(Refusal::DealChanged)?;
        let command = Command::ReplaceLoan { loan: followed, successor: extension.id };
        let effects = LedgerEffects { loans: steps.clone(), ..LedgerEffects::default() };
        match self.submit(extension.deal.group(), vec![command], effects).await {
            // The book no longer has a loan whose end a reorg unconfirmed.
            Err(Refusal::Book(Rejection::UnknownLoan(_))) => {
                let begin = |ledger: &crate::ledger::LedgerState, now| {
                    let mut decided = Vec::new();
                    for (id, event) in steps {
                        decided.extend(ledger.loan_step(id, event, now)?);
                    }
                    ledger.unlock_all(extension.id, &mut decided)?;
                    Ok((decided, ()))
                };
                self.on_ledger(begin).await.map(drop)
            }
            submitted => submitted.map(drop),
        }
    }

    /// Fails an extension that can never begin: the book has the other loan again, unless that has ended.
    pub(super) async fn fail_extension(&self, extension: &LoanAccount) -> Result<(), Refusal> {
        let (id, followed) = (extension.id, extension.deal.follows.ok_or(Refusal::DealChanged)?);
        let stage = self.loan(followed).await.ok_or(LoanRejection::Unknown(followed))?.stage;
        let command = match stage {
            LoanStage::Claimed => Command::EndLoan { loan: id, end: LoanEnd::Claimed },
            stage if stage.is_over() => Command::EndLoan { loan: id, end: LoanEnd::Repaid },
            _ => Command::ReplaceLoan { loan: id, successor: followed },
        };
        let effects = LedgerEffects { loans: vec![(id, LoanEvent::Failed)], ..LedgerEffects::default() };
        self.submit(extension.deal.group(), vec![command], effects).await.map(drop)
    }
}
