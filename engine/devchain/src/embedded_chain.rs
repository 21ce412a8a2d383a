//! The embedded chain with the interface of a node, and with controls.

use std::ops::Deref;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};

use bitcoin::{Amount, Block, BlockHash, FeeRate, OutPoint, Script, ScriptBuf, Transaction, Txid};
use engine::asset_index::{
    AssetError, AssetIndex, Brc20Balance, Brc20Index, InscriptionId, OutputAssets, RuneEntry, TransferInscription,
};
use engine::chain::{Chain, ChainError, ChainPosition, KnownTransaction, Tip, TxRejection, Unspent};
use engine::coin_index::{CoinIndex, LISTED_MAX};
use engine::locks::MutexExt as _;

use ordinals::{RuneId, SpacedRune};

use super::chain_file::{ChainFile, ChainFileError, StoredChanges, position};
use super::control_error::ControlError;
use super::etching::NewRune;
use super::gift::{Gift, PreparedGift};
use super::index::{RuneSupply, envelopes};
use super::inscriber::Content;
use super::ledger::Ledger;
use super::reject_reason::RejectReason;
use super::reorg_policy::ReorgPolicy;

/// A private Bitcoin chain on regtest; clones share it. The same calls give the same hashes.
///
/// Blocks are mined and time passes only on request. The chain starts with 150 blocks. It is in memory alone unless it
/// is given a file; then every change is written before the call returns.
#[derive(Clone, Debug)]
pub struct EmbeddedChain {
    state: Arc<Mutex<State>>,
}

/// The chain and its file.
#[derive(Debug)]
struct State {
    ledger: Ledger,
    file: Option<ChainFile>,
    /// The error that stopped writing: the file ends before the chain does.
    write_error: Option<ControlError>,
}

impl Deref for State {
    type Target = Ledger;

    fn deref(&self) -> &Ledger {
        &self.ledger
    }
}

impl State {
    const fn of(ledger: Ledger) -> Self {
        Self { ledger, file: None, write_error: None }
    }

    /// Writes the changes to the file. After a failure no further change is allowed: it would be lost.
    fn write(&mut self) -> Result<(), ControlError> {
        let changes = self.ledger.take_changes();
        let Some(file) = self.file.as_mut().filter(|_| !changes.is_empty()) else { return Ok(()) };
        file.append(&changes).map_err(|error| {
            tracing::error!(file = %file.path().display(), %error, "the chain cannot be stored and accepts no more changes");
            *self.write_error.insert(ControlError::Storage(error.kind()))
        })
    }
}

impl EmbeddedChain {
    /// Returns a new chain whose first blocks have this Unix time.
    pub fn new(start_seconds: u32) -> Result<Self, ControlError> {
        Ok(Self::from_state(State::of(Ledger::new(start_seconds)?)))
    }

    /// Opens the chain that is stored in a file, and continues to store it there; `None` when there is no such file. A
    /// last record that is torn by a crash is cut.
    ///
    /// # Errors
    /// [`ChainFileError`]; the file is left unchanged.
    pub fn open(path: &Path) -> Result<Option<Self>, ChainFileError> {
        let Some((file, StoredChanges { changes, .. })) = ChainFile::open(path)? else { return Ok(None) };
        let (offsets, changes): (Vec<usize>, Vec<_>) = changes.into_iter().unzip();
        let mut ledger = Ledger::replay(changes).map_err(|(number, refusal)| {
            let at = offsets.get(number).copied().map_or(0, position);
            ChainFileError::InvalidBlock { file: path.to_owned(), at, refusal }
        })?;
        ledger.record_changes();
        Ok(Some(Self::from_state(State { file: Some(file), ..State::of(ledger) })))
    }

    /// Stores a chain that was in memory alone in a new file: its whole history and all further changes.
    ///
    /// # Errors
    /// [`ChainFileError::Io`]; then there is no such file.
    pub fn persist(&self, path: &Path) -> Result<(), ChainFileError> {
        let mut state = self.ledger();
        state.file = Some(ChainFile::create(path, state.ledger.history())?);
        state.ledger.record_changes();
        Ok(())
    }

    /// Waits until all that was written is on disk and survives a power failure.
    pub fn sync(&self) -> Result<(), ControlError> {
        let handle = self.ledger().file.as_ref().map(ChainFile::handle);
        let synced = handle.map_or(Ok(()), |handle| handle.and_then(|file| file.sync_data()));
        synced.map_err(|error| ControlError::Storage(error.kind()))
    }

    fn from_state(state: State) -> Self {
        Self { state: Arc::new(Mutex::new(state)) }
    }

    fn ledger(&self) -> MutexGuard<'_, State> {
        // Every change is made on a copy or rolled back, so a panic in another caller leaves no partial change.
        self.state.lock_unpoisoned()
    }

    /// Makes a change and writes it.
    fn change<T>(&self, operation: impl FnOnce(&mut Ledger) -> T) -> Result<T, ControlError> {
        let mut state = self.ledger();
        if let Some(write_error) = state.write_error {
            return Err(write_error);
        }
        let outcome = operation(&mut state.ledger);
        // A call that failed in the end may have changed a part.
        state.write()?;
        Ok(outcome)
    }

    /// Mines `blocks` blocks from the mempool, each at the time that was set or just after the median time past if that
    /// is later.
    pub fn mine(&self, blocks: u32) -> Result<(), ControlError> {
        self.change(|ledger| ledger.mine(blocks))?
    }

    /// Mines one block of exactly these transactions, in this order; they need not satisfy the relay policy.
    pub fn mine_transactions(&self, transactions: Vec<Transaction>) -> Result<(), ControlError> {
        self.change(|ledger| ledger.mine_transactions(transactions))?
    }

    /// Sets the clock of the next blocks. Median time past follows six blocks later, and never goes back.
    pub fn set_time(&self, unix_seconds: u32) {
        self.ledger().ledger.set_time(unix_seconds);
    }

    /// Pays a script from the faucet, in a block of its own: a confirmed output without inscriptions and runes.
    pub fn fund(&self, script_pubkey: &ScriptBuf, amount: Amount) -> Result<OutPoint, ControlError> {
        self.change(|ledger| ledger.fund(script_pubkey, amount))?
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
        let content = Content { content_type: content_type.as_bytes(), body };
        self.change(|ledger| ledger.inscribe(script_pubkey, postage, content))?
    }

    /// The content type that an inscription declares, if a block has revealed it and it declares one.
    #[must_use]
    pub fn content_type_of(&self, inscription: InscriptionId) -> Option<String> {
        let index = usize::try_from(inscription.index).ok()?;
        let ledger = self.ledger();
        let chain = ledger.chain();
        let revealed = chain.transaction(chain.tx_position(inscription.txid)?)?;
        let envelope = envelopes(revealed).into_iter().nth(index)?;
        String::from_utf8(envelope.content_type?).ok()
    }

    /// Etches a rune of a reserved name, all of it premined into a new output with the least sats that the relay policy
    /// allows, in a block of its own.
    pub fn etch(
        &self,
        script_pubkey: &ScriptBuf,
        divisibility: u8,
        premine: u128,
    ) -> Result<(RuneId, OutPoint), ControlError> {
        self.change(|ledger| ledger.etch(script_pubkey, divisibility, premine))?
    }

    /// Etches runes with chosen names, which the faucet keeps for its gifts: one block commits to the names, and six
    /// blocks later all of them are etched, in this order.
    pub fn etch_runes(&self, runes: &[NewRune]) -> Result<Vec<RuneId>, ControlError> {
        self.change(|ledger| ledger.etch_runes(runes))?
    }

    /// Splits the faucet's money into this many outputs of `each`, in a block of its own: that many gifts can be in the
    /// mempool at once.
    pub fn split_coins(&self, outputs: usize, each: Amount) -> Result<(), ControlError> {
        self.change(|ledger| ledger.split_coins(outputs, each))?
    }

    /// Builds a gift for a script. Nothing is broadcast: broadcast it before the next one is prepared, which might
    /// spend the same outputs.
    pub fn prepare(&self, to: &Script, gift: &Gift) -> Result<PreparedGift, ControlError> {
        self.ledger().prepare(&to.to_owned(), gift)
    }

    /// The faucet's script.
    #[must_use]
    pub fn faucet_script(&self) -> ScriptBuf {
        self.ledger().faucet().script_pubkey()
    }

    /// The supply of a rune; `None` when it was never etched.
    #[must_use]
    pub fn rune_supply(&self, id: RuneId) -> Option<RuneSupply> {
        self.ledger().index().runes.supply(id)
    }

    /// The minted amount of a BRC-20 ticker, in raw units of 18 decimals; `None` when it was never deployed.
    #[must_use]
    pub fn brc20_minted(&self, ticker: &str) -> Option<u128> {
        self.ledger().index().brc20.minted(ticker)
    }

    /// Disconnects the last `depth` blocks and mines `depth + 1` empty ones in their place.
    pub fn reorg(&self, depth: u32, fate: ReorgPolicy) -> Result<(), ControlError> {
        self.change(|ledger| ledger.reorg(depth, fate))?
    }

    /// The block of the best chain at a height.
    #[must_use]
    pub fn block(&self, height: u32) -> Option<Block> {
        self.ledger().chain().block(height).cloned()
    }

    /// The mempool transactions, in the order of their arrival.
    #[must_use]
    pub fn mempool_txids(&self) -> Vec<Txid> {
        self.ledger().pool().by_arrival().into_iter().map(|entry| entry.transaction.compute_txid()).collect()
    }
}

fn refused((why, txid): (RejectReason, Txid)) -> ChainError {
    TxRejection { txid, reason: why.to_string() }.into()
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
        // Mempool transactions count as part of the next block, and so have no confirmations.
        let next = ledger.chain().next_height();
        Ok(ledger.unspent(outpoint).map(|coin| Unspent {
            confirmations: next.saturating_sub(coin.height),
            is_coinbase: coin.is_coinbase,
            output: coin.output,
        }))
    }

    async fn confirmed_unspent(&self, outpoint: OutPoint) -> Result<Option<Unspent>, ChainError> {
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

    async fn block_transactions(&self, block: BlockHash) -> Result<Option<Vec<Transaction>>, ChainError> {
        let ledger = self.ledger();
        let chain = ledger.chain();
        Ok(chain.height_of(block).and_then(|height| chain.block(height)).map(|block| block.txdata.clone()))
    }

    async fn transaction(&self, txid: Txid) -> Result<Option<KnownTransaction>, ChainError> {
        let ledger = self.ledger();
        let chain = ledger.chain();
        if let Some(entry) = ledger.pool().entry(txid) {
            return Ok(Some(KnownTransaction {
                transaction: entry.transaction.clone(),
                position: ChainPosition::InMempool,
            }));
        }
        let seen = chain.tx_position(txid).and_then(|place| {
            let (transaction, block) = (chain.transaction(place)?.clone(), chain.block_hash(place.height)?);
            Some(KnownTransaction { transaction, position: ChainPosition::Confirmed { block, height: place.height } })
        });
        Ok(seen)
    }

    async fn test_accept(&self, package: &[Transaction]) -> Result<(), ChainError> {
        self.ledger().test(package).map_err(|(why, txid)| match why {
            // Core reports this with other words when a transaction is only tested.
            RejectReason::MissingInputs => TxRejection { txid, reason: "missing-inputs".into() }.into(),
            _ => refused((why, txid)),
        })
    }

    async fn broadcast(&self, package: &[Transaction]) -> Result<(), ChainError> {
        match self.change(|ledger| ledger.submit(package)) {
            Ok(outcome) => outcome.map_err(refused),
            Err(why) => Err(ChainError::Unreachable(why.to_string())),
        }
    }

    async fn fee_rate(&self, within_blocks: u16) -> Result<FeeRate, ChainError> {
        Ok(self.ledger().fee_rate(within_blocks))
    }
}

impl AssetIndex for EmbeddedChain {
    async fn height(&self) -> Result<u32, AssetError> {
        Ok(self.ledger().chain().height())
    }

    async fn assets_in(&self, outpoint: OutPoint) -> Result<Option<OutputAssets>, AssetError> {
        let ledger = self.ledger();
        // An indexer reads blocks alone, not the mempool.
        Ok(ledger.chain().coin(outpoint).map(|_| ledger.index().carried_by(outpoint)))
    }

    async fn sat_point(&self, inscription: InscriptionId) -> Result<Option<(OutPoint, Amount)>, AssetError> {
        Ok(self.ledger().index().inscriptions.place_of(inscription))
    }

    async fn inscription_number(&self, inscription: InscriptionId) -> Result<Option<i64>, AssetError> {
        Ok(self.ledger().index().inscriptions.number_of(inscription))
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

    async fn transfer_inscription(
        &self,
        inscription: InscriptionId,
    ) -> Result<Option<TransferInscription>, AssetError> {
        Ok(self.ledger().index().brc20.note(inscription))
    }
}

impl CoinIndex for EmbeddedChain {
    async fn outputs_of(&self, owner: &Script) -> Result<Vec<OutPoint>, AssetError> {
        Ok(self.ledger().index().owners.outputs_of(owner).take(LISTED_MAX).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn a_chain_that_cannot_be_written_stops_and_reports_why() {
        let chain = EmbeddedChain::new(1_800_000_000).unwrap();
        let present = chain.prepare(&chain.faucet_script(), &Gift::Coins(Amount::from_sat(5_000))).unwrap();
        let mut state = chain.ledger();
        state.file = Some(ChainFile::append_to(Path::new("/dev/full")).unwrap());
        state.ledger.record_changes();
        drop(state);
        let full = ControlError::Storage(ErrorKind::StorageFull);
        assert_eq!(chain.mine(1), Err(full));
        // The change that was not written may be visible, but no further one is accepted.
        let height = chain.tip().now_or_never().unwrap().unwrap().height;
        assert_eq!(chain.mine(1), Err(full));
        assert_eq!(chain.fund(&chain.faucet_script(), Amount::from_sat(5_000)), Err(full));
        let sent = chain.broadcast(&present.transactions).now_or_never().unwrap();
        assert!(matches!(sent, Err(ChainError::Unreachable(_))), "{sent:?}");
        assert_eq!(chain.tip().now_or_never().unwrap().unwrap().height, height);
        assert!(chain.mempool_txids().is_empty());
    }
}
