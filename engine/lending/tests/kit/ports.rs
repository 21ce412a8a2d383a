//! Test doubles of the ports on the embedded chain, with fault injection: each can fail, lag, lie and hang.

use std::collections::BTreeMap;
use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard};

use bitcoin::{Amount, BlockHash, FeeRate, OutPoint, Script, ScriptBuf, Transaction, Txid};
use devnet::chain::EmbeddedChain;
use domain::UnixMs;
use engine::asset_index::{
    AssetError, AssetIndex, Brc20Balance, Brc20Index, Carried, InscriptionId, RuneEntry, TransferNote,
};
use engine::chain::{Chain, ChainError, Presence, Seen, Tip, Unspent};
use engine::clock::{Clock as _, ManualClock};
use engine::coin_index::CoinIndex;
use lending::ports::Ports;
use ordinals::SpacedRune;
use signer::request::{Answer, Request};
use signer::signer::Signer;
use signer::vault_signer::{SignerError, VaultSigner};
use tokio::task::yield_now;

/// The longest confirmation target, in blocks, to which a full mempool's estimate applies; the relay minimum is asked
/// for with a longer one.
const NEXT_BLOCKS: u16 = 6;

/// The behaviour of a port that has an effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Doing {
    /// It acts and answers.
    #[default]
    Well,
    /// It cannot be reached, and does nothing.
    Away,
    /// It acts, and the answer is lost.
    LosesAnswer,
    /// It does nothing, and never answers.
    HangsBefore,
    /// It acts, and never answers.
    HangsAfter,
}

/// The injected faults.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mood {
    /// The node does not answer.
    pub(crate) is_node_away: bool,
    /// The number of the last blocks that the node lacks.
    pub(crate) node_behind: u32,
    /// Values that the node reports for outputs.
    pub(crate) said_amounts: BTreeMap<OutPoint, Amount>,
    /// Outputs that the node reports as missing.
    pub(crate) hidden: Vec<OutPoint>,
    /// A block is mined during each lookup of an output.
    pub(crate) mines_meanwhile: bool,
    /// The fee rate below which the node accepts nothing, as with a full mempool.
    pub(crate) floor: Option<FeeRate>,
    /// The fee rate estimated for the next blocks.
    pub(crate) estimate: Option<FeeRate>,
    /// The behaviour of broadcasts.
    pub(crate) broadcasts: Doing,
    /// The indexers do not answer.
    pub(crate) is_index_away: bool,
    /// The contradiction that the cross-check indexer reports.
    pub(crate) contradiction: Option<&'static str>,
    /// The number of the last blocks that the asset indexer has not read.
    pub(crate) index_behind: u32,
    /// The same for the BRC-20 indexer.
    pub(crate) brc20_behind: u32,
    /// Outputs that the address index lists besides the right ones.
    pub(crate) listed_too: Vec<OutPoint>,
    /// The behaviour of the signer.
    pub(crate) signs: Doing,
    /// The number of requests to all ports.
    pub(crate) questions: u64,
}

/// The injected faults, shared by the ports.
#[derive(Clone, Debug, Default)]
pub(crate) struct Moods(Arc<Mutex<Mood>>);

impl Moods {
    pub(crate) fn now(&self) -> MutexGuard<'_, Mood> {
        self.0.lock().unwrap()
    }

    fn node(&self) -> Result<Mood, ChainError> {
        let mut mood = self.now();
        mood.questions += 1;
        if mood.is_node_away { Err(ChainError::Unreachable("it is away".to_owned())) } else { Ok(mood.clone()) }
    }

    fn index(&self) -> Result<Mood, AssetError> {
        let mut mood = self.now();
        mood.questions += 1;
        if mood.is_index_away { Err(AssetError::Unreachable("it is away".to_owned())) } else { Ok(mood.clone()) }
    }
}

/// The embedded chain's node and indexers, with faults.
pub(crate) struct MoodyChain {
    pub(crate) chain: EmbeddedChain,
    moods: Moods,
}

/// A signer with its own log, with faults.
pub(crate) struct MoodySigner {
    signer: Arc<Mutex<Signer>>,
    clock: Arc<ManualClock>,
    moods: Moods,
}

/// All ports of a loan service.
pub(crate) struct WorldPorts {
    chain: MoodyChain,
    signer: MoodySigner,
}

impl WorldPorts {
    pub(crate) fn new(chain: EmbeddedChain, signer: Arc<Mutex<Signer>>, clock: Arc<ManualClock>, moods: Moods) -> Self {
        let signer = MoodySigner { signer, clock, moods: moods.clone() };
        Self { chain: MoodyChain { chain, moods }, signer }
    }
}

impl Ports for WorldPorts {
    type Chain = MoodyChain;
    type Assets = MoodyChain;
    type Brc20 = MoodyChain;
    type Coins = MoodyChain;
    type Signer = MoodySigner;

    fn chain(&self) -> &MoodyChain {
        &self.chain
    }
    fn assets(&self) -> &MoodyChain {
        &self.chain
    }
    fn brc20(&self) -> &MoodyChain {
        &self.chain
    }
    fn coins(&self) -> &MoodyChain {
        &self.chain
    }
    fn signer(&self) -> &MoodySigner {
        &self.signer
    }
}

impl MoodyChain {
    /// The height up to which the node has blocks.
    async fn known(&self, mood: &Mood) -> Result<u32, ChainError> {
        Ok(self.chain.tip().await?.height - mood.node_behind)
    }
}

impl Chain for MoodyChain {
    async fn tip(&self) -> Result<Tip, ChainError> {
        let mood = self.moods.node()?;
        let tip = self.chain.tip().await?;
        if mood.node_behind == 0 {
            return Ok(tip);
        }
        let height = tip.height - mood.node_behind;
        Ok(Tip { height, hash: self.chain.block_hash(height).await?.unwrap(), ..tip })
    }

    async fn block_hash(&self, height: u32) -> Result<Option<BlockHash>, ChainError> {
        let mood = self.moods.node()?;
        if height > self.known(&mood).await? { Ok(None) } else { self.chain.block_hash(height).await }
    }

    async fn unspent(&self, outpoint: OutPoint) -> Result<Option<Unspent>, ChainError> {
        // A real node answers asynchronously, and other tasks run meanwhile.
        yield_now().await;
        let mood = self.moods.node()?;
        if mood.mines_meanwhile {
            self.chain.mine(1).unwrap();
        }
        if mood.hidden.contains(&outpoint) {
            return Ok(None);
        }
        let Some(mut unspent) = self.chain.unspent(outpoint).await? else { return Ok(None) };
        if let Some(said) = mood.said_amounts.get(&outpoint) {
            unspent.output.value = *said;
        }
        if mood.node_behind > 0 {
            let Some(confirmations) = unspent.confirmations.checked_sub(mood.node_behind).filter(|left| *left > 0)
            else {
                return Ok(None);
            };
            unspent.confirmations = confirmations;
        }
        Ok(Some(unspent))
    }

    async fn unspent_in_blocks(&self, outpoint: OutPoint) -> Result<Option<Unspent>, ChainError> {
        let mood = self.moods.node()?;
        if mood.hidden.contains(&outpoint) { Ok(None) } else { self.chain.unspent_in_blocks(outpoint).await }
    }

    async fn median_time(&self, block: BlockHash) -> Result<Option<u32>, ChainError> {
        self.moods.node()?;
        self.chain.median_time(block).await
    }

    async fn transactions_of(&self, block: BlockHash) -> Result<Option<Vec<Transaction>>, ChainError> {
        self.moods.node()?;
        self.chain.transactions_of(block).await
    }

    async fn transaction(&self, txid: Txid) -> Result<Option<Seen>, ChainError> {
        let mood = self.moods.node()?;
        let known = self.known(&mood).await?;
        let seen = self.chain.transaction(txid).await?;
        Ok(seen.filter(|seen| !matches!(seen.presence, Presence::Confirmed { height, .. } if height > known)))
    }

    async fn test(&self, package: &[Transaction]) -> Result<(), ChainError> {
        yield_now().await;
        self.moods.node()?;
        self.chain.test(package).await
    }

    async fn broadcast(&self, package: &[Transaction]) -> Result<(), ChainError> {
        let lost = || ChainError::Unreachable("the answer was lost".to_owned());
        yield_now().await;
        match self.moods.node()?.broadcasts {
            Doing::Well => self.chain.broadcast(package).await,
            Doing::Away => Err(lost()),
            Doing::LosesAnswer => self.chain.broadcast(package).await.and(Err(lost())),
            Doing::HangsBefore => pending().await,
            Doing::HangsAfter => {
                self.chain.broadcast(package).await?;
                pending().await
            }
        }
    }

    async fn fee_rate(&self, within_blocks: u16) -> Result<FeeRate, ChainError> {
        let mood = self.moods.node()?;
        let estimate = mood.estimate.filter(|_| within_blocks <= NEXT_BLOCKS);
        let least = [mood.floor, estimate].into_iter().flatten().max().unwrap_or(FeeRate::ZERO);
        Ok(self.chain.fee_rate(within_blocks).await?.max(least))
    }
}

impl AssetIndex for MoodyChain {
    async fn height(&self) -> Result<u32, AssetError> {
        let mood = self.moods.index()?;
        Ok(AssetIndex::height(&self.chain).await? - mood.index_behind)
    }

    /// An output in a block that it has not read looks as empty as any unknown one.
    async fn carried_by(&self, outpoint: OutPoint) -> Result<Option<Carried>, AssetError> {
        let mood = self.moods.index()?;
        let unspent = self.chain.unspent(outpoint).await.unwrap();
        if unspent.is_some_and(|unspent| unspent.confirmations <= mood.index_behind) {
            return Ok(None);
        }
        self.chain.carried_by(outpoint).await
    }

    async fn place_of(&self, inscription: InscriptionId) -> Result<Option<(OutPoint, Amount)>, AssetError> {
        self.moods.index()?;
        self.chain.place_of(inscription).await
    }

    async fn rune(&self, name: SpacedRune) -> Result<Option<RuneEntry>, AssetError> {
        self.moods.index()?;
        self.chain.rune(name).await
    }

    async fn second_look(&self, outpoint: OutPoint, carried: &Carried) -> Result<(), AssetError> {
        assert_eq!(self.chain.carried_by(outpoint).await?.as_ref(), Some(carried), "the real contents are checked");
        self.moods.index()?.contradiction.map_or(Ok(()), |why| Err(AssetError::Nonsense(why.to_owned())))
    }
}

impl Brc20Index for MoodyChain {
    async fn brc20_height(&self) -> Result<u32, AssetError> {
        let mood = self.moods.index()?;
        Ok(self.chain.brc20_height().await? - mood.brc20_behind)
    }

    async fn balance(&self, owner: &ScriptBuf, ticker: &str) -> Result<Brc20Balance, AssetError> {
        self.moods.index()?;
        self.chain.balance(owner, ticker).await
    }

    /// A transfer inscription in a block that it has not read is unknown to it.
    async fn note(&self, inscription: InscriptionId) -> Result<Option<TransferNote>, AssetError> {
        let mood = self.moods.index()?;
        let read = self.chain.brc20_height().await? - mood.brc20_behind;
        let seen = self.chain.transaction(inscription.txid).await.unwrap();
        if seen.is_some_and(|seen| matches!(seen.presence, Presence::Confirmed { height, .. } if height > read)) {
            return Ok(None);
        }
        self.chain.note(inscription).await
    }
}

impl CoinIndex for MoodyChain {
    async fn outputs_of(&self, owner: &Script) -> Result<Vec<OutPoint>, AssetError> {
        let mood = self.moods.index()?;
        let mut outputs = self.chain.outputs_of(owner).await?;
        outputs.extend(mood.listed_too);
        Ok(outputs)
    }
}

impl VaultSigner for MoodySigner {
    async fn ask(&self, request: Request) -> Result<Answer, SignerError> {
        yield_now().await;
        let doing = {
            let mut mood = self.moods.now();
            mood.questions += 1;
            // Queries are answered as long as the signer can be reached.
            let is_question = matches!(request, Request::Describe | Request::PublicKey { .. });
            if is_question && mood.signs != Doing::Away { Doing::Well } else { mood.signs }
        };
        let answer = || {
            let UnixMs(now_ms) = self.clock.now();
            self.signer.lock().unwrap().answer(request, now_ms)
        };
        match doing {
            Doing::Well => Ok(answer()),
            Doing::Away => Err(SignerError::Unreachable { reason: "it is away".to_owned() }),
            Doing::LosesAnswer => {
                answer();
                Err(SignerError::Unanswered { reason: "the answer was lost".to_owned() })
            }
            Doing::HangsBefore => pending().await,
            Doing::HangsAfter => {
                answer();
                pending().await
            }
        }
    }
}
