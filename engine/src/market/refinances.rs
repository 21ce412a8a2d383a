//! Offers that running loans could move to, and the notices about them.

use std::collections::BTreeMap;

use domain::{GroupId, LoanEvent, LoanId, LoanRejection, LoanSummary, RefinanceOrder, Role, UnixMs, UserId};
use futures_util::future::try_join_all;

use super::Market;
use crate::book_actor::ReadRequest;
use crate::ledger::SCAN_BATCH;
use crate::refinance::{RefinanceAnswer, RefinanceQuestion};
use crate::refusal::Refusal;
use crate::wire::{AsString, NoticeKind, NoticeView, RefinanceView};

/// The question of a loan now; `None` while none is worth asking.
fn question(loan: &LoanSummary, now: UnixMs) -> Option<RefinanceQuestion> {
    let order = loan.refinance_order.filter(|_| loan.is_order_due(now));
    let is_near_due = loan.is_near_due(now);
    (order.is_some() || is_near_due).then(|| RefinanceQuestion { loan: loan.movable(), order, is_near_due })
}

impl Market {
    /// Sets the terms within which a borrower's running loan is to be refinanced, or withdraws them with `None`.
    ///
    /// # Errors
    /// [`LoanRejection::Unknown`] for a loan that is not the borrower's, and the rejections of the loan.
    pub async fn order_refinance(
        &self,
        borrower: UserId,
        id: LoanId,
        order: Option<RefinanceOrder>,
    ) -> Result<(), Refusal> {
        let loan = self.loan(id).await.filter(|loan| loan.deal.borrower == borrower);
        let loan = loan.ok_or(LoanRejection::Unknown(id))?;
        if loan.refinance_order == order && order.is_none() {
            return Ok(());
        }
        self.step_loan(id, LoanEvent::RefinanceOrdered(order)).await
    }

    /// The offers that the running loans of a borrower could move to, at most one for each.
    ///
    /// # Errors
    /// [`Refusal::Overloaded`], [`Refusal::Closed`].
    pub async fn refinances(&self, borrower: UserId) -> Result<Vec<RefinanceView>, Refusal> {
        let now = self.now();
        let loans: Vec<LoanSummary> = {
            let ledger = self.shared.ledger.lock();
            let own = ledger.state().loans().of(borrower);
            own.filter(|loan| loan.deal.borrower == borrower).map(domain::LoanAccount::summary).collect()
        };
        let answers = self.refinance_answers(loans, now).await?;
        Ok(answers
            .into_iter()
            .map(|(loan, answer)| RefinanceView::of(&loan, &answer.found, answer.is_ordered))
            .collect())
    }

    /// Sends the borrowers of running loans notices about offers that these could move to, once a day each.
    pub(super) async fn watch_refinances(&self) -> Result<(), Refusal> {
        let now = self.now();
        let ids = self.shared.ledger.watched_loans().await;
        for batch in ids.chunks(SCAN_BATCH) {
            let loans: Vec<LoanSummary> = {
                let ledger = self.shared.ledger.lock();
                let known = batch.iter().filter_map(|id| ledger.state().loans().get(*id));
                known.filter(|loan| loan.stage.is_running()).map(domain::LoanAccount::summary).collect()
            };
            for (loan, answer) in self.refinance_answers(loans, now).await? {
                if self.shared.refinance_notices.take(loan.id, answer.is_ordered, now) {
                    self.notify_of_refinance(&loan, answer, now);
                }
            }
        }
        Ok(())
    }

    /// Asks the books of these loans.
    async fn refinance_answers(
        &self,
        loans: Vec<LoanSummary>,
        now: UnixMs,
    ) -> Result<Vec<(LoanSummary, RefinanceAnswer)>, Refusal> {
        let mut by_group: BTreeMap<GroupId, Vec<(LoanSummary, RefinanceQuestion)>> = BTreeMap::new();
        for loan in loans {
            if let Some(question) = question(&loan, now) {
                by_group.entry(loan.deal.group()).or_default().push((loan, question));
            }
        }
        let asked = by_group.into_iter().map(async |(group, asked)| {
            let questions = asked.iter().map(|(_, question)| *question).collect();
            let answers = self.read_book(group, |reply| ReadRequest::Refinances(questions, reply)).await?;
            let both = asked.into_iter().zip(answers);
            Ok::<_, Refusal>(both.filter_map(|((loan, _), answer)| Some((loan, answer?))).collect::<Vec<_>>())
        });
        Ok(try_join_all(asked).await?.into_iter().flatten().collect())
    }

    fn notify_of_refinance(&self, loan: &LoanSummary, answer: RefinanceAnswer, now: UnixMs) {
        const DAY_MS: u64 = 24 * 60 * 60 * 1_000;
        let kind = if answer.is_ordered { NoticeKind::RefinanceOrdered } else { NoticeKind::RefinanceCheaper };
        let group = self.group(loan.deal.group());
        let notice = NoticeView {
            // The same after a restart on the same day.
            id: format!("{}-{}-{}", loan.id, kind.name(), now.0 / DAY_MS),
            kind,
            at: now,
            collection_name: group.map_or_else(String::new, |group| group.name.clone()),
            loan_id: Some(AsString(loan.id)),
            role: Some(Role::Borrower.into()),
            offer_id: Some(AsString(answer.found.offer)),
        };
        self.publish_notice(loan.deal.borrower, notice);
    }
}
