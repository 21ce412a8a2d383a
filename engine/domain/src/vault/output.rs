//! The outputs of a vault, and the transactions that take them.

use super::Departure;
use crate::{Outpoint, Sats};

/// What the chain says of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It waits for a block, or is expected.
    Waiting,
    /// In a block of the best chain.
    Confirmed {
        /// Of which height.
        height: u32,
    },
}

/// An output that pays to a vault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VaultOutput {
    /// What it holds.
    pub amount: Sats,
    /// What the chain says of it.
    pub standing: Standing,
    /// What takes it; then it is nobody else's.
    pub leaving: Option<Departure>,
}

impl VaultOutput {
    /// Whether it stands in a block and nothing takes it.
    #[must_use]
    pub const fn is_free(&self) -> bool {
        matches!(self.standing, Standing::Confirmed { .. }) && self.leaving.is_none()
    }

    /// Whether it waits for a block and nothing takes it.
    #[must_use]
    pub const fn is_waiting(&self) -> bool {
        matches!(self.standing, Standing::Waiting) && self.leaving.is_none()
    }

    /// What it adds to the balance.
    pub(super) const fn counted(&self) -> Sats {
        if self.is_free() { self.amount } else { Sats::ZERO }
    }
}

/// A transaction of ours that takes outputs, until it is buried or failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaving {
    /// Its id, in internal byte order.
    pub txid: [u8; 32],
    /// What it takes.
    pub outpoints: Vec<Outpoint>,
    /// What comes back.
    pub change: Vec<Outpoint>,
    /// What leaves the vault by it.
    pub amount: Sats,
    /// The finished transaction of a withdrawal, once it is signed, or of a fee bump.
    pub transaction: Option<Vec<u8>>,
}

/// What somebody who looked at the chain says of one output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputSight {
    /// Nobody has spent it, and it stands in a block.
    Confirmed {
        /// Which.
        outpoint: Outpoint,
        /// What it holds.
        amount: Sats,
        /// The block's height.
        height: u32,
    },
    /// Nobody has spent it, and it waits for a block.
    Waiting {
        /// Which.
        outpoint: Outpoint,
    },
    /// It is not there: spent, or never mined again. Means nothing of an output that one of our transactions takes.
    Gone {
        /// Which.
        outpoint: Outpoint,
    },
    /// The transaction of ours that takes it never will: another one spent it, or it was forgotten for good.
    Taken {
        /// Which.
        outpoint: Outpoint,
    },
}
