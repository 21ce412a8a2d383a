//! The four error codes of the bot check.

use providers::TurnstileError;
use serde_json::json;

use super::ACTION;
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;

/// Returns the refusal of a creation that needs a token.
pub(super) fn required(site_key: &str) -> ApiError {
    asking("TURNSTILE_REQUIRED", ErrorCode::TurnstileRequired, site_key)
}

/// Returns the refusal after too many refused tokens.
pub(super) fn rate_limited() -> ApiError {
    let values = json!({"turnstile": "TURNSTILE_RATE_LIMITED"});
    ApiError::plain(ErrorCode::TurnstileRateLimited).with_values(values)
}

/// Returns the refusal for the provider's error.
pub(super) fn of(error: &TurnstileError, site_key: &str) -> ApiError {
    if error.is_about_visitor() {
        return asking("TURNSTILE_BOT_DETECTION", ErrorCode::TurnstileBotDetection, site_key);
    }
    // Only the operator can solve this, so the cause is logged and not sent.
    tracing::warn!(%error, "the bot check does not work, so creations that need it are refused");
    asking("TURNSTILE_VALIDATION_FAILED", ErrorCode::TurnstileValidationFailed, site_key)
}

/// Returns a refusal that asks for a new token of this site key.
fn asking(name: &str, code: ErrorCode, site_key: &str) -> ApiError {
    let values = json!({"turnstile": name, "siteKey": site_key, "action": ACTION});
    ApiError::plain(code).with_values(values)
}
