//! The main loop of a simulated borrower.

mod borrowing;
mod repaying;
mod requesting;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use crate::action_counters::CountedAction;
use crate::api_client::CallError;
use crate::borrower_profile::BorrowerProfile;
use crate::clock;
use crate::funding;
use crate::holdings::Holdings;
use crate::lender::SharedState;
use crate::loan_decisions::LoanDecisions;
use crate::loan_wire::MyLoan;
use crate::operator::{GiveError, Operator};
use crate::wallet_session::WalletSession;

/// The factor by which borrowers rest longer than lenders.
const REST_FACTOR: u64 = 12;
/// The pause after a failure.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_secs(5);
/// The interval at which borrowers check whether the first prices are known.
const WAKE_EVERY: Duration = Duration::from_millis(200);

/// The probability that a borrower looks at counter-offers during a visit.
const NEGOTIATE_PROBABILITY: f64 = 0.1;

/// A simulated borrower with their session and state.
pub(crate) struct Borrower<O> {
    profile: BorrowerProfile,
    shared: Arc<SharedState>,
    operator: Arc<O>,
    session: WalletSession,
    rng: ChaCha8Rng,
    holdings: Holdings,
    /// The loans that were open at the last visit.
    open: BTreeSet<String>,
}

impl<O: Operator> Borrower<O> {
    /// Returns a borrower who has not signed in yet.
    pub(crate) fn new(
        profile: BorrowerProfile,
        shared: Arc<SharedState>,
        operator: Arc<O>,
        session: WalletSession,
    ) -> Self {
        let rng = BorrowerProfile::rng(shared.market.seed, "borrower's day", profile.index);
        let (holdings, open) = (Holdings::default(), BTreeSet::new());
        Self { profile, shared, operator, session, rng, holdings, open }
    }

    /// Runs forever; no response of the server ends it.
    pub(crate) async fn run(mut self) {
        let opening_ms = self.shared.market.pace.opening_ms;
        let delay_ms = self.rng.random_range(opening_ms / 2..=opening_ms);
        tokio::time::sleep(Duration::from_millis(delay_ms)).await;
        while !self.shared.view.has_prices() {
            tokio::time::sleep(WAKE_EVERY).await;
        }
        while let Err(error) = self.start_session().await {
            self.log_failure(&error, "signing in");
            tokio::time::sleep(PAUSE_AFTER_FAILURE).await;
        }
        loop {
            let usual_ms = self.shared.market.pace.rest_ms * REST_FACTOR;
            let rest_ms = self.rng.random_range(usual_ms / 2..=usual_ms * 3 / 2);
            tokio::time::sleep(Duration::from_millis(rest_ms)).await;
            match self.visit().await {
                Ok(()) => {}
                Err(CallError::Refused { status, code, detail }) => {
                    self.shared.counters.count(CountedAction::Refusal);
                    tracing::debug!(borrower = self.profile.index, %status, code, detail, "refused");
                }
                Err(error) => {
                    self.log_failure(&error, "handling loans");
                    tokio::time::sleep(PAUSE_AFTER_FAILURE).await;
                }
            }
        }
    }

    /// Signs in, and recovers the state of the loans of an earlier run.
    async fn start_session(&mut self) -> Result<(), CallError> {
        self.session.sign_in().await?;
        let open = self.session.borrowed().await?;
        let ended = self.session.ended_loans().await?;
        let height = self.session.chain().await?.height;
        self.holdings = Holdings::from_loans(&open, &ended, height);
        self.open = ids(&open);
        let (payment_script, wanted) = (self.session.payment_script(), self.profile.wallet_balance);
        let filled = funding::top_up(&*self.operator, &self.shared.counters, &payment_script, wanted, 2).await;
        self.log_gift_failure(filled);
        Ok(())
    }

    /// Handles the existing loans, then possibly takes another one.
    async fn visit(&mut self) -> Result<(), CallError> {
        let loans = self.session.borrowed().await?;
        let height = self.session.chain().await?.height;
        self.reclaim_collateral(&loans, height).await?;
        if self.handle_loans(&loans).await? {
            return Ok(());
        }
        if self.rng.random_bool(NEGOTIATE_PROBABILITY) {
            let shared = Arc::clone(&self.shared);
            self.session.answer_negotiations(|group| shared.usual_terms(group)).await?;
        }
        if self.take_filled_request().await? {
            return Ok(());
        }
        if loans.len() < self.profile.loans_max {
            self.take_loan(height).await?;
        }
        Ok(())
    }

    /// Takes back the collateral of loans that have ended.
    async fn reclaim_collateral(&mut self, loans: &[MyLoan], height: u32) -> Result<(), CallError> {
        let now_open = ids(loans);
        if !self.open.is_subset(&now_open) {
            let ended = self.session.ended_loans().await?;
            let gone =
                ended.iter().filter(|loan| self.open.contains(&loan.loan_id) && !now_open.contains(&loan.loan_id));
            let is_held = |ended: &&MyLoan| {
                let holds = |open: &MyLoan| open.inscription_ids.iter().any(|id| ended.inscription_ids.contains(id));
                loans.iter().any(holds)
            };
            // The collateral of a refinanced loan is held by the loan that follows it.
            let gone = gone.filter(|loan| !is_held(loan) && loan.followed_by.is_none());
            for loan in gone {
                self.holdings.add_returned_collateral(loan, height);
            }
        }
        self.open = now_open;
        Ok(())
    }

    fn decisions(&self) -> LoanDecisions {
        LoanDecisions { seed: self.shared.market.seed, pace: self.shared.market.pace }
    }

    fn log_failure(&self, error: &CallError, what: &str) {
        self.shared.counters.count(CountedAction::Failure);
        tracing::warn!(borrower = self.profile.index, %error, "{what} failed");
    }

    /// Counts and logs a gift that failed; returns the gift otherwise.
    fn log_gift_failure<T>(&self, given: Result<T, GiveError>) -> Option<T> {
        given
            .inspect_err(|error| {
                self.shared.counters.count(CountedAction::Failure);
                tracing::debug!(borrower = self.profile.index, %error, "the gift failed");
            })
            .ok()
    }
}

/// The milliseconds that have passed since `then_ms`.
fn since(then_ms: u64) -> u64 {
    clock::now().0.saturating_sub(then_ms)
}

fn ids(loans: &[MyLoan]) -> BTreeSet<String> {
    loans.iter().map(|loan| loan.loan_id.clone()).collect()
}
