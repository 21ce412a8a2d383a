//! The error codes of the vault signer's refusals.

use lending::instant_offers::opening::OpenVaultError;
use lending::instant_offers::service::InstantOfferError;
use serde_json::json;
use signer::refusal::Refusal;
use signer::vault_signer::SignerError;

use super::api_error::ApiError;
use super::error_code::ErrorCode;

impl From<SignerError> for ApiError {
    fn from(error: SignerError) -> Self {
        match error {
            SignerError::Refused(refusal) => refusal.into(),
            SignerError::Unreachable { .. } | SignerError::Unanswered { .. } | SignerError::Nonsense => {
                // The address of the signer and the cause of the failure are for the operator only.
                tracing::warn!(%error, "the vaults' signer gives no answer");
                Self::plain(ErrorCode::SignerUnavailable)
            }
        }
    }
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        if let Refusal::Delegation(refusal) = &refusal {
            return refusal.into();
        }
        Self::new(code_of(&refusal), refusal)
    }
}

fn code_of(refusal: &Refusal) -> ErrorCode {
    match refusal {
        Refusal::MessageUnreadable { .. } => ErrorCode::MessageMalformed,
        Refusal::WrongDomain { .. } => ErrorCode::MessageWrongDomain,
        Refusal::WrongNetwork { .. } => ErrorCode::MessageWrongNetwork,
        Refusal::NotFresh { .. } => ErrorCode::MessageExpired,
        Refusal::BadSignature { .. } => ErrorCode::SignatureInvalid,
        Refusal::ForeignAddress { .. } => ErrorCode::MessageWrongAddress,
        Refusal::WrongAction { .. } => ErrorCode::MessageWrongAction,
        Refusal::NonceUsed { .. } => ErrorCode::NonceUsed,
        Refusal::OtherPolicy { .. }
        | Refusal::OtherLender { .. }
        | Refusal::VaultMoved { .. }
        | Refusal::OtherVaultAddress { .. } => ErrorCode::NotYourVault,
        Refusal::NoVault { .. } => ErrorCode::VaultNotFound,
        Refusal::UnknownSlug { .. } => ErrorCode::UnknownCollection,
        Refusal::UnknownTerm { .. } => ErrorCode::UnknownTermChange,
        Refusal::DuplicateOffer { .. } => ErrorCode::DuplicateId,
        Refusal::NoOffer | Refusal::CancelledBefore { .. } => ErrorCode::OfferNotAdmitted,
        Refusal::OfferPaused { .. } => ErrorCode::OfferPaused,
        Refusal::OfferExpired { .. } => ErrorCode::OfferExpired,
        Refusal::OtherBorrower { .. } => ErrorCode::OfferForOtherBorrower,
        Refusal::OfferUsedUp { .. } => ErrorCode::OfferUsed,
        Refusal::ImpossiblePeg => ErrorCode::PegRefused,
        Refusal::Busy | Refusal::LogFailed | Refusal::NoRepayKey | Refusal::Deposed { .. } => {
            ErrorCode::SignerUnavailable
        }
        _ => ErrorCode::SignerRefused,
    }
}

impl From<InstantOfferError> for ApiError {
    fn from(error: InstantOfferError) -> Self {
        match error {
            InstantOfferError::Market(refusal) => refusal.into(),
            InstantOfferError::Signer(error) => error.into(),
            InstantOfferError::NotAdmitted(offer) => {
                Self::plain(ErrorCode::OfferNotAdmitted).with_values(json!({"offerId": offer.to_string()}))
            }
            InstantOfferError::SignatureNeeded(offer) => {
                Self::new(ErrorCode::SignatureNeeded, error).with_values(json!({"offerId": offer.to_string()}))
            }
        }
    }
}

impl From<OpenVaultError> for ApiError {
    fn from(error: OpenVaultError) -> Self {
        match error {
            OpenVaultError::Market(refusal) => refusal.into(),
            OpenVaultError::Signer(error) => error.into(),
            OpenVaultError::InvalidTerms(_) => Self::new(ErrorCode::SignerRefused, error),
            // The signer of another program, or a bug.
            OpenVaultError::OtherScript => Self::new(ErrorCode::Internal, error),
        }
    }
}
