//! The outputs of a vault, and the transactions that spend them.

use super::SpendId;
use crate::{Outpoint, Sats};

/// The chain state of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OutputStatus {
    /// Unconfirmed, or expected.
    Unconfirmed,
    /// In a block of the best chain.
    Confirmed {
        /// The height of the block.
        height: u32,
    },
}

/// An output that pays to a vault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VaultOutput {
    /// The amount.
    pub amount: Sats,
    /// The chain state.
    pub status: OutputStatus,
    /// The transaction that spends it; it is then not available for anything else.
    pub spent_by: Option<SpendId>,
}

impl VaultOutput {
    /// Whether it is confirmed and not being spent.
    #[must_use]
    pub const fn is_free(&self) -> bool {
        matches!(self.status, OutputStatus::Confirmed { .. }) && self.spent_by.is_none()
    }

    /// Whether it is unconfirmed and not being spent.
    #[must_use]
    pub const fn is_unconfirmed(&self) -> bool {
        matches!(self.status, OutputStatus::Unconfirmed) && self.spent_by.is_none()
    }

    /// Its contribution to the balance.
    pub(super) const fn counted_amount(&self) -> Sats {
        if self.is_free() { self.amount } else { Sats::ZERO }
    }
}

/// A transaction of the vault that spends outputs, until it is settled or has failed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PendingSpend {
    /// Its id, in internal byte order.
    pub txid: [u8; 32],
    /// The spent outputs.
    pub outpoints: Vec<Outpoint>,
    /// The change outputs.
    pub change: Vec<Outpoint>,
    /// The sats that leave the vault.
    pub amount: Sats,
    /// The finished transaction of a withdrawal, once it is signed, or of a fee bump.
    pub transaction: Option<Vec<u8>>,
}

/// An observation of one output on the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObservedOutput {
    /// Unspent and confirmed.
    Confirmed {
        /// The output.
        outpoint: Outpoint,
        /// Its amount.
        amount: Sats,
        /// The block's height.
        height: u32,
    },
    /// Unspent and unconfirmed.
    Unconfirmed {
        /// The output.
        outpoint: Outpoint,
    },
    /// Absent: spent, or not mined again after a reorg. Ignored for an output that a transaction of the vault spends.
    Missing {
        /// The output.
        outpoint: Outpoint,
    },
    /// The transaction of the vault that was to spend it never will: another one spent it, or it is gone for good.
    DoubleSpent {
        /// The output.
        outpoint: Outpoint,
    },
}
