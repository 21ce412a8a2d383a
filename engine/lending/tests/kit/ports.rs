//! The ports of a desk on the embedded chain, each of which can be made to fail, to lag, to lie and to hang.

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

/// An estimate for no more blocks than these is of a full mempool; the least that is taken needs more.
const NEXT_BLOCKS: u16 = 6;

/// How a port that does something behaves when it is asked to do it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Doing {
    /// It does it and says so.
    #[default]
    Well,
    /// It cannot be reached, and does nothing.
    Away,
    /// It does it, and the answer is lost.
    LosesAnswer,
    /// It does nothing, and never answers.
    HangsBefore,
    /// It does it, and never answers.
    HangsAfter,
}

/// What is wrong with the world.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mood {
    /// The node answers no question.
    pub(crate) is_node_away: bool,
    /// The node knows nothing of so many of the last blocks.
    pub(crate) node_behind: u32,
    /// What the node says that an output holds.
    pub(crate) said_amounts: BTreeMap<OutPoint, Amount>,
    /// Outputs that the node says are not there.
    pub(crate) hidden: Vec<OutPoint>,
    /// A transaction that is taken while somebody asks for outputs: the chain moves on meanwhile.
    pub(crate) mines_meanwhile: bool,
    /// Below this the node takes nothing: its mempool is full.
    pub(crate) floor: Option<FeeRate>,
    /// What must be paid to be in one of the next blocks: many wait.
    pub(crate) estimate: Option<FeeRate>,
    /// How the node sends transactions on.
    pub(crate) broadcasts: Doing,
    /// The indexers answer no question.
    pub(crate) is_index_away: bool,
    /// What whoever looks again at what is pledged says that he sees instead.
    pub(crate) contradiction: Option<&'static str>,
    /// The indexer of assets has not read so many of the last blocks.
    pub(crate) index_behind: u32,
    /// The same of the indexer of BRC-20.
    pub(crate) brc20_behind: u32,
    /// Outputs that the indexer of addresses lists beside the right ones.
    pub(crate) listed_too: Vec<OutPoint>,
    /// How the signer signs.
    pub(crate) signs: Doing,
    /// How often anything was asked.
    pub(crate) questions: u64,
}

/// What is wrong with the world, shared by its ports.
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

/// The embedded chain's node and indexers, in some mood.
pub(crate) struct MoodyChain {
    pub(crate) chain: EmbeddedChain,
    moods: Moods,
}

/// A signer on a log of its own, in some mood.
pub(crate) struct MoodySigner {
    signer: Arc<Mutex<Signer>>,
    clock: Arc<ManualClock>,
    moods: Moods,
}

/// Everything that a desk asks.
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
    /// The height up to which the node knows blocks.
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
        // Whoever asks a real node waits, and others go on meanwhile.
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

    /// What stands in a block that it has not read looks as empty as anything else that it does not know.
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
        assert_eq!(self.chain.carried_by(outpoint).await?.as_ref(), Some(carried), "what is shown is what is there");
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

    /// A note that stands in a block that it has not read is unknown to it.
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
            // Whoever only asks is answered as long as it is there.
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
