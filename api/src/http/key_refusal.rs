//! The error codes of API keys.

use domain::ApiKeyRejection;
use serde_json::{Value, json};

use super::api_error::ApiError;
use super::error_code::ErrorCode;

impl From<ApiKeyRejection> for ApiError {
    fn from(rejection: ApiKeyRejection) -> Self {
        let (code, values): (ErrorCode, Value) = match &rejection {
            ApiKeyRejection::Unknown(id) => (ErrorCode::UnknownApiKey, json!({"keyId": id.to_string()})),
            ApiKeyRejection::TooMany { max } => (ErrorCode::TooManyApiKeys, json!({"max": max})),
            ApiKeyRejection::TermsOutOfBounds { field } => (ErrorCode::InvalidField, json!({"field": field})),
            ApiKeyRejection::Revoked { at } => (ErrorCode::ApiKeyRevoked, json!({"revokedAt": at})),
            ApiKeyRejection::Expired { at } => (ErrorCode::ApiKeyExpired, json!({"validUntil": at})),
            ApiKeyRejection::AddressNotAllowed { address } => (ErrorCode::ApiKeyAddress, json!({"address": address})),
            ApiKeyRejection::ScopeMissing { scope } => (ErrorCode::ApiKeyScope, json!({"scope": scope.to_string()})),
            ApiKeyRejection::CollectionNotAllowed { group } => {
                (ErrorCode::ApiKeyCollection, json!({"collectionId": group.to_string()}))
            }
            ApiKeyRejection::PrincipalAboveLimit { principal, max } => {
                (ErrorCode::ApiKeyPrincipal, json!({"principalSats": principal.get(), "maxSats": max.get()}))
            }
            ApiKeyRejection::OutstandingAboveLimit { sum, max } => {
                (ErrorCode::ApiKeyOutstanding, json!({"sumSats": sum.get(), "maxSats": max.get()}))
            }
            ApiKeyRejection::DailyAboveLimit { sum, max } => {
                (ErrorCode::ApiKeyDaily, json!({"sumSats": sum.get(), "maxSats": max.get()}))
            }
        };
        Self::new(code, rejection).with_values(values)
    }
}
