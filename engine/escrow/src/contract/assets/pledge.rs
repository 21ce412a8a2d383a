//! The assets that an output holds besides its sats.

use bitcoin::Amount;
use ordinals::RuneId;

/// The most inscriptions that one loan is secured by.
pub const INSCRIPTIONS_MAX: usize = 20;

/// A range of sats that carries one inscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InscribedRange {
    /// The number of sats.
    pub value: Amount,
    /// The number of them that precede the inscribed one.
    pub offset: Amount,
}

/// The collateral of a loan as its escrow holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pledge {
    /// An inscription, which moves with its sat.
    Inscription {
        /// The number of the output's sats that precede it.
        offset: Amount,
    },
    /// Two to [`INSCRIPTIONS_MAX`] inscriptions, which move with their sats: the ranges of the output, in their order.
    Inscriptions(Vec<InscribedRange>),
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
    /// The ranges of an output of this value that return as outputs of their own. Runes are on no particular sat: the
    /// whole output is theirs.
    #[must_use]
    pub fn ranges(&self, value: Amount) -> Vec<InscribedRange> {
        match self {
            Self::Inscriptions(ranges) => ranges.clone(),
            Self::Inscription { offset } | Self::TransferInscription { offset } => {
                vec![InscribedRange { value, offset: *offset }]
            }
            Self::Runes { .. } => vec![InscribedRange { value, offset: Amount::ZERO }],
        }
    }

    /// The number of outputs in which it returns.
    #[must_use]
    pub fn range_count(&self) -> usize {
        if let Self::Inscriptions(ranges) = self { ranges.len() } else { 1 }
    }

    /// The places of its inscriptions in an output: the number of sats that precede each.
    #[must_use]
    pub fn offsets(&self) -> Vec<Amount> {
        match self {
            Self::Inscription { offset } | Self::TransferInscription { offset } => vec![*offset],
            Self::Inscriptions(ranges) => {
                let places = ranges.iter().scan(Amount::ZERO, |start, range| {
                    let place = start.checked_add(range.offset);
                    *start = start.checked_add(range.value)?;
                    place
                });
                places.collect()
            }
            Self::Runes { .. } => Vec::new(),
        }
    }
}
