//! The whole embedded node as a deterministic state machine: only its methods change it.

use bitcoin::{Amount, Block, FeeRate, OutPoint, ScriptBuf, Transaction, TxOut, Txid, Weight};
use engine::asset_index::InscriptionId;
use ordinals::{Etching, RuneId, Runestone};

use super::acceptance::{Origin, accept};
use super::best_chain::BestChain;
use super::block_template::{build_block, select_transactions};
use super::candidate::RELAY_FEE_PER_KVB;
use super::change::ChainChange;
use super::coin::Coin;
use super::control_error::ControlError;
use super::faucet::{Faucet, FundingInputs};
use super::feerate_diagram::chunks;
use super::index::Index;
use super::inscriber::{Content, Inscriber};
use super::mempool::Mempool;
use super::package;
use super::reject_reason::RejectReason;
use super::reorg_policy::ReorgPolicy;

/// The number of initial blocks: 50 of their rewards are mature, so that the faucet never runs dry.
const FIRST_BLOCKS: u32 = 150;
/// The maximum number of blocks that one call mines.
const MAX_BLOCKS: u32 = 100_000;

/// The chain, its index, the mempool and the clock.
#[derive(Clone, Debug)]
pub(crate) struct Ledger {
    chain: BestChain,
    index: Index,
    pool: Mempool,
    clock_seconds: u32,
    /// The number of blocks ever mined, disconnected ones included.
    blocks_mined: u64,
    faucet: Faucet,
    /// The changes that are not written yet; `None` if they are not recorded.
    changes: Option<Vec<ChainChange>>,
}

impl Ledger {
    /// Returns a chain whose first blocks have this Unix time.
    pub(crate) fn new(start_seconds: u32) -> Result<Self, ControlError> {
        let mut ledger = Self {
            chain: BestChain::new(),
            index: Index::default(),
            pool: Mempool::default(),
            clock_seconds: start_seconds,
            blocks_mined: 0,
            faucet: Faucet::new()?,
            changes: None,
        };
        ledger.mine(FIRST_BLOCKS)?;
        Ok(ledger)
    }

    /// Rebuilds the chain from its changes. They were made by a chain like this one, which has run every script.
    pub(crate) fn replay(changes: impl IntoIterator<Item = ChainChange>) -> Result<Self, (usize, ControlError)> {
        let faucet = Faucet::new().map_err(|why| (0, why))?;
        let (index, pool) = (Index::default(), Mempool::default());
        let mut ledger =
            Self { chain: BestChain::new(), index, pool, clock_seconds: 0, blocks_mined: 0, faucet, changes: None };
        ledger.chain.set_replaying(true);
        for (number, change) in changes.into_iter().enumerate() {
            match change {
                ChainChange::Block(block) => ledger.connect(&block).map_err(|why| (number, why.into()))?,
                // Transactions that were refused then are refused now.
                ChainChange::Package(package) => drop(ledger.submit(&package)),
                ChainChange::Reorg(depth, fate) => {
                    ledger.disconnect_blocks(depth, fate).map_err(|why| (number, why))?;
                }
            }
        }
        ledger.chain.set_replaying(false);
        Ok(ledger)
    }

    /// Starts to record every change, until [`Self::take_changes`] takes it.
    pub(crate) fn record_changes(&mut self) {
        self.changes.get_or_insert_default();
    }

    /// Returns the changes since the last call.
    pub(crate) fn take_changes(&mut self) -> Vec<ChainChange> {
        self.changes.as_mut().map(std::mem::take).unwrap_or_default()
    }

    fn record(&mut self, change: impl FnOnce() -> ChainChange) {
        if let Some(changes) = &mut self.changes {
            changes.push(change());
        }
    }

    /// The changes that lead to the present state: its blocks, then the mempool.
    pub(crate) fn history(&self) -> impl Iterator<Item = ChainChange> {
        let blocks = (1..=self.chain.height()).filter_map(|height| self.chain.block(height).cloned());
        let waiting =
            self.pool.by_arrival().into_iter().map(|entry| ChainChange::Package(vec![entry.transaction.clone()]));
        blocks.map(ChainChange::Block).chain(waiting)
    }

    pub(crate) const fn chain(&self) -> &BestChain {
        &self.chain
    }

    pub(crate) const fn index(&self) -> &Index {
        &self.index
    }

    pub(crate) const fn faucet(&self) -> &Faucet {
        &self.faucet
    }

    pub(crate) const fn pool(&self) -> &Mempool {
        &self.pool
    }

    /// Sets the time of the next blocks, as far as the rule of median time past allows.
    pub(crate) const fn set_time(&mut self, unix_seconds: u32) {
        self.clock_seconds = unix_seconds;
    }

    /// Mines `blocks` blocks from the mempool.
    pub(crate) fn mine(&mut self, blocks: u32) -> Result<(), ControlError> {
        if blocks > MAX_BLOCKS {
            return Err(ControlError::TooManyBlocks { asked: blocks, max: MAX_BLOCKS });
        }
        (0..blocks).try_for_each(|_| self.mine_transactions(select_transactions(&self.chain, &self.pool)))
    }

    /// Mines a block of exactly these transactions, whether they are in the mempool or not.
    pub(crate) fn mine_transactions(&mut self, transactions: Vec<Transaction>) -> Result<(), ControlError> {
        let payee = self.faucet.script_pubkey();
        let block = build_block(&self.chain, transactions, self.clock_seconds, &payee, self.blocks_mined)?;
        self.connect(&block)?;
        self.record(|| ChainChange::Block(block));
        Ok(())
    }

    fn connect(&mut self, block: &Block) -> Result<(), RejectReason> {
        let spent = self.chain.connect(block.clone())?;
        self.index.connect(block, self.chain.height(), &spent);
        self.blocks_mined = self.blocks_mined.saturating_add(1);
        self.pool.confirm(block);
        Ok(())
    }

    /// Disconnects the last `depth` blocks and mines `depth + 1` empty ones in their place.
    pub(crate) fn reorg(&mut self, depth: u32, fate: ReorgPolicy) -> Result<(), ControlError> {
        self.disconnect_blocks(depth, fate)?;
        self.record(|| ChainChange::Reorg(depth, fate));
        (0..=depth).try_for_each(|_| self.mine_transactions(Vec::new()))
    }

    fn disconnect_blocks(&mut self, depth: u32, fate: ReorgPolicy) -> Result<(), ControlError> {
        let height = self.chain.height();
        if depth > height {
            return Err(ControlError::TooDeep { depth, height });
        }
        let mut disconnected: Vec<Block> = Vec::new();
        for _ in 0..depth {
            self.index.disconnect();
            disconnected.extend(self.chain.disconnect());
        }
        disconnected.reverse();
        let back = disconnected.into_iter().flat_map(|block| block.txdata).filter(|tx| !tx.is_coinbase());
        let mut again: Vec<Transaction> = if fate == ReorgPolicy::Requeue { back.collect() } else { Vec::new() };
        again.extend(self.pool.by_arrival().into_iter().map(|entry| entry.transaction.clone()));
        self.pool = Mempool::default();
        for transaction in again {
            // A transaction that is invalid now, or no longer final, is dropped with its descendants.
            if let Ok(accepted) = accept(&self.chain, &self.pool, &transaction, Origin::Reorged) {
                accepted.apply(&mut self.pool);
            }
        }
        Ok(())
    }

    /// Checks whether transactions would be accepted.
    pub(crate) fn test(&self, package: &[Transaction]) -> Result<(), (RejectReason, Txid)> {
        package::test(&self.chain, &self.pool, package)
    }

    /// Submits transactions; accepts those that may enter the mempool.
    pub(crate) fn submit(&mut self, package: &[Transaction]) -> Result<(), (RejectReason, Txid)> {
        let before = self.pool.arrivals();
        let outcome = package::submit(&self.chain, &mut self.pool, package);
        if self.pool.arrivals() > before {
            self.record(|| ChainChange::Package(package.to_vec()));
        }
        outcome
    }

    /// Returns an output that neither the chain nor the mempool spends.
    pub(crate) fn unspent(&self, outpoint: OutPoint) -> Option<Coin> {
        let view = super::coin_view::CoinView { chain: &self.chain, pool: &self.pool, package: &[] };
        if self.pool.spender(outpoint).is_some() { None } else { view.coin(outpoint) }
    }

    /// Pays a script, in a block of its own.
    pub(crate) fn fund(&mut self, script_pubkey: &ScriptBuf, value: Amount) -> Result<OutPoint, ControlError> {
        let outputs = vec![TxOut { value, script_pubkey: script_pubkey.clone() }];
        let payment = self.pay(FundingInputs::new(), outputs)?;
        let outpoint = OutPoint::new(payment.compute_txid(), 0);
        self.mine_transactions(vec![payment])?;
        Ok(outpoint)
    }

    /// Builds a payment from `carriers` and from coins that carry nothing and that the mempool does not spend.
    pub(crate) fn pay(&self, carriers: FundingInputs, outputs: Vec<TxOut>) -> Result<Transaction, ControlError> {
        let is_free = |outpoint| self.pool.spender(outpoint).is_none() && self.index.carried_by(outpoint).is_plain();
        self.faucet.pay(&self.chain, carriers, outputs, is_free)
    }

    /// Splits the faucet's money into equal outputs, in a block of its own.
    pub(crate) fn split_coins(&mut self, outputs: usize, value: Amount) -> Result<(), ControlError> {
        let output = TxOut { value, script_pubkey: self.faucet.script_pubkey() };
        let payment = self.pay(FundingInputs::new(), vec![output; outputs])?;
        self.mine_transactions(vec![payment])
    }

    /// Inscribes onto the first sat of a new output, in a block of its own.
    pub(crate) fn inscribe(
        &mut self,
        script_pubkey: &ScriptBuf,
        postage: Amount,
        content: Content<'_>,
    ) -> Result<InscriptionId, ControlError> {
        let inscriber = Inscriber::new(&self.faucet, content)?;
        let commit = self.pay(FundingInputs::new(), vec![inscriber.commitment(postage)?])?;
        let output = TxOut { value: postage, script_pubkey: script_pubkey.clone() };
        let reveal = inscriber.reveal(&commit, 0, vec![output])?;
        let id = InscriptionId { txid: reveal.compute_txid(), index: 0 };
        self.mine_transactions(vec![commit, reveal])?;
        Ok(id)
    }

    /// Etches a rune of a reserved name, all of it premined into a new output, in a block of its own.
    pub(crate) fn etch(
        &mut self,
        script_pubkey: &ScriptBuf,
        divisibility: u8,
        premine: u128,
    ) -> Result<(RuneId, OutPoint), ControlError> {
        let etching = Etching { divisibility: Some(divisibility), premine: Some(premine), ..Etching::default() };
        let runestone = Runestone { etching: Some(etching), ..Runestone::default() };
        let outputs = vec![
            TxOut { value: script_pubkey.minimal_non_dust(), script_pubkey: script_pubkey.clone() },
            TxOut { value: Amount::ZERO, script_pubkey: runestone.encipher() },
        ];
        let payment = self.pay(FundingInputs::new(), outputs)?;
        let outpoint = OutPoint::new(payment.compute_txid(), 0);
        self.mine_transactions(vec![payment])?;
        // The coinbase is transaction 0.
        Ok((RuneId { block: self.chain.height().into(), tx: 1 }, outpoint))
    }

    /// The fee rate for confirmation within this many blocks: above what would fill them, and never below the relay
    /// fee.
    pub(crate) fn fee_rate(&self, within_blocks: u16) -> FeeRate {
        let relayed = FeeRate::from_sat_per_kwu(RELAY_FEE_PER_KVB.div_ceil(4));
        let mut room = Weight::MAX_BLOCK.to_wu().saturating_mul(u64::from(within_blocks.max(1)));
        if self.pool.weight() <= room {
            // The whole mempool fits, in any order.
            return relayed;
        }
        for chunk in chunks(&self.pool, &self.pool.txids()) {
            let Some(left) = room.checked_sub(chunk.weight) else {
                let rate = chunk.fee_sats.saturating_mul(1_000).div_ceil(chunk.weight.max(1));
                return relayed.max(FeeRate::from_sat_per_kwu(rate.saturating_add(1)));
            };
            room = left;
        }
        relayed
    }
}
