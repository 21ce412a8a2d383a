//! The four codes of the bot check (SPEC section 4), and what people are told with them.

use providers::TurnstileError;
use serde_json::json;

use super::ACTION;
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;

/// Too many creations without a token.
pub(super) fn required(site_key: &str) -> ApiError {
    asking("TURNSTILE_REQUIRED", ErrorCode::TurnstileRequired, site_key)
}

/// Too many tokens that were refused.
pub(super) fn rate_limited() -> ApiError {
    let values = json!({"turnstile": "TURNSTILE_RATE_LIMITED"});
    ApiError::plain(ErrorCode::TurnstileRateLimited).with_values(values)
}

/// What the provider said of a token.
pub(super) fn of(error: &TurnstileError, site_key: &str) -> ApiError {
    if error.is_about_visitor() {
        return asking("TURNSTILE_BOT_DETECTION", ErrorCode::TurnstileBotDetection, site_key);
    }
    // People cannot repair this, operators can: only they are told what it is.
    tracing::warn!(%error, "the bot check does not work, so creations that need it are refused");
    asking("TURNSTILE_VALIDATION_FAILED", ErrorCode::TurnstileValidationFailed, site_key)
}

/// A refusal that a fresh token of this site key answers.
fn asking(name: &str, code: ErrorCode, site_key: &str) -> ApiError {
    let values = json!({"turnstile": name, "siteKey": site_key, "action": ACTION});
    ApiError::plain(code).with_values(values)
}
