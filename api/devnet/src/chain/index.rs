//! What the outputs of the best chain carry: an indexer that reads each block as it comes.
//!
//! - [`envelope`] reads inscriptions out of scripts, [`inscriptions`] follows them from sat to sat.
//! - [`runes`] keeps what was etched and minted, [`rune_allocation`] shares it out among outputs.
//! - [`owners`] keeps what pays to which script.
//! - [`brc20`] keeps balances and notes, [`brc20_operation`] reads what is written about them.
//!
//! Where ord answers otherwise, this is wrong.

use bitcoin::{Block, OutPoint};
use engine::asset_index::Carried;

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

/// Inscriptions, runes, BRC-20 and owners after the last block.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Index {
    pub(crate) inscriptions: Inscriptions,
    pub(crate) runes: Runes,
    pub(crate) brc20: Brc20Ledger,
    pub(crate) owners: Owners,
}

impl Index {
    /// Reads the next block; the coins that each of its transactions spent, one for each input.
    pub(crate) fn connect(&mut self, block: &Block, height: u32, spent: &[Vec<Coin>]) {
        let journeys = self.inscriptions.connect(&block.txdata, height, spent);
        self.brc20.connect(&journeys);
        self.runes.connect(block, height, spent);
        self.owners.connect(block, spent);
    }

    /// Forgets the last block.
    pub(crate) fn disconnect(&mut self) {
        self.inscriptions.disconnect();
        self.brc20.disconnect();
        self.runes.disconnect();
        self.owners.disconnect();
    }

    /// What an unspent output of the best chain carries.
    pub(crate) fn carried_by(&self, outpoint: OutPoint) -> Carried {
        Carried { inscriptions: self.inscriptions.carried_by(outpoint), runes: self.runes.carried_by(outpoint) }
    }
}
