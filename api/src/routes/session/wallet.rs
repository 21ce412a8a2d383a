//! The check that addresses and keys repeated in a request are those of the session.

use domain::WalletAddresses;
use serde_json::json;

use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;

/// Refuses addresses and keys that are not the session's; each is given with its name in the request: payment address,
/// payment key, ordinals address, ordinals key.
///
/// # Errors
/// [`ErrorCode::InvalidField`], which names the field.
pub fn check(own: &WalletAddresses, given: [(&str, &str); 4]) -> Result<(), ApiError> {
    let known = [&own.payment_address, &own.payment_pubkey, &own.ordinal_address, &own.ordinal_pubkey];
    for ((field, given), known) in given.into_iter().zip(known) {
        if !given.eq_ignore_ascii_case(known) {
            let detail = format!("{field} is not the one you signed in with");
            return Err(ApiError::new(ErrorCode::InvalidField, detail).with_values(json!({"field": field})));
        }
    }
    Ok(())
}
