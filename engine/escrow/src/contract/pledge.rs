//! What an output holds besides its sats, and how it travels.

use bitcoin::Amount;
use ordinals::RuneId;

/// The collateral of a loan as its escrow holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pledge {
    /// An inscription: it travels with its sat.
    Inscription {
        /// How many of the output's sats come before it.
        offset: Amount,
    },
    /// A BRC-20 transfer note: an inscription that the next move uses up, so it can go home and nowhere else.
    Note {
        /// How many of the output's sats come before it.
        offset: Amount,
    },
    /// Runes: they travel as the transaction's runestone says.
    Runes {
        /// The id of the rune.
        id: RuneId,
        /// In raw units.
        amount: u128,
    },
}

impl Pledge {
    /// How many sats come before the one that must arrive; runes stand on none.
    #[must_use]
    pub const fn offset(&self) -> Option<Amount> {
        match self {
            Self::Inscription { offset } | Self::Note { offset } => Some(*offset),
            Self::Runes { .. } => None,
        }
    }
}
