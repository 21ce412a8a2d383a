//! The assets that an output holds besides its sats.

use bitcoin::Amount;
use ordinals::RuneId;

/// The collateral of a loan as its escrow holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pledge {
    /// An inscription, which moves with its sat.
    Inscription {
        /// The number of the output's sats that precede it.
        offset: Amount,
    },
    /// A BRC-20 transfer inscription, which its next move consumes, so it can only return to its owner.
    TransferInscription {
        /// The number of the output's sats that precede it.
        offset: Amount,
    },
    /// Runes, which move as directed by the transaction's runestone.
    Runes {
        /// The id of the rune.
        id: RuneId,
        /// The amount, in raw units.
        amount: u128,
    },
}

impl Pledge {
    /// The number of sats that precede the pledged sat; `None` for runes, which are on no particular sat.
    #[must_use]
    pub const fn offset(&self) -> Option<Amount> {
        match self {
            Self::Inscription { offset } | Self::TransferInscription { offset } => Some(*offset),
            Self::Runes { .. } => None,
        }
    }
}
