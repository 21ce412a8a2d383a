//! The whole embedded node as a state machine: what it is told is all that ever changes it.

use bitcoin::{Amount, Block, FeeRate, OutPoint, ScriptBuf, Transaction, TxOut, Txid, Weight};

use super::acceptance::{Arrival, accept};
use super::best_chain::BestChain;
use super::block_draft::{best_paying, draft};
use super::candidate::RELAY_FEE_PER_KVB;
use super::coin::Coin;
use super::control_error::ControlError;
use super::faucet::Faucet;
use super::feerate_diagram::chunks;
use super::mempool::Mempool;
use super::package;
use super::refusal::Refusal;

/// Blocks before the first call: 50 of their rewards can be spent, so that the faucet never runs dry.
const FIRST_BLOCKS: u32 = 150;
/// Blocks at once.
const MAX_BLOCKS: u32 = 100_000;

/// What becomes of the transactions of blocks that are taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disconnected {
    /// They wait for another block.
    Wait,
    /// They are gone, and what spends from them too.
    Forgotten,
}

/// Blocks, what waits, and the clock.
#[derive(Clone, Debug)]
pub(crate) struct Ledger {
    chain: BestChain,
    pool: Mempool,
    clock_seconds: u32,
    /// Blocks ever made, those taken back included.
    made: u64,
    faucet: Faucet,
}

impl Ledger {
    /// A chain whose blocks begin at this Unix time.
    pub(crate) fn new(start_seconds: u32) -> Result<Self, ControlError> {
        let mut ledger = Self {
            chain: BestChain::new(),
            pool: Mempool::default(),
            clock_seconds: start_seconds,
            made: 0,
            faucet: Faucet::new()?,
        };
        ledger.mine(FIRST_BLOCKS)?;
        Ok(ledger)
    }

    pub(crate) const fn chain(&self) -> &BestChain {
        &self.chain
    }

    pub(crate) const fn pool(&self) -> &Mempool {
        &self.pool
    }

    /// The time that the next blocks carry, as far as the rule of the median lets them.
    pub(crate) const fn set_time(&mut self, unix_seconds: u32) {
        self.clock_seconds = unix_seconds;
    }

    /// Mines so many blocks of what waits.
    pub(crate) fn mine(&mut self, blocks: u32) -> Result<(), ControlError> {
        if blocks > MAX_BLOCKS {
            return Err(ControlError::TooManyBlocks { asked: blocks, max: MAX_BLOCKS });
        }
        (0..blocks).try_for_each(|_| self.mine_these(best_paying(&self.chain, &self.pool)))
    }

    /// Mines a block of these transactions and no others, whether they were sent or not.
    pub(crate) fn mine_these(&mut self, transactions: Vec<Transaction>) -> Result<(), ControlError> {
        let payee = self.faucet.script_pubkey();
        let block = draft(&self.chain, transactions, self.clock_seconds, &payee, self.made)?;
        self.chain.connect(block.clone())?;
        self.made = self.made.saturating_add(1);
        self.pool.confirm(&block);
        Ok(())
    }

    /// Takes the last blocks back and mines one more than those in their place, all of them empty.
    pub(crate) fn reorg(&mut self, depth: u32, fate: Disconnected) -> Result<(), ControlError> {
        let height = self.chain.height();
        if depth > height {
            return Err(ControlError::TooDeep { depth, height });
        }
        let mut taken_back: Vec<Block> = (0..depth).filter_map(|_| self.chain.disconnect()).collect();
        taken_back.reverse();
        let back = taken_back.into_iter().flat_map(|block| block.txdata).filter(|tx| !tx.is_coinbase());
        let mut again: Vec<Transaction> = if fate == Disconnected::Wait { back.collect() } else { Vec::new() };
        again.extend(self.pool.in_order().into_iter().map(|entry| entry.transaction.clone()));
        self.pool = Mempool::default();
        for transaction in again {
            // What is impossible now, or no longer final, is dropped with all that spends from it.
            if let Ok(pool) = accept(&self.chain, &self.pool, &transaction, Arrival::Returned) {
                self.pool = pool;
            }
        }
        (0..=depth).try_for_each(|_| self.mine_these(Vec::new()))
    }

    /// Whether transactions would be taken.
    pub(crate) fn test(&self, package: &[Transaction]) -> Result<(), (Refusal, Txid)> {
        package::test(&self.chain, &self.pool, package)
    }

    /// Takes transactions, as far as they may wait.
    pub(crate) fn submit(&mut self, package: &[Transaction]) -> Result<(), (Refusal, Txid)> {
        let (pool, outcome) = package::submit(&self.chain, &self.pool, package);
        self.pool = pool;
        outcome
    }

    /// An output that nothing spends, not even what waits.
    pub(crate) fn unspent(&self, outpoint: OutPoint) -> Option<Coin> {
        let view = super::coin_view::CoinView { chain: &self.chain, pool: &self.pool, package: &[] };
        if self.pool.spender(outpoint).is_some() { None } else { view.coin(outpoint) }
    }

    /// Pays a script out of a block of its own.
    pub(crate) fn fund(&mut self, script_pubkey: &ScriptBuf, value: Amount) -> Result<OutPoint, ControlError> {
        let outputs = vec![TxOut { value, script_pubkey: script_pubkey.clone() }];
        let payment = self.faucet.pay(&self.chain, outputs, |outpoint| self.pool.spender(outpoint).is_none())?;
        let outpoint = OutPoint::new(payment.compute_txid(), 0);
        self.mine_these(vec![payment])?;
        Ok(outpoint)
    }

    /// What to pay so that so many blocks are enough: more than what would fill them, and never less than what nodes
    /// send on.
    pub(crate) fn fee_rate(&self, within_blocks: u16) -> FeeRate {
        let relayed = FeeRate::from_sat_per_kwu(RELAY_FEE_PER_KVB.div_ceil(4));
        let mut room = Weight::MAX_BLOCK.to_wu().saturating_mul(u64::from(within_blocks.max(1)));
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
