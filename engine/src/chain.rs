//! The chain port: queries to a Bitcoin node, and broadcasts through it.
//!
//! A client's or wallet's claims about spent outputs are untrusted: before signing, every spent output is looked up
//! here.

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
    /// Its median time past in Unix seconds, which timelocks in the next block are compared with (BIP 113).
    pub median_time_seconds: u32,
}

/// An unspent output; see [`Chain::unspent`] and [`Chain::confirmed_unspent`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unspent {
    /// Its amount and script.
    pub output: TxOut,
    /// Its confirmations; 0 while its transaction is in the mempool.
    pub confirmations: u32,
    /// Whether it is a coinbase output, which cannot be spent for 100 blocks.
    pub is_coinbase: bool,
}

/// The status of a known transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainPosition {
    /// In the mempool.
    InMempool,
    /// In a block of the best chain.
    Confirmed {
        /// The hash of the block.
        block: BlockHash,
        /// The height of the block.
        height: u32,
    },
}

/// A transaction that the node knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownTransaction {
    /// The transaction, signed.
    pub transaction: Transaction,
    /// Its status.
    pub position: ChainPosition,
}

/// The reason why a node rejects a transaction, in Bitcoin Core's terms (`dust`, `non-final`, `txn-mempool-conflict`
/// ...).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the node rejects {txid}: {reason}")]
pub struct TxRejection {
    /// The transaction.
    pub txid: Txid,
    /// Core's reject reason, without any text of the transaction in it.
    pub reason: String,
}

/// The reason why a call to the node failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ChainError {
    /// The transaction was rejected and not relayed; those before it in a package may have been.
    #[error(transparent)]
    Rejected(#[from] TxRejection),
    /// No answer, or none before the timeout: whether a broadcast succeeded is unknown until the chain shows it.
    #[error("the node gives no answer: {0}")]
    Unreachable(String),
    /// An answer that is malformed or contradictory.
    #[error("invalid response from the node: {0}")]
    InvalidResponse(String),
}

/// A Bitcoin node.
pub trait Chain: Send + Sync + 'static {
    /// The best block.
    fn tip(&self) -> impl Future<Output = Result<Tip, ChainError>> + Send;

    /// The hash of the block of the best chain at a height; `None` above the tip. Two different answers for one height
    /// mean a reorg.
    fn block_hash(&self, height: u32) -> impl Future<Output = Result<Option<BlockHash>, ChainError>> + Send;

    /// An output, unless it is spent, by the mempool included (`gettxout`).
    fn unspent(&self, outpoint: OutPoint) -> impl Future<Output = Result<Option<Unspent>, ChainError>> + Send;

    /// A confirmed output that no confirmed transaction spends, whatever the mempool holds (`gettxout` without the
    /// mempool).
    fn confirmed_unspent(&self, outpoint: OutPoint)
    -> impl Future<Output = Result<Option<Unspent>, ChainError>> + Send;

    /// A block's median time past, in Unix seconds; `None` when the node does not know the block.
    fn median_time(&self, block: BlockHash) -> impl Future<Output = Result<Option<u32>, ChainError>> + Send;

    /// The transactions of a block; `None` when the node does not know it.
    fn block_transactions(
        &self,
        block: BlockHash,
    ) -> impl Future<Output = Result<Option<Vec<Transaction>>, ChainError>> + Send;

    /// A transaction in the mempool or in a block.
    fn transaction(&self, txid: Txid) -> impl Future<Output = Result<Option<KnownTransaction>, ChainError>> + Send;

    /// Whether the node would accept these transactions, alone or as a package of parents before children
    /// (`testmempoolaccept`); broadcasts nothing. Fails with the first rejection.
    fn test_accept(&self, package: &[Transaction]) -> impl Future<Output = Result<(), ChainError>> + Send;

    /// Broadcasts transactions, alone or as a package of parents before children (`sendrawtransaction`,
    /// `submitpackage`). Broadcasting a transaction that the node already has is not an error.
    fn broadcast(&self, package: &[Transaction]) -> impl Future<Output = Result<(), ChainError>> + Send;

    /// The estimated fee rate for confirmation within `within_blocks` blocks.
    fn fee_rate(&self, within_blocks: u16) -> impl Future<Output = Result<FeeRate, ChainError>> + Send;
}
