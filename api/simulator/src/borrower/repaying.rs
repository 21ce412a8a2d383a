//! The handling of a borrower's open loans: signing, repayment, refinancing.

use domain::{ProcessType, Sats};

use super::{Borrower, since};
use crate::action_counters::CountedAction;
use crate::api_client::CallError;
use crate::loan_decisions::{OverduePlan, Plan};
use crate::loan_wire::{MyLoan, Stage};
use crate::operator::{DemoGift, Operator};

/// The amount kept aside for transaction fees.
const FEE_RESERVE: Sats = Sats::new(100_000);
/// The multiple of the usual time after which a plan to repay early is dropped.
const PLAN_TIMEOUT_FACTOR: u64 = 60;
/// The highest number of loans that one transaction repays here.
const BATCH_MAX: usize = 4;

impl<O: Operator> Borrower<O> {
    /// Takes the actions that the borrower's loans need; returns whether any was taken.
    pub(super) async fn handle_loans(&mut self, loans: &[MyLoan]) -> Result<bool, CallError> {
        // A loan that is about to be replaced is not touched until the replacement is settled.
        let replaced: Vec<&str> = loans.iter().filter_map(|loan| loan.follows.as_deref()).collect();
        let own = |loan: &&MyLoan| !replaced.contains(&loan.loan_id.as_str());
        for loan in loans.iter().filter(own) {
            match loan.stage {
                Stage::Prepared => return self.sign_or_withdraw(loan).await.map(|()| true),
                Stage::AwaitingLender => {
                    let waited = since(loan.accepted_date.unwrap_or(loan.prepared_at));
                    if waited > self.decisions().countersignature_timeout_ms(loan) {
                        self.session.withdraw(&loan.loan_id).await?;
                        self.shared.counters.count(CountedAction::Decline);
                        return Ok(true);
                    }
                }
                Stage::Active if self.wants_to_refinance(loan) && self.refinance(loan).await? => return Ok(true),
                _ => {}
            }
        }
        let mut due: Vec<&MyLoan> = loans.iter().filter(own).filter(|loan| self.wants_to_repay(loan)).collect();
        if due.is_empty() && loans.len() >= self.profile.loans_max {
            // No capacity for another loan: the oldest one that is not due yet is repaid.
            let running =
                loans.iter().filter(own).filter(|loan| loan.stage == Stage::Active && self.has_run_usual_time(loan));
            due.extend(running.min_by_key(|loan| loan.started_at));
        }
        due.truncate(BATCH_MAX);
        if due.is_empty() { Ok(false) } else { self.repay(&due).await.map(|()| true) }
    }

    /// Signs a prepared loan whose signing was interrupted, or gives it up if it can no longer be signed.
    async fn sign_or_withdraw(&mut self, loan: &MyLoan) -> Result<(), CallError> {
        match self.session.sign_prepared(&loan.loan_id).await {
            Err(CallError::Refused { .. }) => {
                self.shared.counters.count(CountedAction::Decline);
                self.session.withdraw(&loan.loan_id).await
            }
            signed => signed.map(drop),
        }
    }

    fn wants_to_repay(&self, loan: &MyLoan) -> bool {
        let Some(started_at) = loan.started_at else { return false };
        // A plan that is overdue for that long is dropped: the loan runs to its term.
        let is_late =
            since(started_at) > self.shared.market.pace.early_repayment_ms.saturating_mul(PLAN_TIMEOUT_FACTOR);
        match loan.stage {
            Stage::Active if is_late => false,
            Stage::Active => match self.decisions().plan(loan) {
                Plan::Repays(after_ms) => since(started_at) >= after_ms,
                // There was time to find another lender.
                Plan::Refinances(after_ms) => since(started_at) >= after_ms.saturating_mul(2),
                Plan::HoldsToTerm => false,
            },
            Stage::Expired => match self.decisions().overdue_plan(loan) {
                OverduePlan::Repays(after_ms) => since(loan.due_at.unwrap_or(started_at)) >= after_ms,
                OverduePlan::Defaults => false,
            },
            _ => false,
        }
    }

    fn wants_to_refinance(&self, loan: &MyLoan) -> bool {
        let age_ms = since(loan.started_at.unwrap_or(u64::MAX));
        matches!(self.decisions().plan(loan), Plan::Refinances(after_ms) if age_ms >= after_ms)
    }

    /// Whether a loan has run for the usual time.
    fn has_run_usual_time(&self, loan: &MyLoan) -> bool {
        loan.started_at.is_some_and(|started_at| since(started_at) >= self.shared.market.pace.early_repayment_ms)
    }

    /// Looks for a lender whose offer covers the amount due, or nearly; returns whether there is one.
    async fn refinance(&mut self, loan: &MyLoan) -> Result<bool, CallError> {
        let Some(book) = self.shared.view.book(loan.group_id) else { return Ok(false) };
        let pledged = loan.fungible_amount.unwrap_or(1);
        let enough = loan.payout_sats.saturating_sub(loan.payout_sats / 10);
        let better = book.offers.values().filter(|offer| {
            let is_free = offer.process == ProcessType::Manual && !offer.is_reserved;
            is_free && offer.quantity.raw == pledged && offer.principal.get() >= enough
        });
        let Some(offer) = better.max_by_key(|offer| (offer.principal, offer.offer)).map(|offer| offer.offer) else {
            return Ok(false);
        };
        match self.session.take_manual(&offer.to_string(), &[], Some(&loan.loan_id)).await {
            Ok(_) => {
                self.shared.counters.count(CountedAction::Loan);
                self.shared.counters.count(CountedAction::Refinance);
                Ok(true)
            }
            Err(CallError::Refused { status, code, detail }) => {
                self.shared.counters.count(CountedAction::Refusal);
                tracing::debug!(borrower = self.profile.index, %status, code, detail, "not refinanced");
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// Repays loans in one transaction, as soon as the wallet holds the amount.
    async fn repay(&mut self, loans: &[&MyLoan]) -> Result<(), CallError> {
        let owed: u64 = loans.iter().map(|loan| loan.payout_sats).sum();
        let (payment_script, wanted) = (self.session.payment_script(), owed.saturating_add(FEE_RESERVE.get()));
        let Some(held) = self.log_gift_failure(self.operator.balance(&payment_script).await) else { return Ok(()) };
        if held.get() < wanted {
            // Interest is paid from income outside of the simulation.
            let missing =
                Sats::new(wanted.saturating_sub(held.get()).saturating_add(self.profile.wallet_balance.get() / 4));
            let given = self.operator.give(&payment_script, DemoGift::Coins(missing)).await;
            if self.log_gift_failure(given).is_some() {
                self.shared.counters.count(CountedAction::Gift);
            }
            return Ok(());
        }
        let ids: Vec<String> = loans.iter().map(|loan| loan.loan_id.clone()).collect();
        self.shared.throttle.acquire().await;
        self.session.repay(&ids).await?;
        self.shared.counters.add(CountedAction::Repayment, ids.len());
        Ok(())
    }
}
