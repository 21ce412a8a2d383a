//! A driver that submits the commands of a log to a running market: concurrently, but in order.

use std::{
    collections::VecDeque,
    future::poll_fn,
    pin::Pin,
    task::Poll,
    time::{Duration, Instant},
};

use crate::{book_log::Step, latency::Latencies};
use domain::{Command, GroupId, Outpoint, Sats, UserId};
use engine::{Market, Refusal, ReserveRequest};

/// The amount that a vault tick credits: the market changes vaults by received payments, not by command.
const CREDIT: Sats = Sats::new(1_000);

/// The balance of a lender's vault before the first offer; no log exhausts it.
const INITIAL_BALANCE: Sats = Sats::new(10_000_000_000);

type Answer<'market> = Pin<Box<dyn Future<Output = Result<(), Refusal>> + 'market>>;

/// Submits a step to the market as the server would.
pub(crate) async fn submit(market: &Market, group: GroupId, step: &Step) -> Result<(), Refusal> {
    match step.command {
        Command::SetVaultBalance { lender, .. } => market.credit_vault(lender, CREDIT).await.map(drop),
        Command::Reserve { reservation, offer, ref taker, pledged_raw, expires_at } => {
            let mut txid = [0; 32];
            txid[..16].copy_from_slice(&reservation.0.to_le_bytes());
            let outpoints = vec![Outpoint { txid, vout: 0 }];
            let request = ReserveRequest {
                reservation,
                offer,
                borrower: taker.user,
                pledged_raw,
                inscriptions: taker.inscriptions.clone(),
                outpoints,
                expires_at,
            };
            market.reserve(request, None).await.map(drop)
        }
        Command::Confirm { reservation, loan } => market.confirm(group, reservation, loan, None).await.map(drop),
        Command::EndLoan { loan, end } => market.end_loan(group, loan, end).await.map(drop),
        ref other => market.command(group, other.clone(), None).await.map(drop),
    }
}

/// Carries out steps with at most `window` unanswered; returns the elapsed time.
///
/// # Panics
/// If the market refuses one, because the measurement would be invalid.
pub async fn drive(market: &Market, group: GroupId, steps: &[Step], window: usize) -> Duration {
    let start = Instant::now();
    let mut unanswered: VecDeque<Answer<'_>> = VecDeque::with_capacity(window);
    for step in steps {
        if unanswered.len() >= window
            && let Some(first) = unanswered.pop_front()
        {
            accepted(first.await);
        }
        let mut answer: Answer<'_> = Box::pin(submit(market, group, step));
        // The first poll posts the command, so that commands arrive in order.
        match poll_fn(|context| Poll::Ready(answer.as_mut().poll(context))).await {
            Poll::Ready(outcome) => accepted(outcome),
            Poll::Pending => unanswered.push_back(answer),
        }
    }
    for answer in unanswered {
        accepted(answer.await);
    }
    start.elapsed()
}

/// Carries out steps one after the other, each once the previous one is answered.
pub async fn drive_one_by_one(market: &Market, group: GroupId, steps: &[Step], latencies: &mut Latencies) {
    for step in steps {
        let start = Instant::now();
        accepted(submit(market, group, step).await);
        latencies.record(start.elapsed());
    }
}

fn accepted(outcome: Result<(), Refusal>) {
    if let Err(refusal) = outcome {
        panic!("the market refused a planned command: {refusal}");
    }
}

/// Opens a well-funded vault for each of `lenders`.
pub async fn open_vaults(market: &Market, lenders: usize) {
    for lender in 1..=u64::try_from(lenders).expect("few lenders") {
        market.credit_vault(UserId(lender), INITIAL_BALANCE).await.expect("a vault can be credited");
    }
}

/// The balances that [`open_vaults`] gives to the vaults.
#[must_use]
pub fn funded_vaults(lenders: usize) -> Vec<Sats> {
    vec![INITIAL_BALANCE; lenders]
}
