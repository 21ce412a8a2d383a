//! Offers that running loans could move to, and the notices about them.

use std::{collections::BTreeMap, sync::Arc};

use domain::{
    GroupId, LoanEvent, LoanId, LoanRejection, LoanSummary, RefinanceMatch, RefinanceOrder, RefinanceQuestion, Role,
    UnixMs, UserId,
};
use futures_util::future::join_all;

use super::Market;
use crate::book_actor::ReadRequest;
use crate::ledger::{LoanList, SCAN_BATCH};
use crate::refusal::Refusal;
use crate::wire::{AsString, NoticeKind, NoticeView, RefinanceView};

/// The most questions in one message to a book, between which it takes commands.
const QUESTIONS_MAX: usize = 32;

/// A loan with its question.
type Asked = (LoanSummary, RefinanceQuestion);

/// A loan with the offer that it could move to.
type Found = (LoanSummary, RefinanceMatch);

fn asked(loan: LoanSummary, now: UnixMs) -> Option<Asked> {
    let question = loan.refinance_question(now)?;
    Some((loan, question))
}

impl Market {
    /// Sets the terms within which a borrower's running loan is to be refinanced, or withdraws them with `None`.
    ///
    /// # Errors
    /// [`LoanRejection::Unknown`] for a loan that is not the borrower's, [`LoanRejection::NotReplaceable`], and the
    /// rejections of the loan.
    pub async fn order_refinance(
        &self,
        borrower: UserId,
        id: LoanId,
        order: Option<RefinanceOrder>,
    ) -> Result<(), Refusal> {
        let loan = self.loan(id).await.filter(|loan| loan.deal.borrower == borrower);
        let loan = loan.ok_or(LoanRejection::Unknown(id))?;
        if loan.refinance_order == order {
            return Ok(());
        }
        let group = self.group(loan.deal.group()).ok_or(Refusal::UnknownGroup)?;
        if order.is_some() && group.refinance_obstacle(loan.deal.pledged_raw).is_some() {
            return Err(LoanRejection::NotReplaceable(id).into());
        }
        self.step_loan(id, LoanEvent::RefinanceOrdered(order)).await
    }

    /// The offers that the running loans of a borrower could move to, at most one for each.
    ///
    /// # Errors
    /// [`Refusal::Overloaded`], [`Refusal::Closed`].
    pub async fn refinances(&self, borrower: UserId) -> Result<Vec<RefinanceView>, Refusal> {
        let now = self.now();
        let mut questions = Vec::new();
        self.each_in_list(borrower, LoanList::Open, |role, loan| {
            questions.extend(asked(loan, now).filter(|_| role == Role::Borrower));
        })
        .await?;
        let found: Result<Vec<_>, _> = self.search_refinances(questions).await.into_iter().collect();
        let views = found?.into_iter().flatten();
        Ok(views.map(|(loan, found)| RefinanceView::of(&loan, &found)).collect())
    }

    /// Sends the borrowers of running loans notices about offers that these could move to, once a day each.
    pub(super) async fn watch_refinances(&self) {
        let now = self.now();
        self.shared.refinance_notices.forget_before(now);
        let ids = self.shared.ledger.watched_loans().await;
        for batch in ids.chunks(SCAN_BATCH) {
            let questions: Vec<Asked> = {
                let ledger = self.shared.ledger.lock();
                let known = batch.iter().filter_map(|id| ledger.state().loans().get(*id));
                known.filter(|loan| loan.stage.is_running()).filter_map(|loan| asked(loan.summary(), now)).collect()
            };
            for answers in self.search_refinances(questions).await {
                match answers {
                    Ok(found) => self.notify_of_refinances(found, now),
                    // The other books answer, and this one is asked again a minute later.
                    Err(refusal) => tracing::debug!(%refusal, "a book was not searched for refinances"),
                }
            }
            tokio::task::yield_now().await;
        }
    }

    /// Asks the books of these loans; a book that does not answer leaves the answers of the others as they are.
    async fn search_refinances(&self, questions: Vec<Asked>) -> Vec<Result<Vec<Found>, Refusal>> {
        let mut by_group: BTreeMap<GroupId, Vec<Asked>> = BTreeMap::new();
        for asked in questions {
            by_group.entry(asked.0.deal.group()).or_default().push(asked);
        }
        let messages = by_group.into_iter().flat_map(|(group, asked)| {
            let parts: Vec<Vec<Asked>> = asked.chunks(QUESTIONS_MAX).map(<[Asked]>::to_vec).collect();
            parts.into_iter().map(move |part| (group, part))
        });
        join_all(messages.map(async |(group, asked)| {
            let questions = asked.iter().map(|(_, question)| *question).collect();
            let answers = self.read_book(group, |reply| ReadRequest::Refinances(questions, reply)).await?;
            let both = asked.into_iter().zip(answers);
            Ok(both.filter_map(|((loan, _), answer)| Some((loan, answer?))).collect())
        }))
        .await
    }

    fn notify_of_refinances(&self, found: Vec<Found>, now: UnixMs) {
        for (loan, found) in found {
            if self.shared.refinance_notices.take(loan.id, found.is_ordered, now) {
                self.notify_of_refinance(&loan, &found, now);
            }
        }
    }

    fn notify_of_refinance(&self, loan: &LoanSummary, found: &RefinanceMatch, now: UnixMs) {
        let kind = if found.is_ordered { NoticeKind::RefinanceOrdered } else { NoticeKind::RefinanceCheaper };
        let group = self.group(loan.deal.group());
        let notice = NoticeView {
            // The same after a restart on the same day, so that it is not delivered again.
            id: format!("{}-{}-{}", loan.id, kind.name(), now.day()),
            kind,
            at: now,
            collection_name: group.map_or_else(Arc::default, |group| group.name.clone()),
            loan_id: Some(AsString(loan.id)),
            role: Some(Role::Borrower.into()),
            offer_id: Some(AsString(found.offer)),
        };
        self.shared.refinance_notices.list.push(loan.deal.borrower, notice.clone());
        self.publish_notice(loan.deal.borrower, notice);
    }
}
