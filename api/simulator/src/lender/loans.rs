//! A lender's handling of loans: counter-signatures, refusals, claims, and the funding of wallet and vault.

use std::collections::BTreeMap;
use std::time::Duration;

use bitcoin::{Address, ScriptBuf};
use domain::Sats;
use tokio::time::Instant;

use super::Lender;
use crate::action_counters::CountedAction;
use crate::api_client::CallError;
use crate::clock;
use crate::funding;
use crate::loan_decisions::{LoanDecisions, Reply};
use crate::loan_wire::{MyLoan, WaitsFor};
use crate::operator::{DemoGift, GiveError, Operator};

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
pub(super) struct Schedule {
    loans_due: Instant,
    funding_due: Instant,
    /// The next check of exact coins.
    pub(super) exact_coins_due: Instant,
    /// Loans that are skipped until the given time.
    refused_until: BTreeMap<String, Instant>,
}

impl Schedule {
    /// All duties are due.
    pub(super) fn new() -> Self {
        let now = Instant::now();
        Self { loans_due: now, funding_due: now, exact_coins_due: now, refused_until: BTreeMap::new() }
    }
}

impl<O: Operator> Lender<O> {
    /// Handles the waiting loans, at a human pace.
    pub(super) async fn handle_loans(&mut self) -> Result<(), CallError> {
        let now = Instant::now();
        if now < self.schedule.loans_due {
            return Ok(());
        }
        self.schedule.loans_due = now + Duration::from_millis(self.shared.market.pace.signing_ms);
        self.schedule.refused_until.retain(|_, until| *until > now);
        let mut waiting = self.client.session.waiting_for_lender().await?;
        waiting.retain(|loan| !self.schedule.refused_until.contains_key(&loan.loan_id));
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

    fn decisions(&self) -> LoanDecisions {
        LoanDecisions { seed: self.shared.market.seed, pace: self.shared.market.pace }
    }

    async fn reply(&mut self, loan: &MyLoan) -> Result<(), CallError> {
        let waited_ms = clock::now().0.saturating_sub(loan.accepted_date.unwrap_or(loan.prepared_at));
        match self.decisions().reply(loan) {
            Reply::Signs(after_ms) if waited_ms >= after_ms => {
                self.shared.throttle.acquire().await;
                self.client.session.countersign(&loan.loan_id).await?;
                self.shared.counters.count(CountedAction::Countersignature);
            }
            Reply::Refuses(after_ms) if waited_ms >= after_ms => {
                self.shared.throttle.acquire().await;
                self.client.session.refuse(&loan.loan_id).await?;
                self.shared.counters.count(CountedAction::Decline);
            }
            Reply::Signs(_) | Reply::Refuses(_) | Reply::Ignores => {}
        }
        Ok(())
    }

    /// Claims the collateral once the chain allows it and the lender's reaction time has passed.
    async fn claim(&mut self, loan: &MyLoan) -> Result<(), CallError> {
        let noticed = loan.claim_after.saturating_add(self.decisions().claim_delay_ms(loan));
        if clock::now().0 < noticed || self.client.session.chain().await?.median_time <= loan.claim_after {
            return Ok(());
        }
        self.shared.throttle.acquire().await;
        self.client.session.claim(&loan.loan_id).await?;
        self.shared.counters.count(CountedAction::Claim);
        Ok(())
    }

    /// Counts a refusal and skips the loan for a while; passes any other error on.
    fn skip_if_refused(&mut self, loan: &MyLoan, done: Result<(), CallError>) -> Result<(), CallError> {
        match done {
            Err(CallError::Refused { status, code, detail }) => {
                self.shared.counters.count(CountedAction::Refusal);
                tracing::debug!(lender = self.profile.index, ?loan, %status, code, detail, "refused");
                self.schedule.refused_until.insert(loan.loan_id.clone(), Instant::now() + PAUSE_AFTER_REFUSAL);
                Ok(())
            }
            other => other,
        }
    }

    /// Has the wallet funded, and deposits into the vault from it.
    pub(super) async fn manage_funds(&mut self) -> Result<(), CallError> {
        if Instant::now() < self.schedule.funding_due {
            return Ok(());
        }
        self.schedule.funding_due = Instant::now() + FUNDING_EVERY;
        if let Err(error) = self.request_funds().await {
            self.shared.counters.count(CountedAction::Failure);
            tracing::warn!(%error, lender = self.profile.index, "the wallet could not be funded");
        }
        let (Some(vault), payment_script) = (self.vault.clone(), self.client.session.payment_script()) else {
            return Ok(());
        };
        let missing = self.profile.vault.saturating_sub(vault.usable);
        if vault.usable == Sats::ZERO || missing.get() < self.profile.vault.get() / 2 {
            return Ok(());
        }
        let Ok(held) = self.operator.balance(&payment_script).await else { return Ok(()) };
        let spare = held.saturating_sub(Sats::new(self.profile.wallet_balance().get() / 2)).min(missing);
        if spare >= DEPOSIT_MIN {
            match self.client.session.deposit(spare.get()).await {
                Err(CallError::Refused { status, code, detail }) => {
                    self.shared.counters.count(CountedAction::Refusal);
                    tracing::debug!(lender = self.profile.index, %status, code, detail, "no deposit");
                }
                other => other?,
            }
        }
        Ok(())
    }

    /// Requests money from outside of the market: coins for manual loans, and the first deposit of the vault.
    async fn request_funds(&self) -> Result<(), GiveError> {
        let (operator, counters) = (&*self.operator, &*self.shared.counters);
        funding::top_up(
            operator,
            counters,
            &self.client.session.payment_script(),
            self.profile.wallet_balance(),
            COINS,
        )
        .await?;
        let Some(vault) = self.vault.as_ref().filter(|vault| vault.usable == Sats::ZERO) else { return Ok(()) };
        let Some(script) = self.script_of(&vault.address) else { return Ok(()) };
        for _ in 0..COINS {
            operator.give(&script, DemoGift::Coins(Sats::new(self.profile.vault.get() / COINS))).await?;
            counters.count(CountedAction::Gift);
        }
        Ok(())
    }

    fn script_of(&self, address: &str) -> Option<ScriptBuf> {
        let address: Address<_> = address.parse().ok()?;
        Some(address.require_network(self.client.session.network()).ok()?.script_pubkey())
    }
}
