//! The error codes of orders of transfer inscriptions.

use lending::brc20::transfer_orders::TransferOrderError;
use serde_json::json;

use super::api_error::ApiError;
use super::error_code::ErrorCode;
use super::{fee_rate, token_amount};

impl From<TransferOrderError> for ApiError {
    fn from(error: TransferOrderError) -> Self {
        match error {
            TransferOrderError::FeeRate { min, max, .. } => fee_rate::out_of_range(min, max),
            TransferOrderError::Note(error) => Self::new(ErrorCode::InvalidField, error),
            TransferOrderError::Balance { available, promised: reserved, wanted } => {
                let [available, reserved, wanted] = [available, reserved, wanted].map(token_amount::shown);
                let detail = format!("{available} are available, {reserved} of them on their way into other notes");
                let values = json!({"available": available, "promised": reserved, "wanted": wanted});
                Self::new(ErrorCode::InsufficientTokens, detail).with_values(values)
            }
            TransferOrderError::Funds(error) => error.into(),
            TransferOrderError::Lookup(error) => error.into(),
            TransferOrderError::Returned(error) => error.into(),
            TransferOrderError::Spent(error) => error.into(),
            TransferOrderError::NodeRefused(refusal) => refusal.into(),
            TransferOrderError::Market(refusal) => refusal.into(),
            // Only this server builds, signs and records these, so they are bugs of its own.
            TransferOrderError::Build(_)
            | TransferOrderError::Reveal(_)
            | TransferOrderError::Record(_)
            | TransferOrderError::Finish(_) => Self::new(ErrorCode::Internal, error),
        }
    }
}
