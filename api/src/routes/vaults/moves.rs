//! `/api/v1/vaults/me/moves` and `/previous`: the move of the caller's vault to other signers, and what is left of it where
//! it was.

use actix_web::{HttpResponse, web};
use domain::Sats;
use escrow::action_message::ActionMessage;
use escrow::address::WalletAddress;
use lending::vaults::lender_order::SignedOrder;
use serde::{Deserialize, Serialize};
use signer::signed_text::SignedText;
use utoipa::ToSchema;

use crate::app::App;
use crate::extract::own_read::OwnRead;
use crate::extract::write::Write;
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};
use crate::http::fee_rate;
use crate::routes::offers::signed_terms;
use crate::routes::vaults::attested::AttestedVault;
use crate::session::nonce_issuer::Purpose;

/// A move to prepare.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PrepareMove {
    /// Sats per virtual byte, with at most three decimals.
    #[schema(value_type = f64)]
    fee_rate: serde_json::Number,
}

/// A move that waits for the caller's signature.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreparedMove {
    /// The text to sign with the ordinals address, whose key is in the scripts of both vaults.
    message: String,
    /// `Issued` of the message, in unix seconds: the `signature_timestamp` of the submission.
    signature_timestamp: u64,
    /// `Expires` of the message, in unix seconds.
    expires: u64,
    /// The sum of the outputs that move.
    #[schema(value_type = u64)]
    sats: Sats,
    /// The number of these outputs.
    outputs: usize,
    /// The fee.
    #[schema(value_type = u64)]
    fee_sats: Sats,
    /// The highest fee, which the message states and the signers check.
    #[schema(value_type = u64)]
    fee_max_sats: Sats,
    /// The amount that arrives.
    #[schema(value_type = u64)]
    arrives_sats: Sats,
    /// The address that the vault has now.
    from_address: String,
    /// The amount at that address which stays: it carries inscriptions or runes, or is not known to the indexer yet.
    #[schema(value_type = u64)]
    stays_sats: Sats,
    /// The vault that it moves to.
    to: AttestedVault,
}

/// The signed message.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SubmitMove {
    /// Sats per virtual byte, as in the preparation.
    #[schema(value_type = f64)]
    fee_rate: serde_json::Number,
    /// The signature of `message` by the ordinals address.
    signature: String,
    /// `Issued` of the message, in unix seconds.
    signature_timestamp: u64,
    /// The complete signed text.
    message: String,
}

/// A move, which the server broadcasts until it is confirmed.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VaultMove {
    /// The id of the transaction.
    transaction_id: String,
    /// Whether the node has accepted it already.
    is_sent: bool,
}

/// The vaults that the caller has moved away from.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreviousVaults {
    /// Each of them, the latest last.
    data: Vec<PreviousVault>,
}

/// A vault that was moved.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PreviousVault {
    /// Its address.
    address: String,
    /// The confirmed amount at that address. Its signers sign nothing for it any more: the kit of that address takes it out.
    #[schema(value_type = u64)]
    sats: Sats,
    /// The number of outputs there.
    outputs: usize,
}

/// Returns what a move of the whole vault would take and cost, the vault that it leads to, and the message to sign.
///
/// # Errors
/// [`crate::http::error_code::ErrorCode::VaultNotFound`], [`crate::http::error_code::ErrorCode::VaultNotMovable`],
/// [`crate::http::error_code::ErrorCode::VaultInUse`],
/// [`crate::http::error_code::ErrorCode::InsufficientVaultBalance`],
/// [`crate::http::error_code::ErrorCode::FeeRateOutOfRange`], the codes of the signers, the node and indexers.
#[utoipa::path(post, path = "/api/v1/vaults/me/moves/prepare", operation_id = "prepareVaultMove", tag = "vault", security(("session" = [])),
    request_body = PrepareMove,
    responses((status = 200, body = PreparedMove), (status = 401, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
pub async fn prepare(app: web::Data<App>, write: Write<PrepareMove>) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let shared = app.clone();
    execution
        .once(&shared, async move {
            let fee_rate = fee_rate::parse("fee_rate", &body.fee_rate)?;
            let prepared = app.loan_service_for_lookups(caller.user())?.prepare_move(caller.user(), fee_rate).await?;
            let address = caller.addresses.ordinal_address.clone();
            let envelope = app.fresh_envelope(Purpose::Action, address);
            Answer::ok(&PreparedMove {
                signature_timestamp: envelope.issued_s,
                expires: envelope.expires_s,
                message: ActionMessage::new(prepared.action, envelope)?.to_text(),
                sats: prepared.sats,
                outputs: prepared.outputs,
                fee_sats: prepared.fee,
                fee_max_sats: prepared.fee_max,
                arrives_sats: prepared.received,
                from_address: prepared.from,
                stays_sats: prepared.stays,
                to: prepared.to.into(),
            })
        })
        .await
}

/// Moves the vault, and ends the instant offers and delegations that name its signers until now. A repeated request with the
/// same message returns the same answer.
///
/// # Errors
/// The codes of messages and signatures, of the signers, the node and indexers, those of the preparation,
/// [`crate::http::error_code::ErrorCode::WithdrawalFeeTooHigh`], [`crate::http::error_code::ErrorCode::NonceUsed`].
#[utoipa::path(post, path = "/api/v1/vaults/me/moves", operation_id = "submitVaultMove", tag = "vault", security(("session" = [])),
    request_body = SubmitMove,
    responses((status = 201, body = VaultMove), (status = 401, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
pub async fn submit(app: web::Data<App>, write: Write<SubmitMove>) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let shared = app.clone();
    execution
        .once(&shared, async move {
            let SubmitMove { fee_rate, signature, signature_timestamp, message } = body;
            let fee_rate = fee_rate::parse("fee_rate", &fee_rate)?;
            let address = WalletAddress::parse(&caller.addresses.ordinal_address, app.settings.network)?;
            let checked = signed_terms::check_message_of(&app, &address, &message, &signature, signature_timestamp)?;
            let (signed, nonce_use) = (SignedText { message, signature }, signed_terms::nonce_use(&checked));
            let order = SignedOrder { signed, nonce_use, fee_rate };
            let done = app.loan_service()?.submit_move(caller.user(), &order).await?;
            Answer::created(&VaultMove { transaction_id: done.txid.to_string(), is_sent: done.is_sent })
        })
        .await
}

/// Returns the vaults that the caller has moved away from, with what was paid to them since.
///
/// # Errors
/// The codes of the node and indexers.
#[utoipa::path(get, path = "/api/v1/vaults/me/previous", operation_id = "listPreviousVaults", tag = "vault", security(("session" = [])),
    responses((status = 200, body = PreviousVaults), (status = 401, body = Problem)))]
pub async fn previous(app: web::Data<App>, OwnRead(lender): OwnRead) -> Result<HttpResponse, ApiError> {
    let all = app.loan_service_for_lookups(lender.user())?.previous_vaults(lender.user()).await?;
    let data = all.into_iter().map(|it| PreviousVault { address: it.address, sats: it.sats, outputs: it.outputs });
    Ok(HttpResponse::Ok().json(PreviousVaults { data: data.collect() }))
}
