//! The error codes of node and indexers, and of insufficient coins.

use engine::asset_index::AssetError;
use engine::chain::{ChainError, TxRejection};
use escrow::contract::signing::spent_output::SpentOutputError;
use escrow::contract::transaction::coin_selection::SelectionError;
use lending::lookups::lookup::LookupError;
use serde_json::json;

use super::api_error::ApiError;
use super::error_code::ErrorCode;

impl From<LookupError> for ApiError {
    fn from(error: LookupError) -> Self {
        match error {
            // Only transactions built by this server spend that many coins.
            LookupError::TooManyInputs { .. } => Self::new(ErrorCode::Internal, error),
            LookupError::Chain(error) => error.into(),
            LookupError::Assets(error) => error.into(),
            LookupError::Lagging { wanted, found } => {
                Self::new(ErrorCode::IndexerLagging, error).with_values(json!({"wanted": wanted, "found": found}))
            }
            LookupError::Spent(error) => error.into(),
        }
    }
}

impl From<ChainError> for ApiError {
    fn from(error: ChainError) -> Self {
        match error {
            ChainError::Rejected(refusal) => refusal.into(),
            ChainError::Unreachable(_) | ChainError::InvalidResponse(_) => {
                // The address of the node and the cause of the failure are for the operator only.
                tracing::warn!(%error, "the node gives no answer");
                Self::plain(ErrorCode::NodeUnavailable)
            }
        }
    }
}

impl From<TxRejection> for ApiError {
    fn from(refusal: TxRejection) -> Self {
        let values = json!({"transactionId": refusal.txid.to_string(), "reason": refusal.reason});
        Self::new(ErrorCode::TransactionNotTaken, refusal).with_values(values)
    }
}

impl From<AssetError> for ApiError {
    fn from(error: AssetError) -> Self {
        tracing::warn!(%error, "an indexer gives no answer");
        Self::plain(ErrorCode::IndexerUnavailable)
    }
}

impl From<SpentOutputError> for ApiError {
    fn from(error: SpentOutputError) -> Self {
        Self::new(ErrorCode::CoinChanged, error)
    }
}

impl From<SelectionError> for ApiError {
    fn from(error: SelectionError) -> Self {
        match error {
            SelectionError::InsufficientFunds { wanted, found, .. } => {
                let values = json!({"wantedSats": wanted.to_sat(), "availableSats": found.to_sat()});
                Self::new(ErrorCode::InsufficientFunds, error).with_values(values)
            }
            SelectionError::TooManyCoins { .. } => Self::new(ErrorCode::FundsScattered, error),
            // This server lists the coins, each of them once.
            SelectionError::DuplicateCoin(_) | SelectionError::Overflow => Self::new(ErrorCode::Internal, error),
        }
    }
}
