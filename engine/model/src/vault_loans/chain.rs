//! The best chain and the mempool, as far as they concern the vault.

use super::setup::Setup;

/// The state of a transaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TxStatus {
    /// It was never broadcast.
    #[default]
    Absent,
    /// It is unconfirmed.
    Mempool,
    /// It is in a block that a reorg can disconnect.
    Mined,
    /// It is too deep for a reorg.
    Buried,
    /// A conflicting transaction was mined. The model takes that as final, though a reorg could undo it.
    Dead,
}

impl TxStatus {
    /// Whether it is in a block.
    #[must_use]
    pub const fn is_mined(self) -> bool {
        matches!(self, Self::Mined | Self::Buried)
    }

    /// Whether its inputs count as spent and its outputs exist.
    #[must_use]
    pub const fn is_seen(self) -> bool {
        matches!(self, Self::Mempool | Self::Mined | Self::Buried)
    }
}

/// The chain.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Chain {
    /// The state of each transaction.
    pub status: Vec<TxStatus>,
    /// The blocks that a reorg may still disconnect.
    pub reorgs_left: u8,
    /// The collateral outputs that may still be spent elsewhere.
    pub double_spends_left: u8,
}

impl Chain {
    /// The chain at the start.
    #[must_use]
    pub fn of(setup: &Setup) -> Self {
        Self {
            status: vec![TxStatus::Absent; setup.transactions()],
            reorgs_left: setup.reorgs,
            double_spends_left: setup.double_spends,
        }
    }
}
