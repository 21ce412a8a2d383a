//! A lender's handling of loans: counter-signatures, refusals, claims, and the funding of wallet and vault.

use std::collections::BTreeMap;
use std::time::Duration;

use bitcoin::{Address, ScriptBuf};
use domain::Sats;
use tokio::time::Instant;

use super::Lender;
use crate::api_client::CallError;
use crate::clock;
use crate::loan_fate::{LoanFates, Reply};
use crate::loan_wire::{MyLoan, WaitsFor};
use crate::operator::{DemoGift, GiveError, Operator};
use crate::purse;
use crate::tally::Deed;

/// The interval at which a lender checks their balance.
const FUNDING_EVERY: Duration = Duration::from_secs(90);
/// The time for which a loan is not touched after a refusal.
const PAUSE_AFTER_REFUSAL: Duration = Duration::from_mins(1);
/// The number of coins that a payment is split into.
const COINS: u64 = 3;
/// The smallest deposit.
const DEPOSIT_MIN: Sats = Sats::new(1_000_000);

/// The times at which a lender next handles loans and money.
#[derive(Debug)]
pub(super) struct Duties {
    loans_due: Instant,
    funding_due: Instant,
    /// The next check of exact coins.
    pub(super) coins_due: Instant,
    /// Loans that are skipped until the given time.
    refused_until: BTreeMap<String, Instant>,
}

impl Duties {
    /// All duties are due.
    pub(super) fn new() -> Self {
        let now = Instant::now();
        Self { loans_due: now, funding_due: now, coins_due: now, refused_until: BTreeMap::new() }
    }
}

impl<O: Operator> Lender<O> {
    /// Handles the waiting loans, at a human pace.
    pub(super) async fn see_to_loans(&mut self) -> Result<(), CallError> {
        let now = Instant::now();
        if now < self.duties.loans_due {
            return Ok(());
        }
        self.duties.loans_due = now + Duration::from_millis(self.floor.market.pace.signing_ms);
        self.duties.refused_until.retain(|_, until| *until > now);
        let mut waiting = self.desk.session.waiting_for_lender().await?;
        waiting.retain(|loan| !self.duties.refused_until.contains_key(&loan.loan_id));
        for loan in &waiting {
            let done = match loan.waits_for {
                Some(WaitsFor::CounterSignature) => self.reply(loan).await,
                Some(WaitsFor::Claim) => self.claim(loan).await,
                Some(WaitsFor::Other) | None => Ok(()),
            };
            self.skip_if_refused(loan, done)?;
        }
        Ok(())
    }

    fn fates(&self) -> LoanFates {
        LoanFates { seed: self.floor.market.seed, pace: self.floor.market.pace }
    }

    async fn reply(&mut self, loan: &MyLoan) -> Result<(), CallError> {
        let waited_ms = clock::now().0.saturating_sub(loan.accepted_date.unwrap_or(loan.prepared_at));
        match self.fates().reply(loan) {
            Reply::Signs(after_ms) if waited_ms >= after_ms => {
                self.floor.throttle.turn().await;
                self.desk.session.countersign(&loan.loan_id).await?;
                self.floor.tally.count(Deed::Countersignature);
            }
            Reply::Refuses(after_ms) if waited_ms >= after_ms => {
                self.floor.throttle.turn().await;
                self.desk.session.refuse(&loan.loan_id).await?;
                self.floor.tally.count(Deed::Decline);
            }
            Reply::Signs(_) | Reply::Refuses(_) | Reply::Forgets => {}
        }
        Ok(())
    }

    /// Claims the collateral once the chain allows it and the lender's reaction time has passed.
    async fn claim(&mut self, loan: &MyLoan) -> Result<(), CallError> {
        let noticed = loan.claim_after.saturating_add(self.fates().claims_after(loan));
        if clock::now().0 < noticed || self.desk.session.chain().await?.median_time <= loan.claim_after {
            return Ok(());
        }
        self.floor.throttle.turn().await;
        self.desk.session.claim(&loan.loan_id).await?;
        self.floor.tally.count(Deed::Claim);
        Ok(())
    }

    /// Counts a refusal and skips the loan for a while; passes any other error on.
    fn skip_if_refused(&mut self, loan: &MyLoan, done: Result<(), CallError>) -> Result<(), CallError> {
        match done {
            Err(CallError::Refused { status, code, detail }) => {
                self.floor.tally.count(Deed::Refusal);
                tracing::debug!(lender = self.profile.index, ?loan, %status, code, detail, "refused");
                self.duties.refused_until.insert(loan.loan_id.clone(), Instant::now() + PAUSE_AFTER_REFUSAL);
                Ok(())
            }
            other => other,
        }
    }

    /// Has the wallet funded, and deposits into the vault from it.
    pub(super) async fn see_to_money(&mut self) -> Result<(), CallError> {
        if Instant::now() < self.duties.funding_due {
            return Ok(());
        }
        self.duties.funding_due = Instant::now() + FUNDING_EVERY;
        if let Err(error) = self.request_funds().await {
            self.floor.tally.count(Deed::Failure);
            tracing::warn!(%error, lender = self.profile.index, "the wallet could not be funded");
        }
        let (Some(vault), payment_script) = (self.vault.clone(), self.desk.session.purse()) else { return Ok(()) };
        let missing = self.profile.vault.saturating_sub(vault.usable);
        if vault.usable == Sats::ZERO || missing.get() < self.profile.vault.get() / 2 {
            return Ok(());
        }
        let Ok(held) = self.operator.purse(&payment_script).await else { return Ok(()) };
        let spare = held.saturating_sub(Sats::new(self.profile.purse().get() / 2)).min(missing);
        if spare >= DEPOSIT_MIN {
            match self.desk.session.deposit(spare.get()).await {
                Err(CallError::Refused { status, code, detail }) => {
                    self.floor.tally.count(Deed::Refusal);
                    tracing::debug!(lender = self.profile.index, %status, code, detail, "no deposit");
                }
                other => other?,
            }
        }
        Ok(())
    }

    /// Requests money from outside of the market: coins for manual loans, and the first deposit of the vault.
    async fn request_funds(&self) -> Result<(), GiveError> {
        let (operator, counters) = (&*self.operator, &*self.floor.tally);
        purse::fill(operator, counters, &self.desk.session.purse(), self.profile.purse(), COINS).await?;
        let Some(vault) = self.vault.as_ref().filter(|vault| vault.usable == Sats::ZERO) else { return Ok(()) };
        let Some(script) = self.script_of(&vault.address) else { return Ok(()) };
        for _ in 0..COINS {
            operator.give(&script, DemoGift::Coins(Sats::new(self.profile.vault.get() / COINS))).await?;
            counters.count(Deed::Gift);
        }
        Ok(())
    }

    fn script_of(&self, address: &str) -> Option<ScriptBuf> {
        let address: Address<_> = address.parse().ok()?;
        Some(address.require_network(self.desk.session.network()).ok()?.script_pubkey())
    }
}
