//! Errors of transfer orders.

use bitcoin::FeeRate;
use engine::Refusal;
use engine::asset_index::AssetError;
use engine::chain::{ChainError, TxRejection};
use escrow::contract::assets::brc20_transfer::Brc20TransferError;
use escrow::contract::inscribe_transfer::{InscribeTransferError, RevealSigningError};
use escrow::contract::signing::finished::FinishError;
use escrow::contract::signing::returned_psbt_error::ReturnedPsbtError;
use escrow::contract::signing::spent_output::SpentOutputError;
use escrow::contract::transaction::coin_selection::SelectionError;
use thiserror::Error;

use super::record::RecordError;
use crate::lookups::lookup::LookupError;

/// The reason why an order is not prepared, or not committed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TransferOrderError {
    /// The fee rate is out of bounds.
    #[error("a fee rate of {found} is not between {min} and {max}")]
    FeeRate {
        /// The requested fee rate.
        found: FeeRate,
        /// The lowest fee rate.
        min: FeeRate,
        /// The highest fee rate.
        max: FeeRate,
    },
    /// The transfer inscription is invalid.
    #[error(transparent)]
    Note(#[from] Brc20TransferError),
    /// The balance does not cover the transfer inscription and the pending ones.
    #[error(
        "{available} raw units are available, {promised} of them are reserved for other orders, {wanted} are needed"
    )]
    Balance {
        /// The available balance, by the indexer.
        available: u128,
        /// The part of it that other open orders take.
        promised: u128,
        /// The amount of the transfer inscription.
        wanted: u128,
    },
    /// The payment address cannot pay for it.
    #[error(transparent)]
    Funds(#[from] SelectionError),
    /// The chain or an indexer does not answer, or its answer forbids signing.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// The transactions cannot be built.
    #[error(transparent)]
    Build(#[from] InscribeTransferError),
    /// The reveal could not be signed.
    #[error(transparent)]
    Reveal(#[from] RevealSigningError),
    /// The journal's record is not as it was written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The signed PSBT from the wallet is invalid.
    #[error(transparent)]
    Returned(#[from] ReturnedPsbtError),
    /// A coin was spent, or is not as recorded.
    #[error(transparent)]
    Spent(SpentOutputError),
    /// The signatures do not complete the transaction that was prepared.
    #[error(transparent)]
    Finish(#[from] FinishError),
    /// The node refuses the transactions.
    #[error(transparent)]
    NodeRefused(#[from] TxRejection),
    /// The market refuses.
    #[error(transparent)]
    Market(#[from] Refusal),
}

impl From<ChainError> for TransferOrderError {
    fn from(error: ChainError) -> Self {
        match error {
            ChainError::Rejected(refusal) => Self::NodeRefused(refusal),
            other => Self::Lookup(other.into()),
        }
    }
}

impl From<AssetError> for TransferOrderError {
    fn from(error: AssetError) -> Self {
        Self::Lookup(error.into())
    }
}
