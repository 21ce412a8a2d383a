//! Loans as the chain has them: begun, undone, ended by whomever, or never to begin.
//!
//! What stands in the journal is sent again until the chain has it. Nothing is concluded from silence: while the node or
//! the indexer gives no answer, nothing changes.

mod decision;
mod sight;
mod waiting;

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use domain::{LoanAccount, LoanEvent, LoanId, Rejection};
use engine::Refusal;
use engine::chain::{Chain as _, Tip};

use crate::depth::SEALED;
use crate::desk::Desk;
use crate::desk_error::DeskError;
use crate::ports::Ports;
use decision::{Step, decide};
use sight::Missing;

/// How often the tip is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// A round is made at least this often, whether or not a block came.
const ROUND_EVERY: u32 = 30;

/// What a watcher remembers between two rounds.
#[derive(Debug, Default)]
pub struct Watcher {
    /// Since which height a coin of a loan that has not begun is missing, and why.
    missing_since: Mutex<HashMap<LoanId, (Missing, u32)>>,
}

impl<P: Ports> Desk<P> {
    /// Watches until the future is dropped.
    pub async fn watch_loans(&self, watcher: &Watcher) {
        let (mut seen, mut idle) = (None, 0);
        loop {
            let tip = self.ports.chain().tip().await.ok().map(|tip| tip.hash);
            idle += 1;
            if tip.is_none() {
                // A node that comes back may have forgotten what waited in it.
                seen = None;
            }
            if tip.is_some() && (tip != seen || idle >= ROUND_EVERY) {
                (seen, idle) = (tip, 0);
                if let Err(error) = self.watch_loans_once(watcher).await {
                    tracing::warn!(%error, "loans were not looked at");
                    seen = None;
                }
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// One look at every loan that the chain can still change; those of which nothing could be said, and why. None of
    /// them keeps the others from being looked at.
    pub async fn watch_loans_once(&self, watcher: &Watcher) -> Result<Vec<(LoanId, DeskError)>, DeskError> {
        let mut unclear = Vec::new();
        self.market.lapse_unbooked().await?;
        let tip = self.ports.chain().tip().await?;
        if let Some(sealed) = tip.height.checked_sub(SEALED - 1) {
            self.market.forget_loans_ended(sealed);
        }
        for loan in self.market.loans_awaiting_lender().await {
            if let Err(error) = self.watch_waiting(&loan).await {
                unclear.push((loan.id, error));
            }
        }
        for id in self.market.watched_loans().await {
            // There may be thousands, and a chain in the same process answers without ever making anybody wait.
            tokio::task::yield_now().await;
            let Some(loan) = self.market.loan(id).await else { continue };
            if let Err(error) = self.watch_loan(watcher, &loan, tip).await {
                unclear.push((id, error));
            }
        }
        for (loan, error) in &unclear {
            tracing::warn!(%loan, %error, "nothing is known of a loan");
        }
        Ok(unclear)
    }

    async fn watch_loan(&self, watcher: &Watcher, loan: &LoanAccount, tip: Tip) -> Result<(), DeskError> {
        if tip.height < known_height(loan) {
            // The node has yet to read what is known already; a better chain is never a shorter one for long.
            return Ok(());
        }
        // A step may show another one: a loan that was confirmed may be over already.
        let mut current = Some(loan.clone());
        for _ in 0..4 {
            let Some(loan) = current.take() else { break };
            let sight = self.sight(&loan, tip).await?;
            let missing = watcher.missing(loan.id, &sight, tip.height);
            let Some(step) = decide(&loan, &sight, self.market.now(), tip.height, missing) else { break };
            if !self.take(&loan, step).await? {
                break;
            }
            current = self.market.loan(loan.id).await;
        }
        Ok(())
    }

    /// The book lets go of a loan once: one whose end was undone ends a second time without it.
    async fn or_alone(&self, left: Result<(), Refusal>, loan: LoanId, event: LoanEvent) -> Result<(), Refusal> {
        match left {
            Err(Refusal::Book(Rejection::UnknownLoan(_))) => self.market.step_loan(loan, event).await,
            left => left,
        }
    }

    /// Takes a step; whether the loan is another one now.
    async fn take(&self, loan: &LoanAccount, step: Step) -> Result<bool, DeskError> {
        match step {
            Step::Send(transactions) => {
                self.send_on(&transactions).await;
                Ok(false)
            }
            Step::Bury => {
                self.market.forget_watched_loan(loan.id);
                Ok(false)
            }
            Step::Fail => {
                let left = self.market.fail_loan(loan.id).await;
                self.or_alone(left, loan.id, LoanEvent::Failed).await?;
                Ok(false)
            }
            Step::End { ending, txid, mined } => {
                let left = self.market.finish_loan(loan.id, ending, txid, mined).await.map(drop);
                self.or_alone(left, loan.id, LoanEvent::Ended { ending, txid, mined }).await?;
                Ok(true)
            }
            Step::Loan(event) => {
                self.market.step_loan(loan.id, event).await?;
                Ok(true)
            }
        }
    }
}

/// The height of the best block that is known to have something to do with a loan.
fn known_height(loan: &LoanAccount) -> u32 {
    let mined = [loan.began, loan.end.as_ref().and_then(|end| end.mined)];
    mined.into_iter().flatten().map(|mined| mined.height).max().unwrap_or_default()
}

impl Watcher {
    /// For how many blocks a coin has been missing without which the loan cannot begin.
    fn missing(&self, loan: LoanId, sight: &sight::Sight, height: u32) -> u32 {
        let mut since = self.missing_since.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let Some(why) = sight.missing else {
            since.remove(&loan);
            return 0;
        };
        let known = since.entry(loan).or_insert((why, height));
        if known.0 != why {
            *known = (why, height);
        }
        height.saturating_sub(known.1)
    }
}
