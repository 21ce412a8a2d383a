//! A watch over loans on the chain: origination, reorgs, endings by either party, and loans that can never be
//! originated.
//!
//! Journaled transactions are broadcast again until the chain has them. Missing answers prove nothing: while the node
//! or the indexer does not answer, nothing changes.

mod awaiting_lender;
mod decision;
mod observation;
mod watched_escrow;

use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use std::time::Duration;

use domain::{LoanAccount, LoanEvent, LoanId, Rejection};
use engine::Refusal;
use engine::chain::{Chain as _, Tip};
use engine::locks::MutexExt as _;

use crate::lookups::confirmations::REORG_DEPTH_MAX;
use crate::lookups::ports::Ports;
use crate::service::loan_service::LoanService;
use crate::service::loan_service_error::LoanServiceError;
use crate::service::watch_times::Watch;
use decision::{Step, decide};
use observation::{LoanObservation, MissingInput};
use watched_escrow::WatchedEscrows;

/// The interval at which the tip is polled.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// The number of polls after which a round is run even without a new block.
const POLLS_PER_ROUND: u32 = 30;

/// State that the loan watch keeps between rounds.
#[derive(Debug, Default)]
pub struct LoanWatchState {
    /// The best block at which a coin of a loan that is not yet confirmed was first missing, and why.
    missing_since: Mutex<HashMap<LoanId, (MissingInput, Tip)>>,
    escrows: WatchedEscrows,
}

impl<P: Ports> LoanService<P> {
    /// Watches loans until the future is dropped.
    pub async fn watch_loans(&self, state: &LoanWatchState) {
        let (mut seen, mut idle) = (None, 0);
        loop {
            let tip = self.ports.chain().tip().await.ok().map(|tip| tip.hash);
            idle += 1;
            if tip.is_none() {
                // A node that comes back may have lost its mempool.
                seen = None;
            }
            if tip.is_some() && (tip != seen || idle >= POLLS_PER_ROUND) {
                (seen, idle) = (tip, 0);
                match self.watch_loans_once(state).await {
                    Ok(_) => self.watch_times.record(Watch::Loans, self.market.now()),
                    Err(error) => {
                        tracing::warn!(%error, "loans could not be checked");
                        seen = None;
                    }
                }
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Checks once every loan that the chain can still change; returns those that could not be checked, and why. A
    /// failure does not keep the others from being checked.
    pub async fn watch_loans_once(
        &self,
        state: &LoanWatchState,
    ) -> Result<Vec<(LoanId, LoanServiceError)>, LoanServiceError> {
        let mut unclear = Vec::new();
        self.market.lapse_outside_book().await?;
        let tip = self.ports.chain().tip().await?;
        if let Some(final_height) = tip.height.checked_sub(REORG_DEPTH_MAX - 1) {
            self.market.forget_loans_ended(final_height);
        }
        for loan in self.market.loans_awaiting_lender().await {
            if let Err(error) = self.watch_awaiting_lender(&loan).await {
                unclear.push((loan.id, error));
            }
        }
        let watched = self.market.watched_loans().await;
        state.keep(&watched.iter().copied().collect());
        for id in watched {
            // There may be thousands, and an embedded chain answers without ever yielding.
            tokio::task::yield_now().await;
            let Some(loan) = self.market.loan(id).await else { continue };
            if let Err(error) = self.watch_loan(state, &loan, tip).await {
                unclear.push((id, error));
            }
        }
        for (loan, error) in &unclear {
            tracing::warn!(%loan, %error, "a loan could not be checked");
        }
        Ok(unclear)
    }

    async fn watch_loan(&self, state: &LoanWatchState, loan: &LoanAccount, tip: Tip) -> Result<(), LoanServiceError> {
        if tip.height < known_height(loan) {
            // The node has yet to read known blocks; a better chain is not shorter for long.
            return Ok(());
        }
        // One step may lead to another: a loan that was just confirmed may be over already.
        let mut current = Some(loan.clone());
        for _ in 0..4 {
            let Some(loan) = current.take() else { break };
            let escrow = state.escrows.of(&loan)?;
            let observation = self.observe_loan(&loan, &escrow, tip).await?;
            let missing = self.blocks_missing(state, loan.id, &observation, tip).await?;
            let Some(step) = decide(&loan, &observation, self.market.now(), tip.height, missing) else { break };
            if !self.apply(&loan, step).await? {
                break;
            }
            current = self.market.loan(loan.id).await;
        }
        Ok(())
    }

    /// Returns for how many blocks a coin has been missing that the origination needs. They are counted from a block of the best
    /// chain by which it was missing for certain, so that the block which spends it is at least as deep.
    async fn blocks_missing(
        &self,
        state: &LoanWatchState,
        loan: LoanId,
        observation: &LoanObservation,
        tip: Tip,
    ) -> Result<u32, LoanServiceError> {
        let Some(why) = observation.missing else {
            state.missing_since.lock_unpoisoned().remove(&loan);
            return Ok(0);
        };
        let known = state.missing_since.lock_unpoisoned().get(&loan).copied();
        let chain = self.ports.chain();
        if let Some((known_why, since)) = known
            && known_why == why
            && chain.block_hash(since.height).await? == Some(since.hash)
        {
            return Ok(tip.height.saturating_sub(since.height));
        }
        // A block that came after the tip was read may be the one that spends the coin; then the next round counts.
        if chain.tip().await?.hash == tip.hash {
            state.missing_since.lock_unpoisoned().insert(loan, (why, tip));
        }
        Ok(0)
    }

    /// Steps a loan alone where the order book has released it already: one whose end was disconnected by a reorg ends
    /// a second time.
    async fn or_step_loan(&self, left: Result<(), Refusal>, loan: LoanId, event: LoanEvent) -> Result<(), Refusal> {
        match left {
            Err(Refusal::Book(Rejection::UnknownLoan(_))) => self.market.step_loan(loan, event).await,
            left => left,
        }
    }

    /// Carries a step out; returns whether the loan has changed and is to be checked again.
    async fn apply(&self, loan: &LoanAccount, step: Step) -> Result<bool, LoanServiceError> {
        match step {
            Step::Broadcast(transactions) => {
                self.broadcast_or_log(&transactions).await;
                Ok(false)
            }
            Step::Unwatch => {
                self.market.forget_watched_loan(loan.id);
                Ok(false)
            }
            Step::Fail => {
                let left = self.market.fail_loan(loan.id).await;
                self.or_step_loan(left, loan.id, LoanEvent::Failed).await?;
                Ok(false)
            }
            Step::End { ending, txid, mined } => {
                let left = self.market.finish_loan(loan.id, ending, txid, mined).await.map(drop);
                self.or_step_loan(left, loan.id, LoanEvent::Ended { ending, txid, mined }).await?;
                Ok(true)
            }
            Step::Event(event) => {
                self.market.step_loan(loan.id, event).await?;
                Ok(true)
            }
        }
    }
}

/// Returns the height of the highest known block with a transaction of the loan.
fn known_height(loan: &LoanAccount) -> u32 {
    let mined = [loan.began, loan.end.as_ref().and_then(|end| end.mined)];
    mined.into_iter().flatten().map(|mined| mined.height).max().unwrap_or_default()
}

impl LoanWatchState {
    /// Forgets all other loans.
    fn keep(&self, watched: &HashSet<LoanId>) {
        self.escrows.keep(watched);
        self.missing_since.lock_unpoisoned().retain(|loan, _| watched.contains(loan));
    }
}
