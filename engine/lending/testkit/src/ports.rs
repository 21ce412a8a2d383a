//! Test doubles of the ports on the embedded chain, with fault injection: each can fail, lag, lie and hang.

use std::sync::{Arc, Mutex};

use bitcoin::{Amount, BlockHash, FeeRate, OutPoint, Script, ScriptBuf, Transaction, Txid};
use devchain::EmbeddedChain;
use domain::UnixMs;
use engine::Market;
use engine::asset_index::{
    AssetError, AssetIndex, Brc20Balance, Brc20Index, InscriptionId, OutputAssets, RuneEntry, TransferInscription,
};
use engine::chain::{Chain, ChainError, ChainPosition, KnownTransaction, Tip, Unspent};
use engine::clock::{Clock as _, ManualClock};
use engine::coin_index::CoinIndex;
use lending::lookups::ports::Ports;
use lending::lookups::signer_router::{SignerGroup, SignerRouter};
use ordinals::SpacedRune;
use signer::request::shared::SharedRequest;
use signer::request::{Answer, Request};
use signer::signer::Signer;
use signer::signers::Signers;
use signer::vault_signer::{SignerError, VaultSigner};

use crate::faults::{
    BEHIND, BRC20_BEHIND, CONTRADICTION, FaultMode, Faults, INDEX_BEHIND, LOST_BROADCAST, LOST_SIGNATURE, SharedFaults,
};

/// The longest confirmation target, in blocks, to which a full mempool's estimate applies; the relay minimum is asked
/// for with a longer one.
const NEXT_BLOCKS: u16 = 6;

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

/// Signers, and how many of them sign each payment.
pub type SomeSigners<'a> = (usize, &'a [Arc<Mutex<Signer>>]);

/// All ports of a loan service.
pub struct WorldPorts {
    chain: FaultyChain,
    signers: SignerRouter<Signers<FaultySignerPort>>,
}

impl WorldPorts {
    /// Joins a chain and signers, of which `required` sign each payment, and those of earlier vaults.
    pub fn new(
        chain: EmbeddedChain,
        market: &Market,
        current: SomeSigners<'_>,
        previous: Option<SomeSigners<'_>>,
        clock: &Arc<ManualClock>,
        faults: SharedFaults,
    ) -> Self {
        let group = |(required, signers): SomeSigners<'_>, first: usize| {
            let ports = signers.iter().zip(first..).map(|(signer, number)| FaultySignerPort {
                number,
                signer: signer.clone(),
                clock: clock.clone(),
                faults: faults.clone(),
            });
            let port = Signers::new(required, ports.collect()).unwrap();
            SignerGroup { port, required, count: signers.len() }
        };
        // The places of earlier signers follow those of the others.
        let previous = previous.map(|previous| group(previous, current.1.len()));
        let current = group(current, 0);
        let signers = match previous {
            Some(previous) => SignerRouter::with_previous(market.clone(), current, previous),
            None => SignerRouter::alone(current.port),
        };
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
    fn signer(&self) -> &SignerRouter<Signers<FaultySignerPort>> {
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
        let faults = self.faults.node(BEHIND)?;
        let tip = self.chain.tip().await?;
        if faults.node_behind == 0 {
            return Ok(tip);
        }
        let height = tip.height - faults.node_behind;
        Ok(Tip { height, hash: self.chain.block_hash(height).await?.unwrap(), ..tip })
    }

    async fn block_hash(&self, height: u32) -> Result<Option<BlockHash>, ChainError> {
        let faults = self.faults.node(BEHIND)?;
        if height > self.known(&faults).await? { Ok(None) } else { self.chain.block_hash(height).await }
    }

    async fn unspent(&self, outpoint: OutPoint) -> Result<Option<Unspent>, ChainError> {
        self.faults.latency().await;
        let faults = self.faults.node(BEHIND)?;
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
        let faults = self.faults.node(None)?;
        if faults.mines_during_lookup {
            self.chain.mine(1).unwrap();
        }
        if faults.hidden.contains(&outpoint) { Ok(None) } else { self.chain.confirmed_unspent(outpoint).await }
    }

    async fn median_time(&self, block: BlockHash) -> Result<Option<u32>, ChainError> {
        self.faults.node(None)?;
        self.chain.median_time(block).await
    }

    async fn block_transactions(&self, block: BlockHash) -> Result<Option<Vec<Transaction>>, ChainError> {
        self.faults.node(None)?;
        self.chain.block_transactions(block).await
    }

    async fn transaction(&self, txid: Txid) -> Result<Option<KnownTransaction>, ChainError> {
        let faults = self.faults.node(BEHIND)?;
        let known = self.known(&faults).await?;
        let seen = self.chain.transaction(txid).await?;
        Ok(seen.filter(|seen| !matches!(seen.position, ChainPosition::Confirmed { height, .. } if height > known)))
    }

    async fn test_accept(&self, package: &[Transaction]) -> Result<(), ChainError> {
        self.faults.latency().await;
        self.faults.node(None)?;
        self.chain.test_accept(package).await
    }

    async fn broadcast(&self, package: &[Transaction]) -> Result<(), ChainError> {
        let lost = || ChainError::Unreachable("the answer was lost".to_owned());
        self.faults.latency().await;
        match self.faults.node(LOST_BROADCAST)?.broadcasts {
            FaultMode::Healthy => self.chain.broadcast(package).await,
            FaultMode::Unreachable => Err(lost()),
            FaultMode::LosesAnswer => self.chain.broadcast(package).await.and(Err(lost())),
            FaultMode::HangsBefore => self.faults.hang().await,
            FaultMode::HangsAfter => {
                self.chain.broadcast(package).await?;
                self.faults.hang().await
            }
        }
    }

    async fn fee_rate(&self, within_blocks: u16) -> Result<FeeRate, ChainError> {
        let faults = self.faults.node(None)?;
        let estimate = faults.estimate.filter(|_| within_blocks <= NEXT_BLOCKS);
        let least = [faults.floor, estimate].into_iter().flatten().max().unwrap_or(FeeRate::ZERO);
        Ok(self.chain.fee_rate(within_blocks).await?.max(least))
    }
}

impl AssetIndex for FaultyChain {
    async fn height(&self) -> Result<u32, AssetError> {
        let faults = self.faults.index(INDEX_BEHIND)?;
        Ok(AssetIndex::height(&self.chain).await? - faults.index_behind)
    }

    /// An output in a block that it has not read looks as empty as any unknown one.
    async fn assets_in(&self, outpoint: OutPoint) -> Result<Option<OutputAssets>, AssetError> {
        let faults = self.faults.index(INDEX_BEHIND)?;
        let unspent = self.chain.unspent(outpoint).await.unwrap();
        if unspent.is_some_and(|unspent| unspent.confirmations <= faults.index_behind) {
            return Ok(None);
        }
        self.chain.assets_in(outpoint).await
    }

    async fn sat_point(&self, inscription: InscriptionId) -> Result<Option<(OutPoint, Amount)>, AssetError> {
        self.faults.index(None)?;
        self.chain.sat_point(inscription).await
    }

    async fn inscription_number(&self, inscription: InscriptionId) -> Result<Option<i64>, AssetError> {
        self.faults.index(None)?;
        self.chain.inscription_number(inscription).await
    }

    async fn rune(&self, name: SpacedRune) -> Result<Option<RuneEntry>, AssetError> {
        self.faults.index(None)?;
        self.chain.rune(name).await
    }

    async fn cross_check(&self, outpoint: OutPoint, carried: &OutputAssets) -> Result<(), AssetError> {
        assert_eq!(self.chain.assets_in(outpoint).await?.as_ref(), Some(carried), "the real contents are checked");
        self.faults
            .index(CONTRADICTION)?
            .contradiction
            .map_or(Ok(()), |why| Err(AssetError::InvalidResponse(why.to_owned())))
    }
}

impl Brc20Index for FaultyChain {
    async fn brc20_height(&self) -> Result<u32, AssetError> {
        let faults = self.faults.index(BRC20_BEHIND)?;
        Ok(self.chain.brc20_height().await? - faults.brc20_behind)
    }

    async fn balance(&self, owner: &ScriptBuf, ticker: &str) -> Result<Brc20Balance, AssetError> {
        self.faults.index(None)?;
        self.chain.balance(owner, ticker).await
    }

    /// A transfer inscription in a block that it has not read is unknown to it.
    async fn transfer_inscription(
        &self,
        inscription: InscriptionId,
    ) -> Result<Option<TransferInscription>, AssetError> {
        let faults = self.faults.index(BRC20_BEHIND)?;
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
        let faults = self.faults.index(None)?;
        let mut outputs = self.chain.outputs_of(owner).await?;
        outputs.extend(faults.extra_outputs);
        Ok(outputs)
    }
}

impl VaultSigner for FaultySignerPort {
    async fn ask(&self, request: Request) -> Result<Answer, SignerError> {
        self.faults.latency().await;
        // Queries are answered as long as the signer can be reached.
        let is_question = matches!(
            request,
            Request::Describe
                | Request::PublicKey { .. }
                | Request::Shared(SharedRequest::VaultKey { .. } | SharedRequest::Vault { .. })
        );
        let other = LOST_SIGNATURE.filter(|_| !is_question);
        let faults = self.faults.of_call(other).map_err(|reason| SignerError::Unreachable { reason })?;
        let own = faults.odd_signer.filter(|(number, _)| *number == self.number);
        let mode = match own.map_or(faults.signs, |(_, mode)| mode) {
            FaultMode::Unreachable => FaultMode::Unreachable,
            _ if is_question => FaultMode::Healthy,
            mode => mode,
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
            FaultMode::HangsBefore => self.faults.hang().await,
            FaultMode::HangsAfter => {
                answer();
                self.faults.hang().await
            }
        }
    }
}
