//! A watch over the outputs of every open vault, which keeps its ledger in agreement with the chain.
//!
//! A round checks one vault after another. Contradictory or stale responses and failed requests change nothing: the
//! next round checks again. A round is cancel-safe: all that it has journaled is true, and what it has not is observed
//! again. A transaction that stays unconfirmed for too long gets a child that raises its fee.

mod bumping;
pub mod decision;
pub mod looking;

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bitcoin::BlockHash;
use domain::{Departure, Outpoint, Sats, UnixMs, UserId, VaultRejection};
use engine::Refusal;
use engine::chain::{Chain as _, ChainError, Tip};
use thiserror::Error;

use crate::desk::Desk;
use crate::ports::Ports;
use crate::vault::OwnVault;
use bumping::Patience;
use decision::{DepartureLook, HeldBack, Look, Steps, decide};
use looking::{LookError, Looking, Unsigned};

/// The most vaults checked in one round; the next one continues behind them.
pub const VAULTS_A_ROUND: usize = 256;
/// The most unconfirmed transactions considered for a child in one round: each takes several requests to the node.
pub const BUMPS_A_ROUND: usize = 16;

/// The intervals of the watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// The interval at which the node's tip is polled.
    pub ask_every: Duration,
    /// The longest time between two checks of the vaults without a new block.
    pub look_every: Duration,
    /// The same while the state of a vault is unclear.
    pub unclear_every: Duration,
}

/// Two seconds, a minute, and ten seconds: unconfirmed transactions change between blocks, too.
impl Default for Pace {
    fn default() -> Self {
        let [ask_every, look_every, unclear_every] = [2, 60, 10].map(Duration::from_secs);
        Self { ask_every, look_every, unclear_every }
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
    pub looked: usize,
    /// Vaults of which something was journaled.
    pub changed: usize,
    /// Vaults that could not be checked, and why.
    pub unclear: Vec<(UserId, LookError)>,
    /// Unconfirmed transactions that got a child.
    pub bumped: usize,
    /// Whether the indexer has not yet reported the contents of some outputs.
    pub is_unread: bool,
    /// Whether there are more vaults, left for the next round.
    pub is_more: bool,
}

/// State kept between rounds. It is not persisted, and is rebuilt after a restart.
#[derive(Debug, Default)]
struct Memory {
    /// The height of the highest block ever seen.
    highest: u32,
    unsigned: Unsigned,
    /// The height since which outputs of a withdrawal have been of unknown origin.
    forgotten: BTreeMap<(UserId, Departure), u32>,
    patience: Patience,
    held_back: BTreeMap<UserId, Vec<(Outpoint, Sats, HeldBack)>>,
    /// The last vault checked, where the round did not reach the end.
    last: Option<UserId>,
}

/// The watch over all vaults of a loan service.
pub struct VaultWatch<P> {
    desk: Desk<P>,
    memory: Mutex<Memory>,
    /// Of two concurrent rounds each could take an older observation for the newer one.
    turn: tokio::sync::Mutex<()>,
}

impl<P: Ports> VaultWatch<P> {
    /// Creates a watch without observations.
    #[must_use]
    pub fn new(desk: Desk<P>) -> Self {
        Self { desk, memory: Mutex::default(), turn: tokio::sync::Mutex::default() }
    }

    /// Runs rounds at every new block, and often enough without one, until the market closes. Cancel-safe.
    pub async fn run(&self, pace: Pace) {
        let mut done: Option<(BlockHash, tokio::time::Instant, Duration)> = None;
        loop {
            match self.desk.ports.chain().tip().await {
                Ok(Tip { hash, .. }) => {
                    let is_due = done.is_none_or(|(known, at, rest)| known != hash || at.elapsed() >= rest);
                    if is_due {
                        let is_clear = match self.look_at_all().await {
                            Ok(is_clear) => is_clear,
                            Err(RoundError::Market(Refusal::Closed)) => return,
                            Err(error) => {
                                tracing::warn!(%error, "vaults could not be looked at");
                                false
                            }
                        };
                        let rest = if is_clear { pace.look_every } else { pace.unclear_every };
                        done = Some((hash, tokio::time::Instant::now(), rest));
                    }
                }
                Err(error) => tracing::warn!(%error, "the vaults' node does not answer"),
            }
            tokio::time::sleep(pace.ask_every).await;
        }
    }

    /// Runs rounds until every vault is checked; returns whether the state of all is clear.
    async fn look_at_all(&self) -> Result<bool, RoundError> {
        let mut is_clear = true;
        loop {
            let round = self.round().await?;
            for (lender, error) in &round.unclear {
                tracing::warn!(%lender, %error, "nothing is known of a vault");
            }
            is_clear &= round.unclear.is_empty() && !round.is_unread;
            if !round.is_more {
                return Ok(is_clear);
            }
        }
    }

    /// Checks the next vaults, and journals the changes.
    ///
    /// # Errors
    /// [`RoundError`]: the remaining vaults were not checked then.
    pub async fn round(&self) -> Result<Round, RoundError> {
        let _turn = self.turn.lock().await;
        let now = self.desk.market.now();
        let tip = self.desk.ports.chain().tip().await?;
        let last = {
            let mut memory = self.memory();
            let known = memory.highest;
            if tip.height < known {
                return Err(RoundError::Behind { tip: tip.height, known });
            }
            memory.highest = tip.height;
            memory.last
        };
        let mut lenders = self.desk.market.vaults();
        lenders.retain(|lender| last.is_none_or(|last| last < *lender));
        let is_more = lenders.len() > VAULTS_A_ROUND;
        lenders.truncate(VAULTS_A_ROUND);
        let mut round = Round { is_more, ..Round::default() };
        let mut asked = 0;
        for lender in lenders {
            match self.follow(lender, tip, now).await? {
                Ok(is_changed) => {
                    round.changed += usize::from(is_changed);
                    let room = BUMPS_A_ROUND.saturating_sub(asked);
                    let (tried, done) = self.bump(lender, tip.height, room).await?;
                    asked += tried;
                    round.bumped += done;
                }
                Err(error) => round.unclear.push((lender, error)),
            }
            round.is_unread |= self.held_back(lender).iter().any(|(_, _, why)| *why == HeldBack::Unread);
            round.looked += 1;
            self.memory().last = Some(lender);
        }
        if !is_more {
            self.memory().last = None;
        }
        Ok(round)
    }

    /// Returns the outputs of a vault that are not counted, as last observed: their values, and why.
    #[must_use]
    pub fn held_back(&self, lender: UserId) -> Vec<(Outpoint, Sats, HeldBack)> {
        self.memory().held_back.get(&lender).cloned().unwrap_or_default()
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        // No code panics while holding the lock, and no update leaves the state inconsistent.
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks one vault; returns whether anything was journaled, or why it could not be checked.
    async fn follow(&self, lender: UserId, tip: Tip, now: UnixMs) -> Result<Result<bool, LookError>, RoundError> {
        match self.see(lender, tip, now).await {
            Ok(steps) => match self.take(lender, &steps).await {
                Ok(is_changed) => Ok(Ok(is_changed)),
                Err(Refusal::Vault(rejection)) => Ok(Err(rejection.into())),
                Err(refusal) => Err(refusal.into()),
            },
            // A node that is unreachable for one vault is so for the next.
            Err(LookError::Lookup(crate::lookup::LookupError::Chain(error @ ChainError::Unreachable(_)))) => {
                Err(error.into())
            }
            Err(error) => Ok(Err(error)),
        }
    }

    async fn see(&self, lender: UserId, tip: Tip, now: UnixMs) -> Result<Steps, LookError> {
        let vault = self.desk.own_vault(lender).await?;
        let unsigned = self.remember_unsigned(&vault, now);
        let looking = Looking { desk: &self.desk, vault: &vault, tip, now, unsigned: &unsigned };
        let mut look: Look = looking.look().await?;
        self.remember_forgotten(lender, &mut look);
        self.memory().patience.see(lender, &look);
        let steps = decide(&vault.ledger, &look)?;
        let held_back = steps.held_back.clone();
        self.memory().held_back.insert(lender, held_back);
        Ok(steps)
    }

    /// Sets for how many blocks the outputs that a withdrawal spends have been of unknown origin.
    fn remember_forgotten(&self, lender: UserId, look: &mut Look) {
        let mut memory = self.memory();
        let mut still = BTreeMap::new();
        for (departure, seen) in &mut look.departures {
            let DepartureLook::Forgotten { blocks, .. } = seen else { continue };
            let key = (lender, *departure);
            let since = memory.forgotten.get(&key).copied().unwrap_or(look.tip);
            *blocks = look.tip.saturating_sub(since);
            still.insert(key, since);
        }
        memory.forgotten.retain(|(of, _), _| *of != lender);
        memory.forgotten.extend(still);
    }

    /// Returns since when the unsigned withdrawals of a vault have existed.
    fn remember_unsigned(&self, vault: &OwnVault, now: UnixMs) -> Unsigned {
        let departures = vault.ledger.departures();
        let unsigned = departures.filter(|(departure, leaving)| {
            leaving.transaction.is_none() && matches!(departure, Departure::Withdrawal(_))
        });
        let mut memory = self.memory();
        let since: Unsigned = unsigned
            .map(|(departure, _)| {
                let key = (vault.lender, departure);
                (key, memory.unsigned.get(&key).copied().unwrap_or(now))
            })
            .collect();
        memory.unsigned.retain(|(lender, _), _| *lender != vault.lender);
        memory.unsigned.extend(since.iter().map(|(key, since)| (*key, *since)));
        since
    }

    /// Journals the steps that follow from an observation; returns whether there were any.
    async fn take(&self, lender: UserId, steps: &Steps) -> Result<bool, Refusal> {
        let market = &self.desk.market;
        if steps.is_nothing() {
            return Ok(false);
        }
        if !steps.sights.is_empty() {
            market.sync_vault(lender, &steps.sights).await?;
        }
        for departure in &steps.fail {
            gone_by(market.fail_departure(lender, *departure).await)?;
        }
        for id in &steps.abandon {
            gone_by(market.abandon_withdrawal(lender, *id).await)?;
        }
        if !steps.returned.is_empty() {
            market.sync_vault(lender, &steps.returned).await?;
        }
        for departure in &steps.settle {
            gone_by(market.settle_departure(lender, *departure).await)?;
        }
        Ok(true)
    }
}

/// A departure may have changed meanwhile: the next round observes it.
fn gone_by<T>(done: Result<T, Refusal>) -> Result<(), Refusal> {
    use VaultRejection::{AlreadySigned, Mined, NotLeaving};
    match done {
        Ok(_) | Err(Refusal::Vault(NotLeaving(_) | Mined(_) | AlreadySigned(_))) => Ok(()),
        Err(refusal) => Err(refusal),
    }
}
