//! Checks that the caller signed exactly what a request contains.

use bitcoin::Network;
use domain::{Nonce, UnixMs};
use escrow::action::Action;
use escrow::action_message::ActionMessage;
use escrow::address::WalletAddress;
use escrow::message_signature;
use serde_json::json;

use super::nonce_issuer::{self, IssuedNonce, NonceIssuer, Purpose};
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;

/// The context that every message must be signed for.
#[derive(Clone, Copy)]
pub struct SigningContext<'a> {
    /// The domain that browsers show.
    pub domain: &'a str,
    /// The Bitcoin network.
    pub network: Network,
    /// The issuer of the nonces.
    pub nonces: &'a NonceIssuer,
}

/// A text, its signature and the claimed signer.
#[derive(Clone, Copy)]
pub struct PresentedMessage<'a> {
    /// The text.
    pub message: &'a str,
    /// The signature, as returned by the wallet.
    pub signature: &'a str,
    /// The signer.
    pub address: &'a WalletAddress,
    /// The purpose that the nonce must have been issued for.
    pub purpose: Purpose,
}

/// A message whose signer, domain, network and time are correct. Its nonce still has to be consumed, and its fields
/// have to be compared with the request.
#[derive(Clone, Debug)]
pub struct SignedMessage {
    action: Action,
    /// The nonce, to be consumed in the batch that executes the message.
    pub nonce: Nonce,
    /// The time from which the nonce need not be remembered.
    pub expires_at: UnixMs,
    /// The time of issue, in unix seconds: the `signature_timestamp` of a request.
    pub issued_s: u64,
}

impl SignedMessage {
    /// Checks everything about a signed text that does not depend on its action.
    ///
    /// # Errors
    /// One code for each check.
    pub fn check(place: SigningContext<'_>, claim: PresentedMessage<'_>, now_s: u64) -> Result<Self, ApiError> {
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
        let nonce = nonce_issuer::parse(&envelope.nonce).ok_or_else(unknown)?;
        let issued = IssuedNonce { nonce, issued_s: envelope.issued_s, expires_s: envelope.expires_s };
        if !place.nonces.is_valid(claim.purpose, &signer, issued) {
            return Err(unknown());
        }
        message_signature::verify(claim.address, claim.message, claim.signature)?;
        let expires_at = UnixMs(envelope.expires_s.saturating_mul(1_000));
        Ok(Self { action: message.action().clone(), nonce, expires_at, issued_s: envelope.issued_s })
    }

    /// Returns the action that the message requests.
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

/// Compares one field of a request with the signed message.
///
/// # Errors
/// [`ErrorCode::MessageFieldMismatch`], which names the field.
pub fn check_equal<T: PartialEq + ToString + ?Sized>(field: &str, requested: &T, signed: &T) -> Result<(), ApiError> {
    if requested == signed {
        return Ok(());
    }
    let (requested, signed) = (requested.to_string(), signed.to_string());
    let detail = format!("{field} is {requested} in the request and {signed} in the signed message");
    let values = json!({"field": field, "request": requested, "message": signed});
    Err(ApiError::new(ErrorCode::MessageFieldMismatch, detail).with_values(values))
}
