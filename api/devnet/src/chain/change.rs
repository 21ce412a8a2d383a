//! What happens to the chain, in the form in which it is kept.

use bitcoin::consensus::encode::{deserialize, serialize};
use bitcoin::{Block, Transaction};

use super::ledger::Disconnected;

/// A block comes on top.
const BLOCK: u8 = 1;
/// Transactions begin to wait.
const PACKAGE: u8 = 2;
/// Blocks are taken back, and their transactions wait again.
const WAIT: u8 = 3;
/// Blocks are taken back, and their transactions are gone.
const FORGOTTEN: u8 = 4;

/// One step of the chain. The same steps in the same order lead to the same chain.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Change {
    /// On top of the last one.
    Block(Block),
    /// Sent together; at least one of them was taken.
    Package(Vec<Transaction>),
    /// The last so many blocks are taken back.
    TakenBack(u32, Disconnected),
}

impl Change {
    /// A byte for the kind, then Bitcoin's own encoding.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let (kind, content) = match self {
            Self::Block(block) => (BLOCK, serialize(block)),
            Self::Package(package) => (PACKAGE, serialize(package)),
            Self::TakenBack(depth, Disconnected::Wait) => (WAIT, serialize(depth)),
            Self::TakenBack(depth, Disconnected::Forgotten) => (FORGOTTEN, serialize(depth)),
        };
        [vec![kind], content].concat()
    }

    /// The change that these bytes are, if they are one and nothing else.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (kind, content) = bytes.split_first()?;
        match *kind {
            BLOCK => deserialize(content).map(Self::Block).ok(),
            PACKAGE => deserialize(content).map(Self::Package).ok(),
            WAIT => deserialize(content).map(|depth| Self::TakenBack(depth, Disconnected::Wait)).ok(),
            FORGOTTEN => deserialize(content).map(|depth| Self::TakenBack(depth, Disconnected::Forgotten)).ok(),
            _ => None,
        }
    }
}
