//! A watch over the outputs of every open vault, which keeps its ledger in agreement with the chain.
//!
//! A round checks one vault after another. Contradictory or stale responses and failed requests change nothing: the
//! next round checks again. A round is cancel-safe: all that it has journaled is true, and what it has not is observed
//! again. A transaction that stays unconfirmed for too long gets a child that raises its fee.

mod bump_schedule;
pub mod decision;
pub mod observation;

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use bitcoin::hashes::Hash as _;
use bitcoin::{BlockHash, Txid, consensus};
use domain::{Outpoint, Sats, SignerKeys, SpendId, UnixMs, UserId, VaultRejection};
use engine::Refusal;
use engine::chain::{Chain as _, ChainError, Tip};
use engine::locks::MutexExt as _;
use thiserror::Error;

use crate::lookups::ports::Ports;
use crate::service::loan_service::LoanService;
use crate::service::watch_times::Watch;
use crate::vaults::vault::{self, LenderVault};
use bump_schedule::BumpSchedule;
use decision::{Exclusion, SpendStatus, Steps, VaultObservation, decide};
use observation::{ObservationError, UnsignedSince, VaultObserver};

/// The most vaults checked in one round; the next one continues behind them.
pub const VAULTS_PER_ROUND: usize = 256;
/// The most unconfirmed transactions considered for a child in one round: each takes several requests to the node.
pub const BUMPS_PER_ROUND: usize = 16;

/// The intervals of the watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchIntervals {
    /// The interval at which the node's tip is polled.
    pub poll_interval: Duration,
    /// The longest time between two checks of the vaults without a new block.
    pub check_interval: Duration,
    /// The same while the state of a vault is unclear.
    pub retry_interval: Duration,
}

/// Two seconds, a minute, and ten seconds: unconfirmed transactions change between blocks, too.
impl Default for WatchIntervals {
    fn default() -> Self {
        let [poll_interval, check_interval, retry_interval] = [2, 60, 10].map(Duration::from_secs);
        Self { poll_interval, check_interval, retry_interval }
    }
}

/// The reason why a round ended early.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RoundError {
    /// The node does not answer.
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// The node has lost blocks and is reading them again.
    #[error("the node's best block has height {tip}, and block {known} was seen")]
    Behind {
        /// The height of the node's best block.
        tip: u32,
        /// The highest block seen before.
        known: u32,
    },
    /// The market does not accept commands now.
    #[error(transparent)]
    Market(#[from] Refusal),
}

/// The result of a round.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// Vaults checked.
    pub checked: usize,
    /// Vaults of which something was journaled.
    pub changed: usize,
    /// Vaults that could not be checked, and why.
    pub failed: Vec<(UserId, ObservationError)>,
    /// Unconfirmed transactions that got a child.
    pub bumped: usize,
    /// Whether the indexer has not yet reported the contents of some outputs.
    pub has_unindexed: bool,
    /// Whether it continued behind the last vault of the round before.
    pub is_continued: bool,
    /// Whether there are more vaults, left for the next round.
    pub has_more: bool,
}

/// State kept between rounds. It is not persisted, and is rebuilt after a restart.
#[derive(Debug, Default)]
struct State {
    /// The height of the highest block ever seen.
    highest_tip: u32,
    unsigned: UnsignedSince,
    /// The height since which the parents of outputs that a withdrawal spends have been unknown to the node.
    parents_dropped: BTreeMap<(UserId, SpendId), u32>,
    bump_schedule: BumpSchedule,
    excluded: BTreeMap<UserId, Vec<(Outpoint, Sats, Exclusion)>>,
    /// The last vault checked, where the round did not reach the end.
    last: Option<UserId>,
}

/// The watch over all vaults of a loan service.
pub struct VaultWatch<P> {
    service: LoanService<P>,
    state: Mutex<State>,
    /// Of two concurrent rounds each could take an older observation for the newer one.
    round_lock: tokio::sync::Mutex<()>,
}

impl<P: Ports> VaultWatch<P> {
    /// Creates a watch without observations.
    #[must_use]
    pub fn new(service: LoanService<P>) -> Self {
        Self { service, state: Mutex::default(), round_lock: tokio::sync::Mutex::default() }
    }

    /// Runs rounds at every new block, and often enough without one, until the market closes. Cancel-safe.
    pub async fn run(&self, intervals: WatchIntervals) {
        let mut done: Option<(BlockHash, tokio::time::Instant, Duration)> = None;
        loop {
            match self.service.ports.chain().tip().await {
                Ok(Tip { hash, .. }) => {
                    let is_due = done.is_none_or(|(known, at, rest)| known != hash || at.elapsed() >= rest);
                    if is_due {
                        let is_clear = match self.check_all().await {
                            Ok(is_clear) => {
                                self.service.watch_times.record(Watch::Vaults, self.service.market.now());
                                is_clear
                            }
                            Err(RoundError::Market(Refusal::Closed)) => return,
                            Err(error) => {
                                tracing::warn!(%error, "vaults could not be checked");
                                false
                            }
                        };
                        let rest = if is_clear { intervals.check_interval } else { intervals.retry_interval };
                        done = Some((hash, tokio::time::Instant::now(), rest));
                    }
                }
                Err(error) => tracing::warn!(%error, "the vaults' node does not answer"),
            }
            tokio::time::sleep(intervals.poll_interval).await;
        }
    }

    /// Runs rounds to the last vault; returns whether the state of all is clear. It is unclear if the first round continues one
    /// that ended early, which checked the vaults before that point, possibly at an earlier block.
    async fn check_all(&self) -> Result<bool, RoundError> {
        let mut round = self.round().await?;
        let mut is_clear = !round.is_continued;
        loop {
            for (lender, error) in &round.failed {
                tracing::warn!(%lender, %error, "a vault could not be checked");
            }
            is_clear &= round.failed.is_empty() && !round.has_unindexed;
            if !round.has_more {
                return Ok(is_clear);
            }
            round = self.round().await?;
        }
    }

    /// Checks the next vaults, and journals the changes.
    ///
    /// # Errors
    /// [`RoundError`]: the remaining vaults were not checked then.
    pub async fn round(&self) -> Result<Round, RoundError> {
        let _round_lock = self.round_lock.lock().await;
        let now = self.service.market.now();
        let tip = self.service.ports.chain().tip().await?;
        let last = {
            let mut state = self.state();
            let known = state.highest_tip;
            if tip.height < known {
                return Err(RoundError::Behind { tip: tip.height, known });
            }
            state.highest_tip = tip.height;
            state.last
        };
        let mut lenders = self.service.market.vaults();
        lenders.retain(|lender| last.is_none_or(|last| last < *lender));
        let has_more = lenders.len() > VAULTS_PER_ROUND;
        lenders.truncate(VAULTS_PER_ROUND);
        let mut round = Round { is_continued: last.is_some(), has_more, ..Round::default() };
        let mut considered = 0;
        for lender in lenders {
            match self.check_vault(lender, tip, now).await? {
                Ok(is_changed) => {
                    round.changed += usize::from(is_changed);
                    let room = BUMPS_PER_ROUND.saturating_sub(considered);
                    let (tried, done) = self.bump(lender, tip.height, room).await?;
                    considered += tried;
                    round.bumped += done;
                }
                Err(error) => round.failed.push((lender, error)),
            }
            round.has_unindexed |= self.excluded_outputs(lender).iter().any(|(_, _, why)| *why == Exclusion::Unindexed);
            round.checked += 1;
            self.state().last = Some(lender);
        }
        if !has_more {
            self.state().last = None;
        }
        Ok(round)
    }

    /// Returns the outputs of a vault that are not counted, as last observed: their values, and why.
    #[must_use]
    pub fn excluded_outputs(&self, lender: UserId) -> Vec<(Outpoint, Sats, Exclusion)> {
        self.state().excluded.get(&lender).cloned().unwrap_or_default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No code panics while holding the lock, and no update leaves the state inconsistent.
        self.state.lock_unpoisoned()
    }

    /// Checks one vault; returns whether anything was journaled, or why it could not be checked.
    async fn check_vault(
        &self,
        lender: UserId,
        tip: Tip,
        now: UnixMs,
    ) -> Result<Result<bool, ObservationError>, RoundError> {
        match self.observe(lender, tip, now).await {
            Ok((signers, steps)) => match self.apply(lender, &signers, &steps).await {
                Ok(is_changed) => Ok(Ok(is_changed)),
                Err(Refusal::Vault(rejection)) => Ok(Err(rejection.into())),
                Err(refusal) => Err(refusal.into()),
            },
            // A node that is unreachable for one vault is so for the next.
            Err(ObservationError::Lookup(crate::lookups::lookup::LookupError::Chain(
                error @ ChainError::Unreachable(_),
            ))) => Err(error.into()),
            Err(error) => Ok(Err(error)),
        }
    }

    /// Observes a vault; returns the steps, and the signers whose script was observed.
    async fn observe(&self, lender: UserId, tip: Tip, now: UnixMs) -> Result<(SignerKeys, Steps), ObservationError> {
        let vault = self.service.lender_vault(lender).await?;
        let vault = if self.store_seen_moves(&vault).await? { self.service.lender_vault(lender).await? } else { vault };
        let signers = vault::signer_keys(&vault.contract.terms().signers);
        let unsigned = self.track_unsigned(&vault, now);
        let observer = VaultObserver { service: &self.service, vault: &vault, tip, now, unsigned: &unsigned };
        let mut observation: VaultObservation = observer.observe().await?;
        self.track_dropped_parents(lender, &mut observation);
        self.state().bump_schedule.observe(lender, &observation);
        let steps = decide(&vault.ledger, &observation)?;
        let excluded = steps.excluded.clone();
        self.state().excluded.insert(lender, excluded);
        Ok((signers, steps))
    }

    /// Stores a move that the node has, although its signatures are not in the journal: a signer, or someone with its
    /// answer, broadcast it.
    async fn store_seen_moves(&self, vault: &LenderVault) -> Result<bool, ObservationError> {
        let mut is_stored = false;
        for (spend, leaving) in vault.ledger.pending_spends() {
            let SpendId::Move(id) = spend else { continue };
            if leaving.transaction.is_some() {
                continue;
            }
            if let Some(seen) = self.service.ports.chain().transaction(Txid::from_byte_array(leaving.txid)).await? {
                let transaction = consensus::serialize(&seen.transaction);
                is_stored |= self.service.market.move_signed(vault.lender, id, transaction).await.is_ok();
            }
        }
        Ok(is_stored)
    }

    /// Sets for how many blocks the outputs that a withdrawal spends have been of unknown origin.
    fn track_dropped_parents(&self, lender: UserId, observation: &mut VaultObservation) {
        let mut state = self.state();
        let mut still = BTreeMap::new();
        for (spend, seen) in &mut observation.spends {
            let SpendStatus::ParentDropped { blocks, .. } = seen else { continue };
            let key = (lender, *spend);
            let since = state.parents_dropped.get(&key).copied().unwrap_or(observation.tip);
            *blocks = observation.tip.saturating_sub(since);
            still.insert(key, since);
        }
        state.parents_dropped.retain(|(of, _), _| *of != lender);
        state.parents_dropped.extend(still);
    }

    /// Returns since when the unsigned withdrawals of a vault have existed.
    fn track_unsigned(&self, vault: &LenderVault, now: UnixMs) -> UnsignedSince {
        let spends = vault.ledger.pending_spends();
        let unsigned = spends.filter(|(spend, leaving)| {
            leaving.transaction.is_none() && matches!(spend, SpendId::Withdrawal(_) | SpendId::Move(_))
        });
        let mut state = self.state();
        let since: UnsignedSince = unsigned
            .map(|(spend, _)| {
                let key = (vault.lender, spend);
                (key, state.unsigned.get(&key).copied().unwrap_or(now))
            })
            .collect();
        state.unsigned.retain(|(lender, _), _| *lender != vault.lender);
        state.unsigned.extend(since.iter().map(|(key, since)| (*key, *since)));
        since
    }

    /// Journals the steps that follow from an observation; returns whether there were any.
    async fn apply(&self, lender: UserId, signers: &SignerKeys, steps: &Steps) -> Result<bool, Refusal> {
        let market = &self.service.market;
        if steps.is_empty() {
            return Ok(false);
        }
        if !steps.observations.is_empty() {
            market.sync_vault_of(lender, Some(signers), &steps.observations).await?;
        }
        for spend in &steps.fail {
            ignore_stale(market.fail_vault_transaction(lender, *spend).await)?;
        }
        for id in &steps.abandon {
            ignore_stale(market.abandon_withdrawal(lender, *id).await)?;
        }
        if !steps.returned.is_empty() {
            market.sync_vault_of(lender, Some(signers), &steps.returned).await?;
        }
        for spend in &steps.settle {
            ignore_stale(market.settle_vault_transaction(lender, *spend).await)?;
        }
        Ok(true)
    }
}

/// A spend may have changed meanwhile: the next round observes it.
fn ignore_stale<T>(done: Result<T, Refusal>) -> Result<(), Refusal> {
    use VaultRejection::{AlreadySigned, Mined, Moving, UnknownSpend};
    match done {
        Ok(_) | Err(Refusal::Vault(UnknownSpend(_) | Mined(_) | AlreadySigned(_) | Moving)) => Ok(()),
        Err(refusal) => Err(refusal),
    }
}
