//! Test doubles of the ports on the embedded chain, with fault injection: each can fail, lag, lie and hang.

use std::collections::BTreeMap;
use std::future::pending;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use bitcoin::{Amount, BlockHash, FeeRate, OutPoint, Script, ScriptBuf, Transaction, Txid};
use devchain::EmbeddedChain;
use domain::UnixMs;
use engine::asset_index::{
    AssetError, AssetIndex, Brc20Balance, Brc20Index, InscriptionId, OutputAssets, RuneEntry, TransferInscription,
};
use engine::chain::{Chain, ChainError, ChainPosition, KnownTransaction, Tip, Unspent};
use engine::clock::{Clock as _, ManualClock};
use engine::coin_index::CoinIndex;
use lending::lookups::ports::Ports;
use ordinals::SpacedRune;
use signer::request::shared::SharedRequest;
use signer::request::{Answer, Request};
use signer::signer::Signer;
use signer::signers::Signers;
use signer::vault_signer::{SignerError, VaultSigner};
use tokio::task::yield_now;

use crate::randomness::Randomness;

/// The longest confirmation target, in blocks, to which a full mempool's estimate applies; the relay minimum is asked
/// for with a longer one.
const NEXT_BLOCKS: u16 = 6;

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
}

impl SharedFaults {
    /// Locks the faults, to change or read them.
    pub fn lock(&self) -> MutexGuard<'_, Faults> {
        self.faults.lock().unwrap()
    }

    /// The faults of a restarted server: none, and counted on.
    pub fn after_crash(&self) -> Self {
        Self { faults: Arc::default(), injected: Arc::clone(&self.injected) }
    }

    /// The number of single calls that failed or were answered wrongly.
    pub fn injected(&self) -> u64 {
        self.injected.load(Ordering::Relaxed)
    }

    /// Lets other tasks run, as a real port does, which answers asynchronously.
    async fn latency(&self) {
        let flaky = self.lock().flaky.clone();
        match flaky {
            Some(flaky) => {
                let [milliseconds, ..] = flaky.randomness.draw();
                tokio::time::sleep(Duration::from_millis(u64::from(milliseconds % 4))).await;
            }
            None => yield_now().await,
        }
    }

    /// Returns a random number for a call that fails.
    fn strike(&self, faults: &Faults) -> Option<u8> {
        let FlakyCalls { randomness, per_mille } = faults.flaky.as_ref()?;
        let [low, high, kind, ..] = randomness.draw();
        (u16::from_le_bytes([low, high]) % 1_000 < *per_mille).then(|| {
            self.injected.fetch_add(1, Ordering::Relaxed);
            kind
        })
    }

    fn node(&self) -> Result<Faults, ChainError> {
        let mut faults = self.lock();
        faults.requests += 1;
        if faults.is_node_unreachable {
            return Err(ChainError::Unreachable("it is unreachable".to_owned()));
        }
        let mut seen = faults.clone();
        match self.strike(&faults).map(|kind| kind % 4) {
            Some(0) => seen.broadcasts = FaultMode::LosesAnswer,
            Some(behind @ 1..=2) => seen.node_behind += u32::from(behind),
            Some(_) => return Err(ChainError::Unreachable("this call failed".to_owned())),
            None => {}
        }
        Ok(seen)
    }

    fn index(&self) -> Result<Faults, AssetError> {
        let mut faults = self.lock();
        faults.requests += 1;
        if faults.is_index_unreachable {
            return Err(AssetError::Unreachable("it is unreachable".to_owned()));
        }
        let mut seen = faults.clone();
        match self.strike(&faults).map(|kind| kind % 4) {
            Some(0) => seen.contradiction = Some("another indexer disagrees"),
            Some(behind @ 1..=2) => seen.index_behind += u32::from(behind),
            Some(_) => return Err(AssetError::Unreachable("this call failed".to_owned())),
            None => {}
        }
        Ok(seen)
    }
}

/// The embedded chain's node and indexers, with faults.
pub struct FaultyChain {
    /// The chain.
    pub chain: EmbeddedChain,
    faults: SharedFaults,
}

/// A signer with its own log, with faults.
#[derive(Clone)]
pub struct FaultySignerPort {
    /// Its place among the signers.
    number: usize,
    signer: Arc<Mutex<Signer>>,
    clock: Arc<ManualClock>,
    faults: SharedFaults,
}

/// All ports of a loan service.
pub struct WorldPorts {
    chain: FaultyChain,
    signers: Signers<FaultySignerPort>,
}

impl WorldPorts {
    /// Joins a chain and signers, of which `required` sign each payment.
    pub fn new(
        chain: EmbeddedChain,
        (required, signers): (usize, &[Arc<Mutex<Signer>>]),
        clock: &Arc<ManualClock>,
        faults: SharedFaults,
    ) -> Self {
        let ports = signers.iter().enumerate().map(|(number, signer)| FaultySignerPort {
            number,
            signer: signer.clone(),
            clock: clock.clone(),
            faults: faults.clone(),
        });
        let signers = Signers::new(required, ports.collect()).unwrap();
        Self { chain: FaultyChain { chain, faults }, signers }
    }
}

impl Ports for WorldPorts {
    type Chain = FaultyChain;
    type Assets = FaultyChain;
    type Brc20 = FaultyChain;
    type Coins = FaultyChain;
    type Signer = Signers<FaultySignerPort>;

    fn chain(&self) -> &FaultyChain {
        &self.chain
    }
    fn assets(&self) -> &FaultyChain {
        &self.chain
    }
    fn brc20(&self) -> &FaultyChain {
        &self.chain
    }
    fn coins(&self) -> &FaultyChain {
        &self.chain
    }
    fn signer(&self) -> &Signers<FaultySignerPort> {
        &self.signers
    }
}

impl FaultyChain {
    /// The height up to which the node has blocks.
    async fn known(&self, faults: &Faults) -> Result<u32, ChainError> {
        Ok(self.chain.tip().await?.height - faults.node_behind)
    }
}

impl Chain for FaultyChain {
    async fn tip(&self) -> Result<Tip, ChainError> {
        let faults = self.faults.node()?;
        let tip = self.chain.tip().await?;
        if faults.node_behind == 0 {
            return Ok(tip);
        }
        let height = tip.height - faults.node_behind;
        Ok(Tip { height, hash: self.chain.block_hash(height).await?.unwrap(), ..tip })
    }

    async fn block_hash(&self, height: u32) -> Result<Option<BlockHash>, ChainError> {
        let faults = self.faults.node()?;
        if height > self.known(&faults).await? { Ok(None) } else { self.chain.block_hash(height).await }
    }

    async fn unspent(&self, outpoint: OutPoint) -> Result<Option<Unspent>, ChainError> {
        self.faults.latency().await;
        let faults = self.faults.node()?;
        if faults.mines_during_lookup {
            self.chain.mine(1).unwrap();
        }
        if faults.hidden.contains(&outpoint) {
            return Ok(None);
        }
        let Some(mut unspent) = self.chain.unspent(outpoint).await? else { return Ok(None) };
        if let Some(reported) = faults.reported_amounts.get(&outpoint) {
            unspent.output.value = *reported;
        }
        if faults.node_behind > 0 {
            let Some(confirmations) = unspent.confirmations.checked_sub(faults.node_behind).filter(|left| *left > 0)
            else {
                return Ok(None);
            };
            unspent.confirmations = confirmations;
        }
        Ok(Some(unspent))
    }

    async fn confirmed_unspent(&self, outpoint: OutPoint) -> Result<Option<Unspent>, ChainError> {
        let faults = self.faults.node()?;
        if faults.hidden.contains(&outpoint) { Ok(None) } else { self.chain.confirmed_unspent(outpoint).await }
    }

    async fn median_time(&self, block: BlockHash) -> Result<Option<u32>, ChainError> {
        self.faults.node()?;
        self.chain.median_time(block).await
    }

    async fn block_transactions(&self, block: BlockHash) -> Result<Option<Vec<Transaction>>, ChainError> {
        self.faults.node()?;
        self.chain.block_transactions(block).await
    }

    async fn transaction(&self, txid: Txid) -> Result<Option<KnownTransaction>, ChainError> {
        let faults = self.faults.node()?;
        let known = self.known(&faults).await?;
        let seen = self.chain.transaction(txid).await?;
        Ok(seen.filter(|seen| !matches!(seen.position, ChainPosition::Confirmed { height, .. } if height > known)))
    }

    async fn test_accept(&self, package: &[Transaction]) -> Result<(), ChainError> {
        self.faults.latency().await;
        self.faults.node()?;
        self.chain.test_accept(package).await
    }

    async fn broadcast(&self, package: &[Transaction]) -> Result<(), ChainError> {
        let lost = || ChainError::Unreachable("the answer was lost".to_owned());
        self.faults.latency().await;
        match self.faults.node()?.broadcasts {
            FaultMode::Healthy => self.chain.broadcast(package).await,
            FaultMode::Unreachable => Err(lost()),
            FaultMode::LosesAnswer => self.chain.broadcast(package).await.and(Err(lost())),
            FaultMode::HangsBefore => pending().await,
            FaultMode::HangsAfter => {
                self.chain.broadcast(package).await?;
                pending().await
            }
        }
    }

    async fn fee_rate(&self, within_blocks: u16) -> Result<FeeRate, ChainError> {
        let faults = self.faults.node()?;
        let estimate = faults.estimate.filter(|_| within_blocks <= NEXT_BLOCKS);
        let least = [faults.floor, estimate].into_iter().flatten().max().unwrap_or(FeeRate::ZERO);
        Ok(self.chain.fee_rate(within_blocks).await?.max(least))
    }
}

impl AssetIndex for FaultyChain {
    async fn height(&self) -> Result<u32, AssetError> {
        let faults = self.faults.index()?;
        Ok(AssetIndex::height(&self.chain).await? - faults.index_behind)
    }

    /// An output in a block that it has not read looks as empty as any unknown one.
    async fn assets_in(&self, outpoint: OutPoint) -> Result<Option<OutputAssets>, AssetError> {
        let faults = self.faults.index()?;
        let unspent = self.chain.unspent(outpoint).await.unwrap();
        if unspent.is_some_and(|unspent| unspent.confirmations <= faults.index_behind) {
            return Ok(None);
        }
        self.chain.assets_in(outpoint).await
    }

    async fn sat_point(&self, inscription: InscriptionId) -> Result<Option<(OutPoint, Amount)>, AssetError> {
        self.faults.index()?;
        self.chain.sat_point(inscription).await
    }

    async fn inscription_number(&self, inscription: InscriptionId) -> Result<Option<i64>, AssetError> {
        self.faults.index()?;
        self.chain.inscription_number(inscription).await
    }

    async fn rune(&self, name: SpacedRune) -> Result<Option<RuneEntry>, AssetError> {
        self.faults.index()?;
        self.chain.rune(name).await
    }

    async fn cross_check(&self, outpoint: OutPoint, carried: &OutputAssets) -> Result<(), AssetError> {
        assert_eq!(self.chain.assets_in(outpoint).await?.as_ref(), Some(carried), "the real contents are checked");
        self.faults.index()?.contradiction.map_or(Ok(()), |why| Err(AssetError::InvalidResponse(why.to_owned())))
    }
}

impl Brc20Index for FaultyChain {
    async fn brc20_height(&self) -> Result<u32, AssetError> {
        let faults = self.faults.index()?;
        Ok(self.chain.brc20_height().await? - faults.brc20_behind)
    }

    async fn balance(&self, owner: &ScriptBuf, ticker: &str) -> Result<Brc20Balance, AssetError> {
        self.faults.index()?;
        self.chain.balance(owner, ticker).await
    }

    /// A transfer inscription in a block that it has not read is unknown to it.
    async fn transfer_inscription(
        &self,
        inscription: InscriptionId,
    ) -> Result<Option<TransferInscription>, AssetError> {
        let faults = self.faults.index()?;
        let read = self.chain.brc20_height().await? - faults.brc20_behind;
        let seen = self.chain.transaction(inscription.txid).await.unwrap();
        if seen.is_some_and(|seen| matches!(seen.position, ChainPosition::Confirmed { height, .. } if height > read)) {
            return Ok(None);
        }
        self.chain.transfer_inscription(inscription).await
    }
}

impl CoinIndex for FaultyChain {
    async fn outputs_of(&self, owner: &Script) -> Result<Vec<OutPoint>, AssetError> {
        let faults = self.faults.index()?;
        let mut outputs = self.chain.outputs_of(owner).await?;
        outputs.extend(faults.extra_outputs);
        Ok(outputs)
    }
}

impl VaultSigner for FaultySignerPort {
    async fn ask(&self, request: Request) -> Result<Answer, SignerError> {
        self.faults.latency().await;
        let mode = {
            let mut faults = self.faults.lock();
            faults.requests += 1;
            // Queries are answered as long as the signer can be reached.
            let is_question = matches!(
                request,
                Request::Describe
                    | Request::PublicKey { .. }
                    | Request::Shared(SharedRequest::VaultKey { .. } | SharedRequest::Vault { .. })
            );
            let own = faults.odd_signer.filter(|(number, _)| *number == self.number);
            let mode = match self.faults.strike(&faults) {
                Some(kind) if kind % 2 == 0 => FaultMode::Unreachable,
                Some(_) => FaultMode::LosesAnswer,
                None => own.map_or(faults.signs, |(_, mode)| mode),
            };
            if is_question && mode != FaultMode::Unreachable { FaultMode::Healthy } else { mode }
        };
        let answer = || {
            let UnixMs(now_ms) = self.clock.now();
            self.signer.lock().unwrap().answer(request, now_ms)
        };
        match mode {
            FaultMode::Healthy => Ok(answer()),
            FaultMode::Unreachable => Err(SignerError::Unreachable { reason: "it is unreachable".to_owned() }),
            FaultMode::LosesAnswer => {
                answer();
                Err(SignerError::Unanswered { reason: "the answer was lost".to_owned() })
            }
            FaultMode::HangsBefore => pending().await,
            FaultMode::HangsAfter => {
                answer();
                pending().await
            }
        }
    }
}
