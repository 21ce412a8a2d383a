//! The source of blocks: the operator's Bitcoin Core, or explorers in its place.

use std::sync::Arc;

use bitcoin::{BlockHash, FeeRate, OutPoint, Transaction, Txid};
use engine::chain::{Chain, ChainError, KnownTransaction, Tip, Unspent};
use providers::{BitcoinCore, ExplorerChain};

/// The source of blocks.
#[derive(Clone, Debug)]
pub enum NodeChain {
    /// The operator's own node, which is trusted alone.
    Core(Arc<BitcoinCore>),
    /// Explorers, which must agree on whether an output is spent.
    Explorers(Arc<ExplorerChain>),
}

impl Chain for NodeChain {
    async fn tip(&self) -> Result<Tip, ChainError> {
        match self {
            Self::Core(core) => core.tip().await,
            Self::Explorers(explorers) => explorers.tip().await,
        }
    }

    async fn block_hash(&self, height: u32) -> Result<Option<BlockHash>, ChainError> {
        match self {
            Self::Core(core) => core.block_hash(height).await,
            Self::Explorers(explorers) => explorers.block_hash(height).await,
        }
    }

    async fn unspent(&self, outpoint: OutPoint) -> Result<Option<Unspent>, ChainError> {
        match self {
            Self::Core(core) => core.unspent(outpoint).await,
            Self::Explorers(explorers) => explorers.unspent(outpoint).await,
        }
    }

    async fn confirmed_unspent(&self, outpoint: OutPoint) -> Result<Option<Unspent>, ChainError> {
        match self {
            Self::Core(core) => core.confirmed_unspent(outpoint).await,
            Self::Explorers(explorers) => explorers.confirmed_unspent(outpoint).await,
        }
    }

    async fn median_time(&self, block: BlockHash) -> Result<Option<u32>, ChainError> {
        match self {
            Self::Core(core) => core.median_time(block).await,
            Self::Explorers(explorers) => explorers.median_time(block).await,
        }
    }

    async fn block_transactions(&self, block: BlockHash) -> Result<Option<Vec<Transaction>>, ChainError> {
        match self {
            Self::Core(core) => core.block_transactions(block).await,
            Self::Explorers(explorers) => explorers.block_transactions(block).await,
        }
    }

    async fn transaction(&self, txid: Txid) -> Result<Option<KnownTransaction>, ChainError> {
        match self {
            Self::Core(core) => core.transaction(txid).await,
            Self::Explorers(explorers) => explorers.transaction(txid).await,
        }
    }

    async fn test_accept(&self, package: &[Transaction]) -> Result<(), ChainError> {
        match self {
            Self::Core(core) => core.test_accept(package).await,
            Self::Explorers(explorers) => explorers.test_accept(package).await,
        }
    }

    async fn broadcast(&self, package: &[Transaction]) -> Result<(), ChainError> {
        match self {
            Self::Core(core) => core.broadcast(package).await,
            Self::Explorers(explorers) => explorers.broadcast(package).await,
        }
    }

    async fn fee_rate(&self, within_blocks: u16) -> Result<FeeRate, ChainError> {
        match self {
            Self::Core(core) => core.fee_rate(within_blocks).await,
            Self::Explorers(explorers) => explorers.fee_rate(within_blocks).await,
        }
    }
}
