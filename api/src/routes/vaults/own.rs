//! `/api/v1/vaults`: the caller's vault, its keys, policy and balance.

use actix_web::{HttpResponse, web};
use domain::{Sats, UserId};
use escrow::action::Action;
use escrow::address::WalletAddress;
use lending::instant_offers::opening::{self, OpenVaultRequest};
use lending::lookups::signer_router::Holder;
use serde::{Deserialize, Serialize};
use signer::policy::PolicyText;
use utoipa::ToSchema;

use crate::app::App;
use crate::extract::own_read::OwnRead;
use crate::extract::signed_in::SignedIn;
use crate::extract::write::Write;
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;
use crate::routes::offers::signed_terms;
use crate::session::signed_message::{SignedMessage, check_equal};

/// A vault to open, or to give another payment address.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenVault {
    /// The id of the vault signer, which is `Vault` in the message.
    canister_id: String,
    /// The signature of `message` by the ordinals address, whose key is in the vault's script.
    signature: String,
    /// `Issued` of the message, in unix seconds.
    signature_timestamp: u64,
    /// The complete signed text.
    message: String,
}

/// The caller's vault: its keys, its balance, and the policy of its signer.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnVault {
    /// The address for deposits.
    vault_address: String,
    /// The address for withdrawals.
    payment_address: String,
    /// The signer's key in its script; the first of several.
    signer_key: String,
    /// The keys of all signers in its script.
    signer_keys: Vec<String>,
    /// The number of signers that sign each payment.
    signers_required: u8,
    /// The lender's key in its script.
    lender_key: String,
    /// The hash of the signer's policy; `null` while the signer does not answer.
    #[schema(required)]
    canister_id: Option<String>,
    /// The signer's policy, one rule per line.
    #[schema(required)]
    policy: Option<String>,
    /// The whole balance, reserved or not.
    #[schema(value_type = u64)]
    balance_sats: Sats,
    /// The part that is not reserved for a borrower who is signing.
    #[schema(value_type = u64)]
    usable_balance_sats: Sats,
    /// The amount that enters the balance with the next blocks: change, and outputs that a reorg unconfirmed.
    #[schema(value_type = u64)]
    waiting_sats: Sats,
    /// The part that is reserved for borrowers who are signing.
    #[schema(value_type = u64)]
    held_sats: Sats,
    /// The signers that new vaults are opened with, if the vault is still held by earlier ones and can move to them; `null`
    /// otherwise.
    #[schema(required)]
    new_signers: Option<NewSigners>,
    /// The number of vaults that the caller has moved away from.
    previous_vaults: usize,
}

/// The signers that new vaults are opened with.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct NewSigners {
    /// The number of them that sign each payment.
    required: usize,
    /// The number of them.
    count: usize,
}

/// Opens the caller's vault. A repeated request with the same message returns the same answer.
///
/// # Errors
/// The codes of messages, signatures and the signer.
#[utoipa::path(post, path = "/api/v1/vaults", operation_id = "openVault", tag = "vault", security(("session" = [])),
    request_body = OpenVault,
    responses((status = 201, body = OwnVault), (status = 401, body = Problem), (status = 422, body = Problem)))]
pub async fn open(app: web::Data<App>, write: Write<OpenVault>) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let market = app.clone();
    execution
        .once(&market, async move {
            let OpenVault { canister_id, signature, signature_timestamp, message } = body;
            if caller.credential.is_hardware_wallet {
                // A unilateral exit needs the lender's signature of a script path, which hardware wallets do not give.
                return Err(ApiError::plain(ErrorCode::HardwareWallet));
            }
            let address = WalletAddress::parse(&caller.addresses.ordinal_address, app.settings.network)?;
            let signed = signed_terms::check_message_of(&app, &address, &message, &signature, signature_timestamp)?;
            let Action::OpenVault { payment_address, vault } = signed.action() else {
                return Err(SignedMessage::wrong_action("open vault"));
            };
            check_equal("payment_address", &caller.addresses.payment_address, payment_address)?;
            check_equal("canister_id", &canister_id, vault)?;
            if canister_id != app.vault_signer_id(caller.user()).await? {
                return Err(ApiError::new(
                    ErrorCode::NotYourVault,
                    "canister_id is not the vault signer of this server",
                ));
            }
            let opening = OpenVaultRequest {
                lender: caller.user(),
                ordinals_key: ordinals_key(&caller)?,
                payment_address: payment_address.clone(),
                message: signed_terms::signed_action(&signed, message, signature),
            };
            opening::open_vault(&app.market, &app.signer, opening).await?;
            Answer::created(&own_vault(&app, caller.user()).await?)
        })
        .await
}

/// Returns the caller's vault.
///
/// # Errors
/// [`ErrorCode::VaultNotFound`] until it is open.
#[utoipa::path(get, path = "/api/v1/vaults/me", operation_id = "getOwnVault", tag = "vault", security(("session" = [])),
    responses((status = 200, body = OwnVault), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn show(app: web::Data<App>, OwnRead(lender): OwnRead) -> Result<HttpResponse, ApiError> {
    Ok(HttpResponse::Ok().json(own_vault(&app, lender.user()).await?))
}

async fn own_vault(app: &App, user: UserId) -> Result<OwnVault, ApiError> {
    let not_open = || ApiError::plain(ErrorCode::VaultNotFound);
    let vault = app.market.vault_ledger(user).await.ok_or_else(not_open)?;
    let keys = vault.keys().ok_or_else(not_open)?;
    let described = app.vault_policy(user).await.ok();
    let can_move = matches!(app.signer.holder(user).await, Ok(Holder::Previous));
    let new_policy = if can_move { app.signer_policy().await.ok() } else { None };
    let new_signers = new_policy.map(|new| match PolicyText::read(&new.policy) {
        Some(text) => NewSigners { required: text.signers.required(), count: text.signers.identities().len() },
        None => NewSigners { required: 1, count: 1 },
    });
    Ok(OwnVault {
        vault_address: app.market.vault(user).await.and_then(|view| view.vault_address).ok_or_else(not_open)?,
        payment_address: keys.payment_address.clone(),
        signer_key: keys.signers.keys.first().map(hex::encode).unwrap_or_default(),
        signer_keys: keys.signers.keys.iter().map(hex::encode).collect(),
        signers_required: keys.signers.required,
        lender_key: hex::encode(keys.lender_key),
        canister_id: described.as_ref().map(|described| described.policy_hash.to_string()),
        policy: described.map(|described| described.policy.clone()),
        balance_sats: vault.balance(),
        usable_balance_sats: vault.usable(),
        waiting_sats: vault.unconfirmed(),
        held_sats: vault.balance().saturating_sub(vault.usable()).saturating_add(vault.shortfall()),
        new_signers,
        previous_vaults: vault.previous_signers().len(),
    })
}

/// Returns the public key that was checked against the ordinals address at sign-in. Some wallets prefix it with its
/// parity.
fn ordinals_key(lender: &SignedIn) -> Result<bitcoin::XOnlyPublicKey, ApiError> {
    let text = &lender.addresses.ordinal_pubkey;
    let digits = text.len().checked_sub(64).and_then(|parity| text.get(parity..)).unwrap_or(text);
    digits.parse().map_err(|_| ApiError::plain(ErrorCode::PublicKeyMalformed))
}
