//! Follows every open vault on the chain, so that its ledger says what is really there.
//!
//! A round looks at vaults one after another. What cannot be so, what is of yesterday and what nobody answers changes
//! nothing: the next round looks again. A round may be dropped wherever it waits, since whatever it has journaled is
//! true, and what it has not it sees again. What has waited for a block for too long gets a child that pays for it.

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

/// How many vaults one round looks at; the next goes on behind them.
pub const VAULTS_A_ROUND: usize = 256;
/// How many waiting transactions one round looks at whether they want a child: each takes some questions to the node.
pub const BUMPS_A_ROUND: usize = 16;

/// How often the watch looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// How often the node is asked for its best block.
    pub ask_every: Duration,
    /// How long at most no vault is looked at where no block comes.
    pub look_every: Duration,
    /// The same while something is unclear.
    pub unclear_every: Duration,
}

/// Two seconds, a minute, and ten seconds: what waits for a block moves between blocks, too.
impl Default for Pace {
    fn default() -> Self {
        let [ask_every, look_every, unclear_every] = [2, 60, 10].map(Duration::from_secs);
        Self { ask_every, look_every, unclear_every }
    }
}

/// Why a round ended early.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RoundError {
    /// The node gives no answer.
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// The node has lost blocks that it had, and reads them again.
    #[error("the node's best block has height {tip}, and block {known} was seen")]
    Behind {
        /// The node's best.
        tip: u32,
        /// What was seen before.
        known: u32,
    },
    /// The market takes nothing in now.
    #[error(transparent)]
    Market(#[from] Refusal),
}

/// What a round came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// Vaults that were looked at.
    pub looked: usize,
    /// Vaults of which something was journaled.
    pub changed: usize,
    /// Vaults of which nothing could be said, and why.
    pub unclear: Vec<(UserId, LookError)>,
    /// Transactions that wait for a block and got a child.
    pub bumped: usize,
    /// Whether the indexer has yet to say what some outputs carry.
    pub is_unread: bool,
    /// Whether there are more vaults, for which the next round is.
    pub is_more: bool,
}

/// What is remembered from one round to the next. After a restart it is learned again.
#[derive(Debug, Default)]
struct Memory {
    /// The height of the best block ever seen.
    highest: u32,
    unsigned: Unsigned,
    /// Since which height nobody knows what made outputs of a withdrawal.
    forgotten: BTreeMap<(UserId, Departure), u32>,
    patience: Patience,
    held_back: BTreeMap<UserId, Vec<(Outpoint, Sats, HeldBack)>>,
    /// The last vault that was looked at, where the round did not get to the end.
    last: Option<UserId>,
}

/// Follows the vaults of a desk.
pub struct VaultWatch<P> {
    desk: Desk<P>,
    memory: Mutex<Memory>,
    /// Two rounds at once could each take an older look for the newer.
    turn: tokio::sync::Mutex<()>,
}

impl<P: Ports> VaultWatch<P> {
    /// A watch that has seen nothing yet.
    #[must_use]
    pub fn new(desk: Desk<P>) -> Self {
        Self { desk, memory: Mutex::default(), turn: tokio::sync::Mutex::default() }
    }

    /// Looks whenever a new block is the best, and often enough without, until the market closes. It may be dropped
    /// wherever it waits.
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

    /// Rounds until every vault was looked at; whether all was clear.
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

    /// Looks at the next vaults, and journals what follows.
    ///
    /// # Errors
    /// [`RoundError`]: then nothing was learned of the vaults that were left.
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

    /// Outputs of a vault that are not counted, as they were seen last: what they hold, and why not.
    #[must_use]
    pub fn held_back(&self, lender: UserId) -> Vec<(Outpoint, Sats, HeldBack)> {
        self.memory().held_back.get(&lender).cloned().unwrap_or_default()
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        // Nothing panics with it locked, and nothing in it is ever half changed.
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at one vault; whether anything was journaled, or why nothing is known.
    async fn follow(&self, lender: UserId, tip: Tip, now: UnixMs) -> Result<Result<bool, LookError>, RoundError> {
        match self.see(lender, tip, now).await {
            Ok(steps) => match self.take(lender, &steps).await {
                Ok(is_changed) => Ok(Ok(is_changed)),
                Err(Refusal::Vault(rejection)) => Ok(Err(rejection.into())),
                Err(refusal) => Err(refusal.into()),
            },
            // Whoever cannot be asked about one vault cannot be asked about the next.
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

    /// Says for how long what a withdrawal spends has been nowhere.
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

    /// Since when the withdrawals of a vault have been there that nobody has signed.
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

    /// Journals what follows from a look; whether that was anything.
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

/// Something may have become of a departure meanwhile: the next look sees it.
fn gone_by<T>(done: Result<T, Refusal>) -> Result<(), Refusal> {
    use VaultRejection::{AlreadySigned, Mined, NotLeaving};
    match done {
        Ok(_) | Err(Refusal::Vault(NotLeaving(_) | Mined(_) | AlreadySigned(_))) => Ok(()),
        Err(refusal) => Err(refusal),
    }
}
