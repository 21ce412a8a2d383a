//! A transaction that is checked for acceptance into the mempool.

use std::collections::BTreeSet;

use bitcoin::{Amount, Transaction, TxOut, Txid};

use super::best_chain::{BestChain, sigop_cost};
use super::coin_view::CoinView;
use super::reject_reason::RejectReason;
use super::standard::{check_dust_pays_nothing, check_standard};
use super::standard_spend::{check_discouraged, check_inputs, check_witnesses};
use super::time_locks::is_final;
use super::transaction_rules::{check_shape, fee};

/// The weight that one sigop counts for.
const WEIGHT_PER_SIGOP: u64 = 20;
/// The maximum sigop cost of a transaction in the mempool.
const MAX_SIGOPS: usize = super::best_chain::MAX_BLOCK_SIGOPS / 5;
/// The minimum relay fee and the incremental relay fee, in sats for 1,000 virtual bytes.
pub(crate) const RELAY_FEE_PER_KVB: u64 = 100;

/// The maximum fee, in sats for 1,000 virtual bytes.
const MAX_FEE_PER_KVB: u64 = 10_000_000;

/// A transaction that could be in the next block, by all checks but its scripts.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) transaction: Transaction,
    pub(crate) txid: Txid,
    pub(crate) fee: Amount,
    /// The weight, adjusted for sigops.
    pub(crate) weight: u64,
    /// The mempool transactions that it spends from.
    pub(crate) parents: BTreeSet<Txid>,
    /// The mempool transactions that spend one of its inputs.
    pub(crate) conflicts: BTreeSet<Txid>,
    /// The outputs that it spends, one for each input.
    spent: Vec<TxOut>,
}

impl Candidate {
    /// Runs the checks that need no signature, in the order of a node.
    pub(crate) fn new(transaction: &Transaction, view: CoinView<'_>, may_replace: bool) -> Result<Self, RejectReason> {
        let txid = transaction.compute_txid();
        check_shape(transaction)?;
        if transaction.is_coinbase() {
            return Err(RejectReason::Coinbase);
        }
        check_standard(transaction)?;
        let (chain, pool) = (view.chain, view.pool);
        if !is_final(transaction, chain.next_height(), chain.median_time()) {
            return Err(RejectReason::NonFinal);
        }
        if let Some(entry) = pool.entry(txid) {
            let is_same = entry.transaction.compute_wtxid() == transaction.compute_wtxid();
            return Err(if is_same {
                RejectReason::AlreadyInMempool
            } else {
                RejectReason::SameNonWitnessDataInMempool
            });
        }
        let inputs = transaction.input.iter();
        let conflicts: BTreeSet<Txid> = inputs.filter_map(|input| pool.spender(input.previous_output)).collect();
        if !may_replace && !conflicts.is_empty() {
            return Err(RejectReason::ReplacementDisallowed);
        }
        let coins = view.coins(transaction).ok_or_else(|| {
            let is_confirmed = chain.tx_position(txid).is_some();
            if is_confirmed { RejectReason::AlreadyConfirmed } else { RejectReason::MissingInputs }
        })?;
        if !chain.is_sequence_final(transaction, &coins) {
            return Err(RejectReason::SequenceNonFinal);
        }
        let fee = fee(transaction, &coins, chain.next_height())?;
        let sigops = sigop_cost(transaction, &coins);
        let spent: Vec<TxOut> = coins.into_iter().map(|coin| coin.output).collect();
        check_inputs(transaction, &spent)?;
        check_witnesses(transaction, &spent)?;
        check_dust_pays_nothing(transaction, fee)?;
        if sigops > MAX_SIGOPS {
            return Err(RejectReason::TooManySigops);
        }
        let checks_weight = u64::try_from(sigops).unwrap_or(u64::MAX).saturating_mul(WEIGHT_PER_SIGOP);
        let weight = transaction.weight().to_wu().max(checks_weight);
        let parents = pool.parents(transaction);
        Ok(Self { transaction: transaction.clone(), txid, fee, weight, parents, conflicts, spent })
    }

    /// Virtual bytes, rounded up.
    pub(crate) const fn size(&self) -> u64 {
        self.weight.div_ceil(4)
    }

    /// Checks that the fee is not so high that it must be a mistake.
    pub(crate) fn check_max_fee(&self) -> Result<(), RejectReason> {
        let max = Amount::from_sat(self.size().saturating_mul(MAX_FEE_PER_KVB).div_ceil(1_000));
        if self.fee > max { Err(RejectReason::MaxFee) } else { Ok(()) }
    }

    /// Runs its scripts.
    pub(crate) fn check_scripts(&self, chain: &BestChain) -> Result<(), RejectReason> {
        check_discouraged(&self.transaction, &self.spent)?;
        chain.verify_scripts(&self.transaction, &self.spent)
    }
}

/// The least fee for a size in virtual bytes, rounded up.
pub(crate) fn relay_fee(size: u64) -> Amount {
    Amount::from_sat(size.saturating_mul(RELAY_FEE_PER_KVB).div_ceil(1_000))
}

/// Checks that a fee reaches the relay fee for a size in virtual bytes.
pub(crate) fn check_relay_fee(fee: Amount, size: u64) -> Result<(), RejectReason> {
    if fee < relay_fee(size) { Err(RejectReason::MinRelayFee) } else { Ok(()) }
}
