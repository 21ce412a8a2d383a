//! `/api/v1/vaults/me/withdrawals`: withdrawals from the caller's vault, to the payment address that it was opened
//! with.

use actix_web::{HttpResponse, web};
use domain::Sats;
use escrow::action_message::ActionMessage;
use lending::vaults::lender_order::SignedOrder;
use lending::vaults::withdrawal::WithdrawalRequest;
use serde::{Deserialize, Serialize};
use signer::signed_text::SignedText;
use utoipa::ToSchema;

use crate::app::App;
use crate::extract::write::Write;
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};
use crate::http::fee_rate;
use crate::routes::offers::signed_terms;
use crate::session::nonce_issuer::Purpose;

/// A withdrawal to prepare.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PrepareWithdrawal {
    /// The amount that leaves the vault, the fee included; by default all that one transaction can take.
    #[schema(value_type = Option<u64>)]
    sats: Option<Sats>,
    /// Sats per virtual byte, with at most three decimals.
    #[schema(value_type = f64)]
    fee_rate: serde_json::Number,
}

/// A withdrawal that waits for the caller's signature.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreparedWithdrawal {
    /// The text to sign with the payment address.
    message: String,
    /// `Issued` of the message, in unix seconds: the `signature_timestamp` of the submission.
    signature_timestamp: u64,
    /// `Expires` of the message, in unix seconds.
    expires: u64,
    /// The amount that leaves the vault, the fee included.
    #[schema(value_type = u64)]
    sats: Sats,
    /// The fee.
    #[schema(value_type = u64)]
    fee_sats: Sats,
    /// The highest fee, which the message states and the vault signer checks.
    #[schema(value_type = u64)]
    fee_max_sats: Sats,
    /// The amount that arrives at the payment address.
    #[schema(value_type = u64)]
    arrives_sats: Sats,
    /// The destination address.
    payment_address: String,
    /// The change that returns to the vault, where it counts again once it is confirmed.
    #[schema(value_type = u64)]
    back_sats: Sats,
    /// The number of vault outputs that are spent.
    outputs: usize,
}

/// The signed message.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SubmitWithdrawal {
    /// Sats per virtual byte, as in the preparation.
    #[schema(value_type = f64)]
    fee_rate: serde_json::Number,
    /// The signature of `message` by the payment address.
    signature: String,
    /// `Issued` of the message, in unix seconds.
    signature_timestamp: u64,
    /// The complete signed text.
    message: String,
}

/// A withdrawal, which the server broadcasts until it is confirmed.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Withdrawal {
    /// The id of the transaction.
    transaction_id: String,
    /// Whether the node has accepted it already.
    is_sent: bool,
}

/// Returns amounts and fees of a withdrawal, and the message to sign.
///
/// # Errors
/// [`crate::http::error_code::ErrorCode::VaultNotFound`],
/// [`crate::http::error_code::ErrorCode::InsufficientVaultBalance`],
/// [`crate::http::error_code::ErrorCode::FeeRateOutOfRange`], the codes of the signer, the node and indexers.
#[utoipa::path(post, path = "/api/v1/vaults/me/withdrawals/prepare", operation_id = "prepareWithdrawal", tag = "vault", security(("session" = [])),
    request_body = PrepareWithdrawal,
    responses((status = 200, body = PreparedWithdrawal), (status = 401, body = Problem), (status = 422, body = Problem)))]
pub async fn prepare(app: web::Data<App>, write: Write<PrepareWithdrawal>) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let shared = app.clone();
    execution
        .once(&shared, async move {
            let request = WithdrawalRequest { sats: body.sats, fee_rate: fee_rate::parse("fee_rate", &body.fee_rate)? };
            let prepared =
                app.loan_service_for_lookups(caller.user())?.prepare_withdrawal(caller.user(), request).await?;
            let address = caller.signing_address(&app)?.to_string();
            let envelope = app.fresh_envelope(Purpose::Action, address);
            Answer::ok(&PreparedWithdrawal {
                signature_timestamp: envelope.issued_s,
                expires: envelope.expires_s,
                message: ActionMessage::new(prepared.action, envelope)?.to_text(),
                sats: prepared.sats,
                fee_sats: prepared.fee,
                fee_max_sats: prepared.fee_max,
                arrives_sats: prepared.received,
                payment_address: prepared.to,
                back_sats: prepared.change,
                outputs: prepared.outputs,
            })
        })
        .await
}

/// Executes a withdrawal. A repeated request with the same message returns the same answer.
///
/// # Errors
/// The codes of messages and signatures, of the signer, the node and indexers,
/// [`crate::http::error_code::ErrorCode::InsufficientVaultBalance`],
/// [`crate::http::error_code::ErrorCode::FeeRateOutOfRange`],
/// [`crate::http::error_code::ErrorCode::WithdrawalFeeTooHigh`], [`crate::http::error_code::ErrorCode::NonceUsed`].
#[utoipa::path(post, path = "/api/v1/vaults/me/withdrawals", operation_id = "submitWithdrawal", tag = "vault", security(("session" = [])),
    request_body = SubmitWithdrawal,
    responses((status = 201, body = Withdrawal), (status = 401, body = Problem), (status = 422, body = Problem)))]
pub async fn submit(app: web::Data<App>, write: Write<SubmitWithdrawal>) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let shared = app.clone();
    execution
        .once(&shared, async move {
            let SubmitWithdrawal { fee_rate, signature, signature_timestamp, message } = body;
            let fee_rate = fee_rate::parse("fee_rate", &fee_rate)?;
            let checked = signed_terms::check_message(&app, &caller, &message, &signature, signature_timestamp)?;
            let (signed, nonce_use) = (SignedText { message, signature }, signed_terms::nonce_use(&checked));
            let order = SignedOrder { signed, nonce_use, fee_rate };
            let done = app.loan_service()?.submit_withdrawal(caller.user(), &order).await?;
            Answer::created(&Withdrawal { transaction_id: done.txid.to_string(), is_sent: done.is_sent })
        })
        .await
}
