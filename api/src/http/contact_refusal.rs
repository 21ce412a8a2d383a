//! The codes of what contacts and the outbox refuse.

use domain::{ContactRejection, OutboxRejection};
use serde_json::json;

use super::api_error::ApiError;
use super::error_code::ErrorCode;

impl From<ContactRejection> for ApiError {
    fn from(rejection: ContactRejection) -> Self {
        match rejection {
            ContactRejection::TooManyEmails { again_at } => {
                Self::plain(ErrorCode::EmailLimit).with_values(json!({"againAt": again_at.0}))
            }
            ContactRejection::OtherEmail => Self::plain(ErrorCode::LinkInvalid),
            ContactRejection::VerificationExpired => Self::plain(ErrorCode::LinkExpired),
            ContactRejection::AlreadyVerified => Self::plain(ErrorCode::LinkUsed),
            // Chats are linked by the bot alone.
            ContactRejection::ChatFull { .. } => Self::new(ErrorCode::Internal, rejection),
        }
    }
}

impl From<OutboxRejection> for ApiError {
    fn from(rejection: OutboxRejection) -> Self {
        match rejection {
            OutboxRejection::Full { .. } => Self::new(ErrorCode::Overloaded, rejection),
            OutboxRejection::TooMany { .. } => Self::new(ErrorCode::EmailLimit, rejection),
            // This server alone hands messages over, so these are defects of its own.
            OutboxRejection::Unknown(_) | OutboxRejection::NotDue(_) | OutboxRejection::NotHanded(_) => {
                Self::new(ErrorCode::Internal, rejection)
            }
        }
    }
}
