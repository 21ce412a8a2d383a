//! Faults that tests inject into the ports: lasting ones, and those of single calls at random.

use std::collections::BTreeMap;
use std::future::pending;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use bitcoin::{Amount, FeeRate, OutPoint};
use engine::asset_index::AssetError;
use engine::chain::ChainError;
use tokio::sync::watch;
use tokio::task::yield_now;
use tokio::time::timeout;

use crate::randomness::Randomness;

/// The behaviour of a port that has an effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FaultMode {
    /// It acts and answers.
    #[default]
    Healthy,
    /// It cannot be reached, and does nothing.
    Unreachable,
    /// It acts, and the answer is lost.
    LosesAnswer,
    /// It does nothing, and never answers.
    HangsBefore,
    /// It acts, and never answers.
    HangsAfter,
}

/// Faults of single calls, at random.
#[derive(Clone, Debug)]
pub struct FlakyCalls {
    /// Decides which calls fail, and how.
    pub randomness: Randomness,
    /// Of a thousand calls, those that fail.
    pub per_mille: u16,
}

/// A fault of one call.
pub(crate) type CallFault = fn(&mut Faults);

/// The answer is of an earlier block.
pub(crate) const BEHIND: Option<CallFault> = Some(|faults| faults.node_behind += 1);
pub(crate) const INDEX_BEHIND: Option<CallFault> = Some(|faults| faults.index_behind += 1);
pub(crate) const BRC20_BEHIND: Option<CallFault> = Some(|faults| faults.brc20_behind += 1);
pub(crate) const CONTRADICTION: Option<CallFault> =
    Some(|faults| faults.contradiction = Some("another indexer disagrees"));
pub(crate) const LOST_BROADCAST: Option<CallFault> = Some(|faults| faults.broadcasts = FaultMode::LosesAnswer);
pub(crate) const LOST_SIGNATURE: Option<CallFault> =
    Some(|faults| (faults.signs, faults.odd_signer) = (FaultMode::LosesAnswer, None));

/// The longest time of a call, in virtual milliseconds, while calls are flaky.
const LATENCY_MS_MAX: u64 = 3;

/// The limit of a request that is to end or hang.
const REQUEST_TIMEOUT: Duration = Duration::from_mins(1);
/// The turns for the requests to other signers, which hang soon after the first: each is asked in a few turns of a task of
/// this thread.
const TURNS_OF_OTHERS: usize = 64;

/// The injected faults.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    /// Faults of single calls, besides the lasting ones.
    pub flaky: Option<FlakyCalls>,
    /// The node does not answer.
    pub is_node_unreachable: bool,
    /// The number of the last blocks that the node lacks.
    pub node_behind: u32,
    /// Values that the node reports for outputs.
    pub reported_amounts: BTreeMap<OutPoint, Amount>,
    /// Outputs that the node reports as missing.
    pub hidden: Vec<OutPoint>,
    /// A block is mined during each lookup of an output.
    pub mines_during_lookup: bool,
    /// The fee rate below which the node accepts nothing, as with a full mempool.
    pub floor: Option<FeeRate>,
    /// The fee rate estimated for the next blocks.
    pub estimate: Option<FeeRate>,
    /// The behaviour of broadcasts.
    pub broadcasts: FaultMode,
    /// The indexers do not answer.
    pub is_index_unreachable: bool,
    /// The contradiction that the cross-check indexer reports.
    pub contradiction: Option<&'static str>,
    /// The number of the last blocks that the asset indexer has not read.
    pub index_behind: u32,
    /// The same for the BRC-20 indexer.
    pub brc20_behind: u32,
    /// Outputs that the address index lists besides the right ones.
    pub extra_outputs: Vec<OutPoint>,
    /// The behaviour of the signers.
    pub signs: FaultMode,
    /// Of several signers, one that has a behaviour of its own.
    pub odd_signer: Option<(usize, FaultMode)>,
    /// The number of requests to all ports.
    pub requests: u64,
}

/// The injected faults, shared by the ports.
#[derive(Clone, Debug, Default)]
pub struct SharedFaults {
    faults: Arc<Mutex<Faults>>,
    injected: Arc<AtomicU64>,
    /// The number of calls that hang.
    hung: watch::Sender<u64>,
}

impl SharedFaults {
    /// Locks the faults, to change or read them.
    pub fn lock(&self) -> MutexGuard<'_, Faults> {
        self.faults.lock().unwrap()
    }

    /// The faults of a restarted server: none, and counted on.
    pub fn after_crash(&self) -> Self {
        Self { injected: Arc::clone(&self.injected), ..Self::default() }
    }

    /// The number of single calls that failed or were answered wrongly.
    pub fn injected(&self) -> u64 {
        self.injected.load(Ordering::Relaxed)
    }

    /// A call that never answers.
    pub async fn hang<T>(&self) -> T {
        self.hung.send_modify(|count| *count += 1);
        pending().await
    }

    /// Returns a request's result, or nothing if one of its calls hangs; the request is then dropped.
    pub async fn until_hung<T>(&self, request: impl Future<Output = T>) -> Option<T> {
        let (mut request, mut hung) = (Box::pin(request), self.hung.subscribe());
        let outcome = async {
            tokio::select! {
                biased;
                result = &mut request => Some(result),
                _ = hung.changed() => None,
            }
        };
        let outcome = timeout(REQUEST_TIMEOUT, outcome).await.expect("a request neither ended nor hung");
        if outcome.is_none() {
            for _ in 0..TURNS_OF_OTHERS {
                yield_now().await;
            }
        }
        outcome
    }

    /// Lets other tasks run, as a real port does, which answers asynchronously.
    pub(crate) async fn latency(&self) {
        let flaky = self.lock().flaky.clone();
        match flaky {
            Some(FlakyCalls { randomness, .. }) => tokio::time::sleep(randomness.milliseconds(LATENCY_MS_MAX)).await,
            None => yield_now().await,
        }
    }

    /// Returns the faults of one call. A call that fails at random has no answer or, where there is one, this other fault.
    pub(crate) fn of_call(&self, other: Option<CallFault>) -> Result<Faults, String> {
        let mut faults = self.lock();
        faults.requests += 1;
        let mut of_call = faults.clone();
        let Some(FlakyCalls { randomness, per_mille }) = &faults.flaky else { return Ok(of_call) };
        if randomness.happens(*per_mille) {
            self.injected.fetch_add(1, Ordering::Relaxed);
            match other.filter(|_| randomness.happens(500)) {
                Some(other) => other(&mut of_call),
                None => return Err("this call failed".to_owned()),
            }
        }
        Ok(of_call)
    }

    pub(crate) fn node(&self, other: Option<CallFault>) -> Result<Faults, ChainError> {
        let of_call = self.of_call(other).map_err(ChainError::Unreachable)?;
        if of_call.is_node_unreachable {
            return Err(ChainError::Unreachable("it is unreachable".to_owned()));
        }
        Ok(of_call)
    }

    pub(crate) fn index(&self, other: Option<CallFault>) -> Result<Faults, AssetError> {
        let of_call = self.of_call(other).map_err(AssetError::Unreachable)?;
        if of_call.is_index_unreachable {
            return Err(AssetError::Unreachable("it is unreachable".to_owned()));
        }
        Ok(of_call)
    }
}
