//! The error codes of delegations.

use domain::DelegationRejection;
use escrow::delegated_action::ProgramSignatureError;
use serde_json::{Value, json};
use signer::delegation_refusal::DelegationRefusal;

use super::api_error::ApiError;
use super::error_code::ErrorCode;

impl From<DelegationRejection> for ApiError {
    fn from(rejection: DelegationRejection) -> Self {
        let (code, values): (ErrorCode, Value) = match rejection {
            DelegationRejection::Unknown(id) => (ErrorCode::UnknownDelegation, json!({"delegationId": id.to_string()})),
            DelegationRejection::Duplicate(id) => (ErrorCode::DuplicateId, json!({"delegationId": id.to_string()})),
            DelegationRejection::TooMany { max } => (ErrorCode::TooManyDelegations, json!({"max": max})),
            DelegationRejection::Revoked { at } => (ErrorCode::DelegationEnded, json!({"revokedAt": at})),
            DelegationRejection::Expired { at } => (ErrorCode::DelegationEnded, json!({"validUntil": at})),
            DelegationRejection::NumberUsed { latest, found } => {
                (ErrorCode::DelegationNumber, json!({"latest": latest, "number": found}))
            }
        };
        Self::new(code, rejection).with_values(values)
    }
}

impl From<&DelegationRefusal> for ApiError {
    fn from(refusal: &DelegationRefusal) -> Self {
        let limit = |name: &str| (ErrorCode::DelegationLimit, json!({"limit": name}));
        let (code, values): (ErrorCode, Value) = match refusal {
            DelegationRefusal::Unknown { delegation } => {
                (ErrorCode::UnknownDelegation, json!({"delegationId": delegation}))
            }
            DelegationRefusal::Duplicate { delegation } => {
                (ErrorCode::DuplicateId, json!({"delegationId": delegation}))
            }
            DelegationRefusal::TooMany { max } => (ErrorCode::TooManyDelegations, json!({"max": max})),
            DelegationRefusal::Revoked { delegation } => {
                (ErrorCode::DelegationEnded, json!({"delegationId": delegation}))
            }
            DelegationRefusal::Expired { valid_until_s } => {
                (ErrorCode::DelegationEnded, json!({"validUntil": valid_until_s.saturating_mul(1_000)}))
            }
            DelegationRefusal::BadSignature { .. } => (ErrorCode::SignatureInvalid, json!({})),
            DelegationRefusal::NumberUsed { latest, found } => {
                (ErrorCode::DelegationNumber, json!({"latest": latest, "number": found}))
            }
            DelegationRefusal::ForeignOffer { offer_id } => {
                (ErrorCode::DelegationLimit, json!({"limit": "offer", "offerId": offer_id}))
            }
            DelegationRefusal::OtherVault { .. } => limit("vault"),
            DelegationRefusal::OtherCollection { .. } => limit("collection"),
            DelegationRefusal::Principal { max, found } => {
                (ErrorCode::DelegationLimit, json!({"limit": "principal", "maxSats": max, "principalSats": found}))
            }
            DelegationRefusal::Interest { .. } => limit("interest"),
            DelegationRefusal::Term { .. } => limit("term"),
            DelegationRefusal::DaySats { max, used, asked } => {
                let values = json!({"limit": "day", "maxSats": max, "usedSats": used, "principalSats": asked});
                (ErrorCode::DelegationLimit, values)
            }
        };
        Self::new(code, refusal).with_values(values)
    }
}

impl From<ProgramSignatureError> for ApiError {
    fn from(error: ProgramSignatureError) -> Self {
        let code = match error {
            ProgramSignatureError::Malformed => ErrorCode::SignatureMalformed,
            ProgramSignatureError::Invalid => ErrorCode::SignatureInvalid,
        };
        Self::new(code, error)
    }
}
