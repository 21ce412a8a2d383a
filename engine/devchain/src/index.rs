//! The indexer of the best chain: the inscriptions, runes and BRC-20 balances of its outputs, updated with each block.
//!
//! - [`envelope`] parses inscriptions from scripts, [`inscriptions`] tracks them from sat to sat.
//! - [`runes`] records etchings and mints, [`rune_allocation`] allocates runes to outputs.
//! - [`owners`] records which outputs pay which script.
//! - [`brc20`] keeps balances and transfer inscriptions, [`brc20_operation`] parses the operations.
//!
//! A difference from ord is a bug here.

use bitcoin::{Block, OutPoint};
use engine::asset_index::OutputAssets;

use self::brc20::Brc20Ledger;
pub(crate) use self::envelope::envelopes;
use self::inscriptions::Inscriptions;
use self::owners::Owners;
use self::runes::Runes;
use super::coin::Coin;

pub(crate) mod brc20;
mod brc20_operation;
mod envelope;
pub(crate) mod inscriptions;
mod owners;
mod rune_allocation;
mod runes;

pub use self::runes::RuneSupply;

/// Inscriptions, runes, BRC-20 and owners as of the last block.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Index {
    pub(crate) inscriptions: Inscriptions,
    pub(crate) runes: Runes,
    pub(crate) brc20: Brc20Ledger,
    pub(crate) owners: Owners,
}

impl Index {
    /// Reads the next block; `spent` has the coins of each of its transactions, one for each input.
    pub(crate) fn connect(&mut self, block: &Block, height: u32, spent: &[Vec<Coin>]) {
        let moves = self.inscriptions.connect(&block.txdata, height, spent);
        self.brc20.connect(&moves);
        self.runes.connect(block, height, spent);
        self.owners.connect(block, spent);
    }

    /// Disconnects the last block.
    pub(crate) fn disconnect(&mut self) {
        self.inscriptions.disconnect();
        self.brc20.disconnect();
        self.runes.disconnect();
        self.owners.disconnect();
    }

    /// The inscriptions and runes of an unspent output of the best chain.
    pub(crate) fn carried_by(&self, outpoint: OutPoint) -> OutputAssets {
        OutputAssets { inscriptions: self.inscriptions.carried_by(outpoint), runes: self.runes.carried_by(outpoint) }
    }
}
