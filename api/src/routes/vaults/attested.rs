//! `/api/v1/vaults/me/attested`: the caller's vault with what shows that its address is of the signers that the policy names.

use actix_web::{HttpResponse, web};
use lending::vaults::attested_vault;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::extract::own_read::OwnRead;
use crate::http::api_error::{ApiError, Problem};

/// A vault with what shows whose keys are in it: its address follows from these keys.
// Named on the wire by its first use.
#[derive(Serialize, ToSchema)]
#[schema(as = MoveTarget)]
#[serde(rename_all = "camelCase")]
pub struct AttestedVault {
    /// Its address.
    address: String,
    /// The hash of the policy of its signers.
    canister_id: String,
    /// The policy, one rule per line.
    policy: String,
    /// The id of the lender in its script.
    lender_id: u64,
    /// The lender's key in its script.
    lender_key: String,
    /// The number of signers that sign each payment.
    signers_required: usize,
    /// The keys of the signers in its script; several are attested by the identities that the policy names.
    signers: Vec<AttestedSigner>,
}

/// A signer's key.
#[derive(Serialize, ToSchema)]
#[schema(as = MoveSigner)]
#[serde(rename_all = "camelCase")]
struct AttestedSigner {
    /// The key.
    key: String,
    /// The identity of the signer; `null` for a single signer.
    #[schema(required)]
    signer: Option<String>,
    /// The BIP-340 signature by which the identity attests the key.
    #[schema(required)]
    attestation: Option<String>,
}

impl From<attested_vault::AttestedVault> for AttestedVault {
    fn from(vault: attested_vault::AttestedVault) -> Self {
        let attested_vault::AttestedVault { contract, address, keys, policy } = vault;
        let terms = contract.terms();
        let attested = keys.iter().map(|attested| AttestedSigner {
            key: attested.key.to_string(),
            signer: Some(attested.signer.to_string()),
            attestation: Some(attested.attestation.to_string()),
        });
        let alone =
            terms.signers.only().map(|key| AttestedSigner { key: key.to_string(), signer: None, attestation: None });
        Self {
            address,
            canister_id: policy.policy_hash.to_string(),
            policy: policy.policy,
            lender_id: terms.lender_id,
            lender_key: terms.lender.to_string(),
            signers_required: terms.signers.required(),
            signers: attested.chain(alone).collect(),
        }
    }
}

/// Returns the caller's vault with the attestations of its signers, all of which are asked. Derive the address from the keys,
/// and check that the policy is the one that the opening message named, before paying to it for the first time.
///
/// # Errors
/// [`crate::http::error_code::ErrorCode::VaultNotFound`] until it is open, and the codes of the signers.
#[utoipa::path(get, path = "/api/v1/vaults/me/attested", operation_id = "getAttestedVault", tag = "vault", security(("session" = [])),
    responses((status = 200, body = AttestedVault), (status = 401, body = Problem), (status = 404, body = Problem),
        (status = 503, body = Problem)))]
pub async fn show(app: web::Data<App>, OwnRead(lender): OwnRead) -> Result<HttpResponse, ApiError> {
    let attested = app.loan_service_for_lookups(lender.user())?.attested_vault(lender.user()).await?;
    Ok(HttpResponse::Ok().json(AttestedVault::from(attested)))
}
