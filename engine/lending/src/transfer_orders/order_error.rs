//! Why no note is inscribed.

use bitcoin::FeeRate;
use engine::Refusal;
use engine::asset_index::AssetError;
use engine::chain::{ChainError, NodeRefusal};
use escrow::contract::brc20_transfer::Brc20TransferError;
use escrow::contract::coin_choice::ChoiceError;
use escrow::contract::finished::FinishError;
use escrow::contract::note_order::{NoteOrderError, RevealSigningError};
use escrow::contract::returned_error::ReturnedError;
use escrow::contract::spent_output::SpentOutputError;
use thiserror::Error;

use super::record::RecordError;
use crate::lookup::LookupError;

/// Why an order is not prepared, or not committed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OrderError {
    /// Nodes would not send it on, or somebody would regret it.
    #[error("a fee rate of {found} is not between {min} and {max}")]
    FeeRate {
        /// What was asked for.
        found: FeeRate,
        /// The least.
        min: FeeRate,
        /// The most.
        max: FeeRate,
    },
    /// There is no such note.
    #[error(transparent)]
    Note(#[from] Brc20TransferError),
    /// The balance does not cover the note and those that are on their way.
    #[error(
        "{available} raw units are available, {promised} of them are promised to other orders, {wanted} are wanted"
    )]
    Balance {
        /// What the indexer says.
        available: u128,
        /// What other open orders will take.
        promised: u128,
        /// What the note moves.
        wanted: u128,
    },
    /// The payment address cannot pay for it.
    #[error(transparent)]
    Funds(#[from] ChoiceError),
    /// Chain or indexers do not answer, or what they say forbids to sign.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// There are no such transactions.
    #[error(transparent)]
    Build(#[from] NoteOrderError),
    /// The reveal could not be signed.
    #[error(transparent)]
    Reveal(#[from] RevealSigningError),
    /// The journal holds something else than was written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// What the wallet gave back is not good.
    #[error(transparent)]
    Returned(#[from] ReturnedError),
    /// A coin was spent, or is not what it was.
    #[error(transparent)]
    Spent(SpentOutputError),
    /// The signatures do not make the transaction that was handed out.
    #[error(transparent)]
    Finish(#[from] FinishError),
    /// The node does not take both transactions.
    #[error(transparent)]
    NotTaken(#[from] NodeRefusal),
    /// The market refuses.
    #[error(transparent)]
    Market(#[from] Refusal),
}

impl From<ChainError> for OrderError {
    fn from(error: ChainError) -> Self {
        match error {
            ChainError::Refused(refusal) => Self::NotTaken(refusal),
            other => Self::Lookup(other.into()),
        }
    }
}

impl From<AssetError> for OrderError {
    fn from(error: AssetError) -> Self {
        Self::Lookup(error.into())
    }
}
