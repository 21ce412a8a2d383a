//! The chain interface of a node, provided by several explorers.
//!
//! Everything that has a hash is checked against it ([`Blocks`]). The rest has to be trusted, by these rules:
//!
//! - The order of the configuration is the order of trust: the first explorer is asked first, and the next one replaces
//!   one that fails.
//! - Only explorers in sync are asked: within the guard's tolerance of the best tip that was reported. One that is
//!   behind is skipped, so that the tip never goes back because another explorer is asked ([`BestTip`]).
//! - Facts that decide over money, whether an output exists and what it holds, are read from all of them in parallel,
//!   and those in sync must agree; otherwise all are rejected. Where only one is configured or answers, its answer
//!   stands.
//! - The rest is the answer of the first: which block is at a height, its time, whether a block has a transaction. That
//!   is why explorers must not be the source of the chain where real money is lent.
//! - A transaction is broadcast through all of them, so that they soon agree on what it spends; acceptance by one is
//!   enough. A refusal counts only when no other explorer can have accepted it.

mod best_tip;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use bitcoin::{BlockHash, FeeRate, OutPoint, Transaction, Txid};
use engine::chain::{Chain, ChainError, KnownTransaction, Tip, Unspent};
use engine::locks::MutexExt as _;
use futures_util::future::{join_all, ready};
use futures_util::stream::{FuturesUnordered, StreamExt as _};

use self::best_tip::{BestTip, SyncStatus};
use crate::capability::{AsOf, UpstreamError, UpstreamFuture};
use crate::chain::explorer::{Blocks, Spenders};
use crate::parsing::text::excerpt;
use crate::resilience::{AllUpstreamsFailed, FallbackList, HeightGuard};

/// The time without a new block after which the first explorer in order is no longer assumed to be in sync. One
/// interval between blocks in four hundred is longer.
const QUIET_MAX: Duration = Duration::from_hours(1);

/// The time that the other explorers have to relay a transaction after one has accepted it.
const RELAY_TIMEOUT: Duration = Duration::from_secs(2);

/// A chain source made of explorers.
pub struct ExplorerChain {
    upstreams: FallbackList<dyn Blocks>,
    tolerance: u32,
    /// The last known height of each explorer.
    heights: Vec<AtomicU32>,
    best: Mutex<BestTip>,
    began: Instant,
}

/// An explorer, and its last known height.
type Member<'a> = (&'a dyn Blocks, &'a AtomicU32);

impl ExplorerChain {
    pub(crate) fn new(upstreams: FallbackList<dyn Blocks>, guard: HeightGuard) -> Self {
        Self::with_quiet_max(upstreams, guard, QUIET_MAX)
    }

    fn with_quiet_max(upstreams: FallbackList<dyn Blocks>, guard: HeightGuard, quiet_max: Duration) -> Self {
        let heights = upstreams.members().iter().map(|_| AtomicU32::new(0)).collect();
        let best = Mutex::new(BestTip::new(guard.tolerance, millis(quiet_max)));
        Self { upstreams, tolerance: guard.tolerance, heights, best, began: Instant::now() }
    }

    /// Returns whether no explorer is configured.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.upstreams.is_empty()
    }

    /// Returns the names of the explorers, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.upstreams.members().iter().map(|member| member.name())
    }

    fn members(&self) -> impl Iterator<Item = Member<'_>> {
        self.upstreams.members().iter().map(AsRef::as_ref).zip(&self.heights)
    }

    fn best(&self) -> MutexGuard<'_, BestTip> {
        self.best.lock_unpoisoned()
    }

    fn now_ms(&self) -> u64 {
        millis(self.began.elapsed())
    }

    /// Returns the height of the best tip that was reported; the first call reads it.
    async fn reported_height(&self) -> Result<u32, ChainError> {
        let reported = self.best().height();
        match reported {
            Some(height) => Ok(height),
            None => Ok(self.tip().await?.height),
        }
    }

    /// Checks whether an explorer is in sync, so that it may be asked about what changes from block to block.
    async fn check_synced(&self, (member, known): Member<'_>) -> Result<(), UpstreamError> {
        // Heights are not rechecked: an explorer that had read far enough before is not asked again.
        if self.check_height(known.load(Ordering::Acquire)).is_ok() {
            return Ok(());
        }
        let height = member.height().await?;
        known.store(height, Ordering::Release);
        self.upstreams.note_height(member, height);
        if self.best().sync_status(height) == SyncStatus::Ahead {
            // New blocks may have arrived since the last report. When the tip cannot be read, the old one counts.
            let _ = self.tip().await;
        }
        self.check_height(height)
    }

    /// Checks whether an explorer at this height is in sync.
    fn check_height(&self, height: u32) -> Result<(), UpstreamError> {
        let best = self.best();
        let wanted = best.height().unwrap_or_default();
        match best.sync_status(height) {
            SyncStatus::InSync => Ok(()),
            SyncStatus::Behind => Err(UpstreamError::Behind { height, wanted }),
            SyncStatus::Ahead => {
                Err(UpstreamError::invalid_response(&format!("it has read block {height}, and the best is {wanted}")))
            }
        }
    }

    /// Returns the first answer of an explorer in sync.
    async fn first<'a, T>(
        &'a self,
        ask: impl Fn(&'a dyn Blocks) -> UpstreamFuture<'a, T> + Send + Sync,
    ) -> Result<T, ChainError> {
        self.reported_height().await?;
        let mut errors = Vec::new();
        for member in self.members() {
            let answer = match self.check_synced(member).await {
                Ok(()) => ask(member.0).await,
                Err(error) => Err(error),
            };
            match answer {
                Ok(answer) => return Ok(answer),
                Err(error) => self.upstreams.add_failure(&mut errors, member.0, error),
            }
        }
        Err(self.upstreams.all_failed(errors).into())
    }

    /// Returns the answer of the first explorer that knows an immutable fact. That it is unknown requires the answers
    /// of all of them.
    async fn known<'a, T>(
        &'a self,
        ask: impl Fn(&'a dyn Blocks) -> UpstreamFuture<'a, Option<T>> + Send + Sync,
    ) -> Result<Option<T>, ChainError> {
        let mut errors = Vec::new();
        for (member, _) in self.members() {
            match ask(member).await {
                Ok(Some(answer)) => return Ok(Some(answer)),
                Ok(None) => {}
                Err(error) => self.upstreams.add_failure(&mut errors, member, error),
            }
        }
        let is_unknown = errors.is_empty() && !self.is_empty();
        if is_unknown { Ok(None) } else { Err(self.upstreams.all_failed(errors).into()) }
    }

    /// Returns an unspent output, as all explorers in sync agree on it.
    async fn agreed(&self, outpoint: OutPoint, spenders: Spenders) -> Result<Option<Unspent>, ChainError> {
        let reported = self.reported_height().await?;
        let answers = join_all(self.members().map(|(member, _)| member.unspent(outpoint, spenders))).await;
        if answers.iter().flatten().filter_map(|answer| answer.height).any(|height| height > reported) {
            // New blocks may have arrived since the last report.
            self.tip().await?;
        }
        let (mut answered, mut errors) = (Vec::new(), Vec::new());
        for ((member, known), answer) in self.members().zip(answers) {
            let synced = answer.and_then(|AsOf { height, value }| {
                let height = height.unwrap_or_default();
                known.store(height, Ordering::Release);
                self.check_height(height).map(|()| value.map(|unspent| (height, unspent)))
            });
            match synced {
                Ok(value) => answered.push((member.name(), value)),
                Err(error) => self.upstreams.add_failure(&mut errors, member, error),
            }
        }
        let best = self.best().height().unwrap_or_default();
        let mut answered =
            answered.into_iter().map(|(name, value)| (name, value.map(|(height, it)| as_of(best, height, it))));
        let Some((first, mut agreed)) = answered.next() else {
            return Err(self.upstreams.all_failed(errors).into());
        };
        for (other, value) in answered {
            if !self.is_same(agreed.as_ref(), value.as_ref()) {
                tracing::error!(first, other, %outpoint, "explorers disagree; all answers are rejected");
                let why = format!("{first} and {other} disagree on the output {outpoint}");
                return Err(ChainError::InvalidResponse(excerpt(&why)));
            }
            if let (Some(agreed), Some(value)) = (&mut agreed, value) {
                agreed.confirmations = agreed.confirmations.min(value.confirmations);
            }
        }
        Ok(agreed)
    }

    /// Returns whether the outputs of two explorers in sync may be the same.
    fn is_same(&self, one: Option<&Unspent>, other: Option<&Unspent>) -> bool {
        match (one, other) {
            (None, None) => true,
            (Some(one), Some(other)) => {
                one.output == other.output
                    && one.is_coinbase == other.is_coinbase
                    && one.confirmations.abs_diff(other.confirmations) <= self.tolerance
            }
            _ => false,
        }
    }
}

impl Chain for ExplorerChain {
    async fn tip(&self) -> Result<Tip, ChainError> {
        let (mut others, mut errors) = (Vec::new(), Vec::new());
        for (member, known) in self.members() {
            match member.tip().await {
                Ok(tip) => {
                    known.store(tip.height, Ordering::Release);
                    let mut best = self.best();
                    if best.is_next(tip.height, self.now_ms()) {
                        return Ok(best.report(tip, self.now_ms()));
                    }
                    others.push((member, tip));
                }
                Err(error) => self.upstreams.add_failure(&mut errors, member, error),
            }
        }
        let tips: Vec<Tip> = others.iter().map(|(_, tip)| *tip).collect();
        let chosen = {
            let mut best = self.best();
            best.reset_if_refuted(&tips, self.heights.len());
            best.choose(&tips).map(|tip| best.report(tip, self.now_ms()))
        };
        chosen.ok_or_else(|| {
            for (member, tip) in others {
                if let Err(error) = self.check_height(tip.height) {
                    self.upstreams.add_failure(&mut errors, member, error);
                }
            }
            self.upstreams.all_failed(errors).into()
        })
    }

    async fn block_hash(&self, height: u32) -> Result<Option<BlockHash>, ChainError> {
        let reported = self.reported_height().await?;
        self.first(|member| {
            Box::pin(async move {
                match member.block_hash(height).await? {
                    // It has not read a block that was reported already, which must not be taken for a reorg.
                    None if height <= reported => Err(UpstreamError::Unknown(format!("block {height}"))),
                    hash => Ok(hash),
                }
            })
        })
        .await
    }

    async fn unspent(&self, outpoint: OutPoint) -> Result<Option<Unspent>, ChainError> {
        self.agreed(outpoint, Spenders::All).await
    }

    async fn confirmed_unspent(&self, outpoint: OutPoint) -> Result<Option<Unspent>, ChainError> {
        self.agreed(outpoint, Spenders::InBlocks).await
    }

    async fn median_time(&self, block: BlockHash) -> Result<Option<u32>, ChainError> {
        self.known(|member| member.median_time(block)).await
    }

    async fn block_transactions(&self, block: BlockHash) -> Result<Option<Vec<Transaction>>, ChainError> {
        self.known(|member| member.transactions_of(block)).await
    }

    async fn transaction(&self, txid: Txid) -> Result<Option<KnownTransaction>, ChainError> {
        self.first(|member| member.transaction(txid)).await
    }

    async fn test_accept(&self, package: &[Transaction]) -> Result<(), ChainError> {
        Ok(self.first(|member| member.test(package)).await??)
    }

    async fn broadcast(&self, package: &[Transaction]) -> Result<(), ChainError> {
        let package: Arc<[Transaction]> = package.into();
        let sending = self.upstreams.members().iter().enumerate().map(|(place, member)| {
            // Each runs in a task of its own, so that a slow one still completes the broadcast.
            let (member, package) = (Arc::clone(member), Arc::clone(&package));
            let sent = tokio::spawn(async move { member.submit(&package).await });
            async move { (place, sent.await) }
        });
        let mut sending: FuturesUnordered<_> = sending.collect();
        let (mut refused, mut errors) = (BTreeMap::new(), Vec::new());
        while let Some((place, answer)) = sending.next().await {
            let member = self.upstreams.members()[place].as_ref();
            match answer {
                Ok(Ok(Ok(()))) => {
                    // The others agree sooner on what it spends.
                    let _ = tokio::time::timeout(RELAY_TIMEOUT, sending.for_each(|_| ready(()))).await;
                    return Ok(());
                }
                Ok(Ok(Err(refusal))) => {
                    refused.insert(place, refusal);
                }
                Ok(Err(error)) => self.upstreams.add_failure(&mut errors, member, error),
                Err(error) => {
                    self.upstreams.add_failure(&mut errors, member, UpstreamError::Unreachable(error.to_string()));
                }
            }
        }
        match refused.into_values().next() {
            // Another one may have sent it all the same: then the outcome is unknown until the chain shows it.
            Some(refusal) if errors.iter().all(|(_, error)| is_unsent(error)) => Err(refusal.into()),
            _ => Err(self.upstreams.all_failed(errors).into()),
        }
    }

    async fn fee_rate(&self, within_blocks: u16) -> Result<FeeRate, ChainError> {
        let advice = self.upstreams.first(|member| member.fees()).await?;
        Ok(advice.for_blocks(within_blocks))
    }
}

impl fmt::Debug for ExplorerChain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ExplorerChain").field(&self.upstreams).finish()
    }
}

/// Adjusts an output to the reported tip: the block of an explorer that has read more may not exist there yet.
fn as_of(best: u32, height: u32, unspent: Unspent) -> Unspent {
    let block = height.saturating_add(1).saturating_sub(unspent.confirmations);
    let above = best.checked_sub(block).filter(|_| unspent.confirmations > 0);
    Unspent { confirmations: above.map_or(0, |above| above.saturating_add(1)), ..unspent }
}

/// Returns whether an explorer with this error has certainly sent nothing.
const fn is_unsent(error: &UpstreamError) -> bool {
    match error {
        UpstreamError::Unauthorized
        | UpstreamError::Refused(_)
        | UpstreamError::Behind { .. }
        | UpstreamError::CircuitOpen { .. }
        | UpstreamError::RateLimited
        | UpstreamError::WrongNetwork
        | UpstreamError::Unknown(_) => true,
        UpstreamError::Status(code) => *code < 500,
        UpstreamError::Unreachable(_) | UpstreamError::InvalidResponse(_) => false,
    }
}

impl From<AllUpstreamsFailed> for ChainError {
    /// Nonsense when that was every answer, otherwise unreachable.
    fn from(none_left: AllUpstreamsFailed) -> Self {
        let is_answered = !none_left.errors.is_empty();
        let is_nonsense = none_left.errors.iter().all(|(_, error)| matches!(error, UpstreamError::InvalidResponse(_)));
        let why = none_left.to_string();
        if is_answered && is_nonsense { Self::InvalidResponse(why) } else { Self::Unreachable(why) }
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
