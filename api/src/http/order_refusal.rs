//! The error codes of orders of transfer inscriptions.

use lending::brc20::transfer_orders::OrderError;
use serde_json::json;

use super::api_error::ApiError;
use super::error_code::ErrorCode;
use super::{fee_rate, token_amount};

impl From<OrderError> for ApiError {
    fn from(error: OrderError) -> Self {
        match error {
            OrderError::FeeRate { min, max, .. } => fee_rate::out_of_range(min, max),
            OrderError::Note(error) => Self::new(ErrorCode::InvalidField, error),
            OrderError::Balance { available, promised, wanted } => {
                let [available, promised, wanted] = [available, promised, wanted].map(token_amount::shown);
                let detail = format!("{available} are available, {promised} of them on their way into other notes");
                let values = json!({"available": available, "promised": promised, "wanted": wanted});
                Self::new(ErrorCode::InsufficientTokens, detail).with_values(values)
            }
            OrderError::Funds(error) => error.into(),
            OrderError::Lookup(error) => error.into(),
            OrderError::Returned(error) => error.into(),
            OrderError::Spent(error) => error.into(),
            OrderError::NodeRefused(refusal) => refusal.into(),
            OrderError::Market(refusal) => refusal.into(),
            // Only this server builds, signs and records these, so they are bugs of its own.
            OrderError::Build(_) | OrderError::Reveal(_) | OrderError::Record(_) | OrderError::Finish(_) => {
                Self::new(ErrorCode::Internal, error)
            }
        }
    }
}
