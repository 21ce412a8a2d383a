//! The chain port: what a Bitcoin node knows, asked and told.
//!
//! Its answers are hostile until proved otherwise: whoever signs looks up every spent output here and never takes a
//! wallet's word for it.

use std::future::Future;

use bitcoin::{BlockHash, FeeRate, OutPoint, Transaction, TxOut, Txid};
use thiserror::Error;

/// The best block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tip {
    /// Its height.
    pub height: u32,
    /// Its hash.
    pub hash: BlockHash,
    /// Its median time past in Unix seconds: what timelocks of the next block are held against (BIP-113).
    pub median_time_seconds: u32,
}

/// An output that nobody has spent, transactions that wait for a block included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unspent {
    /// What it holds.
    pub output: TxOut,
    /// Blocks on top of it, its own included; 0 while it waits for one.
    pub confirmations: u32,
    /// Whether it pays a miner, and so cannot be spent for 100 blocks.
    pub is_coinbase: bool,
}

/// Where a transaction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Waiting for a block.
    Waiting,
    /// In a block of the best chain.
    Confirmed {
        /// Of which hash.
        block: BlockHash,
        /// At which height.
        height: u32,
    },
}

/// A transaction that the node has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The transaction, signed.
    pub transaction: Transaction,
    /// Where it is.
    pub presence: Presence,
}

/// Why a node does not take a transaction, in Bitcoin Core's own words (`dust`, `non-final`, `txn-mempool-conflict` ...).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the node refuses {txid}: {reason}")]
pub struct NodeRefusal {
    /// Which transaction.
    pub txid: Txid,
    /// Core's reason, without any text of the transaction in it.
    pub reason: String,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ChainError {
    /// The transaction is not welcome and was not sent on; those before it in a package may have been.
    #[error(transparent)]
    Refused(#[from] NodeRefusal),
    /// No answer, or none in time: whether a transaction was sent on is unknown until the chain says.
    #[error("the node gives no answer: {0}")]
    Unreachable(String),
    /// The answer is not one that the node could mean.
    #[error("the node's answer makes no sense: {0}")]
    Nonsense(String),
}

/// A Bitcoin node.
pub trait Chain: Send + Sync + 'static {
    /// The best block.
    fn tip(&self) -> impl Future<Output = Result<Tip, ChainError>> + Send;

    /// The block of the best chain at a height; `None` above the tip. Two different answers for one height are a reorg.
    fn block_hash(&self, height: u32) -> impl Future<Output = Result<Option<BlockHash>, ChainError>> + Send;

    /// An output, if nobody has spent it, waiting transactions included (`gettxout`).
    fn unspent(&self, outpoint: OutPoint) -> impl Future<Output = Result<Option<Unspent>, ChainError>> + Send;

    /// An output that no block has spent, whatever waits for one; its own transaction is in a block (`gettxout` without
    /// the mempool).
    fn unspent_in_blocks(&self, outpoint: OutPoint)
    -> impl Future<Output = Result<Option<Unspent>, ChainError>> + Send;

    /// A block's median time past, in Unix seconds; `None` when the node does not know the block.
    fn median_time(&self, block: BlockHash) -> impl Future<Output = Result<Option<u32>, ChainError>> + Send;

    /// The transactions of a block; `None` when the node does not know it.
    fn transactions_of(
        &self,
        block: BlockHash,
    ) -> impl Future<Output = Result<Option<Vec<Transaction>>, ChainError>> + Send;

    /// A transaction, waiting or confirmed.
    fn transaction(&self, txid: Txid) -> impl Future<Output = Result<Option<Seen>, ChainError>> + Send;

    /// Whether the node would take these transactions, alone or as a package of parents before children
    /// (`testmempoolaccept`); sends nothing. The first refusal there is.
    fn test(&self, package: &[Transaction]) -> impl Future<Output = Result<(), ChainError>> + Send;

    /// Sends transactions on, alone or as a package of parents before children (`sendrawtransaction`, `submitpackage`).
    /// Sending again what the node has already is no error.
    fn broadcast(&self, package: &[Transaction]) -> impl Future<Output = Result<(), ChainError>> + Send;

    /// What a transaction should pay to be confirmed within so many blocks.
    fn fee_rate(&self, within_blocks: u16) -> impl Future<Output = Result<FeeRate, ChainError>> + Send;
}
