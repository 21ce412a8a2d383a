//! The steps of a chain's history, in the form in which they are stored.

use bitcoin::consensus::encode::{deserialize, serialize};
use bitcoin::{Block, Transaction};

use super::reorg_policy::ReorgPolicy;

/// A block is connected.
const BLOCK: u8 = 1;
/// Transactions enter the mempool.
const PACKAGE: u8 = 2;
/// Blocks are disconnected, and their transactions return to the mempool.
const REORG_REQUEUE: u8 = 3;
/// Blocks are disconnected, and their transactions are dropped.
const REORG_DROP: u8 = 4;

/// One step of the chain. The same steps in the same order lead to the same chain.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ChainChange {
    /// A block is connected to the tip.
    Block(Block),
    /// Transactions were submitted together; at least one of them was accepted.
    Package(Vec<Transaction>),
    /// The given number of blocks is disconnected from the tip.
    Reorg(u32, ReorgPolicy),
}

impl ChainChange {
    /// Encodes the kind as one byte, then the content in Bitcoin's consensus encoding.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let (kind, content) = match self {
            Self::Block(block) => (BLOCK, serialize(block)),
            Self::Package(package) => (PACKAGE, serialize(package)),
            Self::Reorg(depth, ReorgPolicy::Requeue) => (REORG_REQUEUE, serialize(depth)),
            Self::Reorg(depth, ReorgPolicy::Drop) => (REORG_DROP, serialize(depth)),
        };
        [vec![kind], content].concat()
    }

    /// Decodes a change; `None` unless the bytes are exactly one change.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (kind, content) = bytes.split_first()?;
        match *kind {
            BLOCK => deserialize(content).map(Self::Block).ok(),
            PACKAGE => deserialize(content).map(Self::Package).ok(),
            REORG_REQUEUE => deserialize(content).map(|depth| Self::Reorg(depth, ReorgPolicy::Requeue)).ok(),
            REORG_DROP => deserialize(content).map(|depth| Self::Reorg(depth, ReorgPolicy::Drop)).ok(),
            _ => None,
        }
    }
}
