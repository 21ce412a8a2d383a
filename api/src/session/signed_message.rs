//! Checking that a person signed exactly what a request says.

use bitcoin::Network;
use domain::{Nonce, UnixMs};
use escrow::action::Action;
use escrow::action_message::ActionMessage;
use escrow::address::WalletAddress;
use escrow::message_signature;
use serde_json::json;

use super::nonce_mint::{self, IssuedNonce, NonceMint, Purpose};
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;

/// What every message must be signed for.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// The domain that people see in the browser.
    pub domain: &'a str,
    /// The Bitcoin network.
    pub network: Network,
    /// Who gave the nonces out.
    pub nonces: &'a NonceMint,
}

/// A text, the signature and who is said to have signed it.
#[derive(Clone, Copy)]
pub struct Claim<'a> {
    /// The text.
    pub message: &'a str,
    /// The signature, as the wallet gave it.
    pub signature: &'a str,
    /// The signer.
    pub address: &'a WalletAddress,
    /// What the nonce must have been given out for.
    pub purpose: Purpose,
}

/// A message whose signer, place and time are right. Its nonce is still to be burned, and what it says to be compared.
#[derive(Clone, Debug)]
pub struct SignedMessage {
    action: Action,
    /// To be burned in the batch that does what the message says.
    pub nonce: Nonce,
    /// From when on the nonce need not be remembered.
    pub expires_at: UnixMs,
    /// When it was issued, in unix seconds: the `signature_timestamp` of a request.
    pub issued_s: u64,
}

impl SignedMessage {
    /// Checks everything about a signed text that does not depend on its action.
    ///
    /// # Errors
    /// One code for each rung of the ladder.
    pub fn check(place: Place<'_>, claim: Claim<'_>, now_s: u64) -> Result<Self, ApiError> {
        let message = ActionMessage::parse(claim.message)?;
        let envelope = message.envelope();
        if envelope.domain != place.domain {
            let detail = format!("the message is for {}, this is {}", envelope.domain, place.domain);
            return Err(ApiError::new(ErrorCode::MessageWrongDomain, detail));
        }
        if envelope.network != place.network {
            let detail = format!("the message is for {}, this is {}", envelope.network, place.network);
            return Err(ApiError::new(ErrorCode::MessageWrongNetwork, detail));
        }
        let signer = claim.address.to_string();
        if envelope.address != signer {
            let detail = format!("the message is to be signed by {}, not by {signer}", envelope.address);
            return Err(ApiError::new(ErrorCode::MessageWrongAddress, detail));
        }
        envelope.check_times(now_s)?;
        let unknown = || ApiError::plain(ErrorCode::NonceUnknown);
        let nonce = nonce_mint::parse(&envelope.nonce).ok_or_else(unknown)?;
        let issued = IssuedNonce { nonce, issued_s: envelope.issued_s, expires_s: envelope.expires_s };
        if !place.nonces.recognises(claim.purpose, &signer, issued) {
            return Err(unknown());
        }
        message_signature::verify(claim.address, claim.message, claim.signature)?;
        let expires_at = UnixMs(envelope.expires_s.saturating_mul(1_000));
        Ok(Self { action: message.action().clone(), nonce, expires_at, issued_s: envelope.issued_s })
    }

    /// What the message says.
    #[must_use]
    pub fn action(&self) -> &Action {
        &self.action
    }

    /// Refuses the message because it is for another action than `wanted`.
    #[must_use]
    pub fn wrong_action(wanted: &str) -> ApiError {
        ApiError::new(ErrorCode::MessageWrongAction, format!("the signed message does not say \"{wanted}\""))
    }
}

/// Compares one field of a request with what was signed.
///
/// # Errors
/// [`ErrorCode::MessageFieldMismatch`], which names the field.
pub fn same<T: PartialEq + ToString>(field: &str, requested: &T, signed: &T) -> Result<(), ApiError> {
    if requested == signed {
        return Ok(());
    }
    let (requested, signed) = (requested.to_string(), signed.to_string());
    let detail = format!("{field} is {requested} in the request and {signed} in the signed message");
    let values = json!({"field": field, "request": requested, "message": signed});
    Err(ApiError::new(ErrorCode::MessageFieldMismatch, detail).with_values(values))
}
