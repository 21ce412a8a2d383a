//! The envelope of signed batches of actions on instant offers.

use crate::app::App;
use crate::extract::signed_in::SignedIn;
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;
use crate::session::nonce_issuer;
use crate::session::signed_message::{SignedMessage, check_equal};

use super::signed_terms;

/// The fields of the envelope.
#[derive(Clone, Copy)]
pub struct SignedBatch<'a> {
    /// The payment address of the session.
    pub user_address: &'a str,
    /// The public key of the payment address.
    pub public_key: &'a str,
    /// The signature of `message`.
    pub signature: &'a str,
    /// `Issued` of the message, in unix seconds.
    pub signature_timestamp: u64,
    /// `Nonce` of the message.
    pub nonce: &'a str,
    /// The id of the vault signer.
    pub canister_id: &'a str,
    /// The complete signed text.
    pub message: &'a str,
}

impl SignedBatch<'_> {
    /// Checks the envelope against the session, the message and this server.
    ///
    /// # Errors
    /// The codes of messages and signatures; [`ErrorCode::MessageWrongAddress`] for another user's address,
    /// [`ErrorCode::PublicKeyMismatch`], [`ErrorCode::NotYourVault`] for another vault signer.
    pub async fn check(&self, app: &App, lender: &SignedIn) -> Result<SignedMessage, ApiError> {
        if !self.user_address.eq_ignore_ascii_case(&lender.addresses.payment_address) {
            return Err(ApiError::new(ErrorCode::MessageWrongAddress, "userAddress is not the one you signed in with"));
        }
        if !self.public_key.eq_ignore_ascii_case(&lender.addresses.payment_pubkey) {
            return Err(ApiError::new(ErrorCode::PublicKeyMismatch, "publicKey is not the one you signed in with"));
        }
        if self.canister_id != app.vault_signer_id(lender.user()).await? {
            return Err(ApiError::new(ErrorCode::NotYourVault, "canisterId is not the signer of your vault"));
        }
        let signed =
            signed_terms::check_unused_message(app, lender, self.message, self.signature, self.signature_timestamp)
                .await?;
        check_equal("nonce", &self.nonce.to_owned(), &nonce_issuer::to_text(signed.nonce))?;
        Ok(signed)
    }
}
