//! The embedded chain as a node that can be asked, told and controlled.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bitcoin::{Amount, Block, BlockHash, FeeRate, OutPoint, Script, ScriptBuf, Transaction, Txid};
use engine::asset_index::{
    AssetError, AssetIndex, Brc20Balance, Brc20Index, Carried, InscriptionId, RuneEntry, TransferNote,
};
use engine::chain::{Chain, ChainError, NodeRefusal, Presence, Seen, Tip, Unspent};
use engine::coin_index::{CoinIndex, LISTED_MAX};

use ordinals::{RuneId, SpacedRune};

use super::control_error::ControlError;
use super::index::RuneSupply;
use super::inscriber::Content;
use super::ledger::{Disconnected, Ledger};
use super::refusal::Refusal;

/// A Bitcoin chain of one's own, on regtest; clones share it. The same calls give the same hashes.
///
/// Nothing happens by itself: blocks are mined and time passes when it is told so. It has 150 blocks from the start.
#[derive(Clone, Debug)]
pub struct EmbeddedChain {
    ledger: Arc<Mutex<Ledger>>,
}

impl EmbeddedChain {
    /// A chain whose first blocks are of this Unix time.
    pub fn new(start_seconds: u32) -> Result<Self, ControlError> {
        Ok(Self { ledger: Arc::new(Mutex::new(Ledger::new(start_seconds)?)) })
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        // Every change is made on a copy or undone: a caller that panicked left nothing half done.
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Mines so many blocks of what waits, each at the time that was set or just after the median of those before.
    pub fn mine(&self, blocks: u32) -> Result<(), ControlError> {
        self.ledger().mine(blocks)
    }

    /// Mines one block of exactly these transactions, in this order; they need not be ones that nodes send on.
    pub fn mine_these(&self, transactions: Vec<Transaction>) -> Result<(), ControlError> {
        self.ledger().mine_these(transactions)
    }

    /// Sets the clock of the next blocks. Median time past follows six blocks later, and never goes back.
    pub fn set_time(&self, unix_seconds: u32) {
        self.ledger().set_time(unix_seconds);
    }

    /// Pays a script from the faucet, in a block of its own: a confirmed output without inscriptions and runes.
    pub fn fund(&self, script_pubkey: &ScriptBuf, amount: Amount) -> Result<OutPoint, ControlError> {
        self.ledger().fund(script_pubkey, amount)
    }

    /// Inscribes onto the first sat of a new output of this postage, in a block of its own. A BRC-20 operation is an
    /// inscription like any other.
    pub fn inscribe(
        &self,
        script_pubkey: &ScriptBuf,
        postage: Amount,
        content_type: &str,
        body: &[u8],
    ) -> Result<InscriptionId, ControlError> {
        self.ledger().inscribe(script_pubkey, postage, Content { kind: content_type.as_bytes(), body })
    }

    /// Etches a rune of a reserved name, all of it premined into a new output of as few sats as nodes allow, in a block
    /// of its own.
    pub fn etch(
        &self,
        script_pubkey: &ScriptBuf,
        divisibility: u8,
        premine: u128,
    ) -> Result<(RuneId, OutPoint), ControlError> {
        self.ledger().etch(script_pubkey, divisibility, premine)
    }

    /// How much there is of a rune; `None` when it was never etched.
    #[must_use]
    pub fn rune_supply(&self, id: RuneId) -> Option<RuneSupply> {
        self.ledger().index().runes.supply(id)
    }

    /// What was minted of a BRC-20 ticker, in raw units of 18 decimals; `None` when it was never deployed.
    #[must_use]
    pub fn brc20_minted(&self, ticker: &str) -> Option<u128> {
        self.ledger().index().brc20.minted(ticker)
    }

    /// Takes the last `depth` blocks back and mines `depth + 1` empty ones in their place.
    pub fn reorg(&self, depth: u32, fate: Disconnected) -> Result<(), ControlError> {
        self.ledger().reorg(depth, fate)
    }

    /// The block of the best chain at a height.
    #[must_use]
    pub fn block(&self, height: u32) -> Option<Block> {
        self.ledger().chain().block(height).cloned()
    }

    /// The transactions that wait for a block, in the order in which they came.
    #[must_use]
    pub fn waiting(&self) -> Vec<Txid> {
        self.ledger().pool().in_order().into_iter().map(|entry| entry.transaction.compute_txid()).collect()
    }
}

fn refused((why, txid): (Refusal, Txid)) -> ChainError {
    NodeRefusal { txid, reason: why.to_string() }.into()
}

impl Chain for EmbeddedChain {
    async fn tip(&self) -> Result<Tip, ChainError> {
        let ledger = self.ledger();
        let chain = ledger.chain();
        Ok(Tip { height: chain.height(), hash: chain.tip_hash(), median_time_seconds: chain.median_time() })
    }

    async fn block_hash(&self, height: u32) -> Result<Option<BlockHash>, ChainError> {
        Ok(self.ledger().chain().block_hash(height))
    }

    async fn unspent(&self, outpoint: OutPoint) -> Result<Option<Unspent>, ChainError> {
        let ledger = self.ledger();
        // What waits is taken to be in the next block, and so has none on top.
        let next = ledger.chain().next_height();
        Ok(ledger.unspent(outpoint).map(|coin| Unspent {
            confirmations: next.saturating_sub(coin.height),
            is_coinbase: coin.is_coinbase,
            output: coin.output,
        }))
    }

    async fn unspent_in_blocks(&self, outpoint: OutPoint) -> Result<Option<Unspent>, ChainError> {
        let ledger = self.ledger();
        let chain = ledger.chain();
        Ok(chain.coin(outpoint).map(|coin| Unspent {
            confirmations: chain.next_height().saturating_sub(coin.height),
            is_coinbase: coin.is_coinbase,
            output: coin.output.clone(),
        }))
    }

    async fn median_time(&self, block: BlockHash) -> Result<Option<u32>, ChainError> {
        let ledger = self.ledger();
        let chain = ledger.chain();
        Ok(chain.height_of(block).map(|height| chain.median_time_at(height)))
    }

    async fn transactions_of(&self, block: BlockHash) -> Result<Option<Vec<Transaction>>, ChainError> {
        let ledger = self.ledger();
        let chain = ledger.chain();
        Ok(chain.height_of(block).and_then(|height| chain.block(height)).map(|block| block.txdata.clone()))
    }

    async fn transaction(&self, txid: Txid) -> Result<Option<Seen>, ChainError> {
        let ledger = self.ledger();
        let chain = ledger.chain();
        if let Some(entry) = ledger.pool().entry(txid) {
            return Ok(Some(Seen { transaction: entry.transaction.clone(), presence: Presence::Waiting }));
        }
        let seen = chain.place(txid).and_then(|place| {
            let (transaction, block) = (chain.transaction(place)?.clone(), chain.block_hash(place.height)?);
            Some(Seen { transaction, presence: Presence::Confirmed { block, height: place.height } })
        });
        Ok(seen)
    }

    async fn test(&self, package: &[Transaction]) -> Result<(), ChainError> {
        self.ledger().test(package).map_err(|(why, txid)| match why {
            // Core has a word of its own for this when it is only asked.
            Refusal::MissingInputs => NodeRefusal { txid, reason: "missing-inputs".into() }.into(),
            _ => refused((why, txid)),
        })
    }

    async fn broadcast(&self, package: &[Transaction]) -> Result<(), ChainError> {
        self.ledger().submit(package).map_err(refused)
    }

    async fn fee_rate(&self, within_blocks: u16) -> Result<FeeRate, ChainError> {
        Ok(self.ledger().fee_rate(within_blocks))
    }
}

impl AssetIndex for EmbeddedChain {
    async fn height(&self) -> Result<u32, AssetError> {
        Ok(self.ledger().chain().height())
    }

    async fn carried_by(&self, outpoint: OutPoint) -> Result<Option<Carried>, AssetError> {
        let ledger = self.ledger();
        // What waits is no matter to an indexer: it reads blocks.
        Ok(ledger.chain().coin(outpoint).map(|_| ledger.index().carried_by(outpoint)))
    }

    async fn place_of(&self, inscription: InscriptionId) -> Result<Option<(OutPoint, Amount)>, AssetError> {
        Ok(self.ledger().index().inscriptions.place_of(inscription))
    }

    async fn rune(&self, name: SpacedRune) -> Result<Option<RuneEntry>, AssetError> {
        Ok(self.ledger().index().runes.entry(name))
    }
}

impl Brc20Index for EmbeddedChain {
    async fn brc20_height(&self) -> Result<u32, AssetError> {
        Ok(self.ledger().chain().height())
    }

    async fn balance(&self, owner: &ScriptBuf, ticker: &str) -> Result<Brc20Balance, AssetError> {
        Ok(self.ledger().index().brc20.balance(owner, ticker))
    }

    async fn note(&self, inscription: InscriptionId) -> Result<Option<TransferNote>, AssetError> {
        Ok(self.ledger().index().brc20.note(inscription))
    }
}

impl CoinIndex for EmbeddedChain {
    async fn outputs_of(&self, owner: &Script) -> Result<Vec<OutPoint>, AssetError> {
        Ok(self.ledger().index().owners.outputs_of(owner).take(LISTED_MAX).collect())
    }
}
