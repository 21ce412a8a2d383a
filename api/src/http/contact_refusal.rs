//! The error codes of contacts by e-mail, Telegram, webhooks and Web Push, and of the outbox.

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
            ContactRejection::TooManyWebhooks { max } => {
                Self::plain(ErrorCode::TooManyWebhooks).with_values(json!({"max": max}))
            }
            ContactRejection::UnknownWebhook(id) => {
                Self::plain(ErrorCode::UnknownWebhook).with_values(json!({"webhookId": id.to_string()}))
            }
            ContactRejection::WebhookPaused(id) => {
                Self::plain(ErrorCode::WebhookPaused).with_values(json!({"webhookId": id.to_string()}))
            }
            ContactRejection::TooManyPushes { max } => {
                Self::plain(ErrorCode::TooManyBrowsers).with_values(json!({"max": max}))
            }
            ContactRejection::UnknownPush(id) => {
                Self::plain(ErrorCode::UnknownBrowser).with_values(json!({"pushId": id.to_string()}))
            }
            // Only the bot links chats.
            ContactRejection::ChatFull { .. } => Self::new(ErrorCode::Internal, rejection),
        }
    }
}

impl From<OutboxRejection> for ApiError {
    fn from(rejection: OutboxRejection) -> Self {
        match rejection {
            OutboxRejection::Full { .. } => Self::new(ErrorCode::Overloaded, rejection),
            OutboxRejection::TooMany { .. } => Self::new(ErrorCode::EmailLimit, rejection),
            OutboxRejection::WebhookFull { .. } => Self::new(ErrorCode::RateLimited, rejection),
            OutboxRejection::UnknownEvent => Self::plain(ErrorCode::UnknownEvent),
            // Only this server hands messages over, so these are bugs of its own.
            OutboxRejection::Unknown(_) | OutboxRejection::NotDue(_) | OutboxRejection::NotInFlight(_) => {
                Self::new(ErrorCode::Internal, rejection)
            }
        }
    }
}
