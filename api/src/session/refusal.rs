//! The error codes of addresses, public keys, messages, signatures and tokens.

use escrow::address::AddressError;
use escrow::message_error::MessageError;
use escrow::message_times::TimesError;
use escrow::public_key::PublicKeyError;
use escrow::signature_error::SignatureError;
use serde_json::json;

use super::token::TokenError;
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;

impl From<AddressError> for ApiError {
    fn from(error: AddressError) -> Self {
        let code = match &error {
            AddressError::TooLong { .. } | AddressError::Malformed { .. } | AddressError::NoSuchKey => {
                ErrorCode::AddressMalformed
            }
            AddressError::WrongNetwork { .. } => ErrorCode::AddressWrongNetwork,
            AddressError::UnsupportedType { .. } => ErrorCode::AddressUnsupported,
        };
        Self::new(code, error)
    }
}

impl From<PublicKeyError> for ApiError {
    fn from(error: PublicKeyError) -> Self {
        let code = match &error {
            PublicKeyError::Malformed => ErrorCode::PublicKeyMalformed,
            PublicKeyError::Mismatch { .. } => ErrorCode::PublicKeyMismatch,
        };
        Self::new(code, error)
    }
}

impl From<MessageError> for ApiError {
    fn from(error: MessageError) -> Self {
        let code = match &error {
            MessageError::TooLong { .. }
            | MessageError::EmptyValue { .. }
            | MessageError::ValueTooLong { .. }
            | MessageError::ForbiddenCharacter { .. }
            | MessageError::UnknownAction
            | MessageError::MissingField { .. }
            | MessageError::ImpossibleValue { .. }
            | MessageError::TrailingLine { .. }
            | MessageError::NotCanonical
            | MessageError::NotDelegable
            | MessageError::NoOffers
            | MessageError::TooManyOffers { .. }
            | MessageError::DuplicateOffer { .. }
            | MessageError::ListLength { .. }
            | MessageError::Duplicate { .. }
            | MessageError::OutOfBounds { .. }
            | MessageError::NotANetwork { .. } => ErrorCode::MessageMalformed,
            MessageError::SignerNotListed { .. } => ErrorCode::MessageWrongAddress,
        };
        Self::new(code, error)
    }
}

impl From<TimesError> for ApiError {
    fn from(error: TimesError) -> Self {
        match error {
            TimesError::ExpiresBeforeIssued { .. }
            | TimesError::LifetimeTooLong { .. }
            | TimesError::IssuedInFuture { .. } => Self::new(ErrorCode::MessageTimes, error),
            TimesError::Expired { expires_s, now_s } => {
                Self::new(ErrorCode::MessageExpired, error).with_values(json!({"expires": expires_s, "now": now_s}))
            }
        }
    }
}

impl From<SignatureError> for ApiError {
    fn from(error: SignatureError) -> Self {
        let code = match &error {
            SignatureError::MessageTooLong { .. } => ErrorCode::MessageMalformed,
            SignatureError::Empty
            | SignatureError::TooLong { .. }
            | SignatureError::NotBase64
            | SignatureError::FullFormat
            | SignatureError::ProofOfFunds
            | SignatureError::UnknownFormat
            | SignatureError::WitnessItems { .. }
            | SignatureError::MalformedSignature
            | SignatureError::MalformedPublicKey
            | SignatureError::SighashType { .. }
            | SignatureError::HighS
            | SignatureError::TaprootNeedsBip322
            | SignatureError::TimeLocked { .. } => ErrorCode::SignatureMalformed,
            SignatureError::WrongKey { .. } => ErrorCode::SignatureWrongKey,
            SignatureError::Invalid | SignatureError::Inconclusive => ErrorCode::SignatureInvalid,
        };
        Self::new(code, error)
    }
}

impl From<TokenError> for ApiError {
    fn from(error: TokenError) -> Self {
        match error {
            TokenError::Expired => Self::plain(ErrorCode::SessionExpired),
            TokenError::Invalid => Self::plain(ErrorCode::SessionInvalid),
        }
    }
}
