//! `/api/v1/vaults/me/withdrawals`: money out of the caller's vault, to the address that it was opened with.

use actix_web::{HttpResponse, web};
use domain::Sats;
use escrow::action_message::ActionMessage;
use escrow::envelope::Envelope;
use lending::withdrawal::{WithdrawalOrder, WithdrawalWish};
use serde::{Deserialize, Serialize};
use signer::signed_text::SignedText;
use utoipa::ToSchema;

use super::signed_terms;
use crate::app::App;
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};
use crate::http::fee_rate;
use crate::http::write::Write;
use crate::session::nonce_mint::{self, Purpose};

/// A withdrawal to be made.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PrepareWithdrawal {
    /// What leaves the vault, the fee included; all that one transaction can take where it is left out.
    #[schema(value_type = Option<u64>)]
    sats: Option<Sats>,
    /// Sats for each virtual byte, with at most three decimals.
    #[schema(value_type = f64)]
    fee_rate: serde_json::Number,
}

/// A withdrawal that waits for the caller's signature.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreparedWithdrawal {
    /// The text to sign, by the payment address.
    message: String,
    /// `Issued` of the message, in unix seconds: the `signature_timestamp` of what is submitted.
    signature_timestamp: u64,
    /// `Expires` of the message, in unix seconds.
    expires: u64,
    /// What leaves the vault, the fee included.
    #[schema(value_type = u64)]
    sats: Sats,
    /// What the miners get of it.
    #[schema(value_type = u64)]
    fee_sats: Sats,
    /// The most that they get, which the message says and the vault's signer checks.
    #[schema(value_type = u64)]
    fee_max_sats: Sats,
    /// What arrives.
    #[schema(value_type = u64)]
    arrives_sats: Sats,
    /// Where it arrives.
    payment_address: String,
    /// What goes back to the vault, and counts again once it is in a block.
    #[schema(value_type = u64)]
    back_sats: Sats,
    /// How many outputs of the vault are spent.
    outputs: usize,
}

/// What the caller signed.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SubmitWithdrawal {
    /// Sats for each virtual byte, as it was prepared.
    #[schema(value_type = f64)]
    fee_rate: serde_json::Number,
    /// Of the message, by the payment address.
    signature: String,
    /// `Issued` of the message, in unix seconds.
    signature_timestamp: u64,
    /// The whole text that was signed.
    message: String,
}

/// A withdrawal that will be sent until a block has it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Withdrawal {
    /// Its transaction.
    transaction_id: String,
    /// Whether the node has it already.
    is_sent: bool,
}

/// Says what a withdrawal would come to, and what the caller is to sign for it.
///
/// # Errors
/// [`crate::http::error_code::ErrorCode::VaultNotFound`], [`crate::http::error_code::ErrorCode::InsufficientVaultBalance`], [`crate::http::error_code::ErrorCode::FeeRateOutOfRange`], the codes of the
/// signer, the node and indexers.
#[utoipa::path(post, path = "/api/v1/vaults/me/withdrawals/prepare", operation_id = "prepareWithdrawal", tag = "vault", security(("session" = [])),
    request_body = PrepareWithdrawal,
    responses((status = 200, body = PreparedWithdrawal), (status = 401, body = Problem), (status = 422, body = Problem)))]
pub async fn prepare(app: web::Data<App>, write: Write<PrepareWithdrawal>) -> Result<HttpResponse, ApiError> {
    let Write { lender, body, turn } = write;
    let shared = app.clone();
    turn.once(&shared, async move {
        let wish = WithdrawalWish { sats: body.sats, fee_rate: fee_rate::parse("fee_rate", &body.fee_rate)? };
        let prepared = app.desk_for_lookups(lender.user())?.prepare_withdrawal(lender.user(), wish).await?;
        let address = lender.signing_address(&app)?.to_string();
        let issued = app.keys.nonces.issue(Purpose::Action, &address, app.now().seconds());
        let envelope = Envelope {
            domain: app.public_url.domain().to_owned(),
            network: app.settings.network,
            address,
            nonce: nonce_mint::to_text(issued.nonce),
            issued_s: issued.issued_s,
            expires_s: issued.expires_s,
        };
        Answer::ok(&PreparedWithdrawal {
            message: ActionMessage::new(prepared.action, envelope)?.to_text(),
            signature_timestamp: issued.issued_s,
            expires: issued.expires_s,
            sats: prepared.sats,
            fee_sats: prepared.fee,
            fee_max_sats: prepared.fee_max,
            arrives_sats: prepared.arrives,
            payment_address: prepared.to,
            back_sats: prepared.back,
            outputs: prepared.outputs,
        })
    })
    .await
}

/// Makes a withdrawal. The same message again gives the same answer.
///
/// # Errors
/// The codes of messages and signatures, of the signer, the node and indexers, [`crate::http::error_code::ErrorCode::InsufficientVaultBalance`],
/// [`crate::http::error_code::ErrorCode::FeeRateOutOfRange`], [`crate::http::error_code::ErrorCode::WithdrawalFeeTooHigh`],
/// [`crate::http::error_code::ErrorCode::NonceUsed`].
#[utoipa::path(post, path = "/api/v1/vaults/me/withdrawals", operation_id = "submitWithdrawal", tag = "vault", security(("session" = [])),
    request_body = SubmitWithdrawal,
    responses((status = 201, body = Withdrawal), (status = 401, body = Problem), (status = 422, body = Problem)))]
pub async fn submit(app: web::Data<App>, write: Write<SubmitWithdrawal>) -> Result<HttpResponse, ApiError> {
    let Write { lender, body, turn } = write;
    let shared = app.clone();
    turn.once(&shared, async move {
        let SubmitWithdrawal { fee_rate, signature, signature_timestamp, message } = body;
        let fee_rate = fee_rate::parse("fee_rate", &fee_rate)?;
        let checked = signed_terms::check_message(&app, &lender, &message, &signature, signature_timestamp)?;
        let (signed, burn) = (SignedText { message, signature }, signed_terms::burn(&checked));
        let order = WithdrawalOrder { signed, burn, fee_rate };
        let done = app.desk()?.submit_withdrawal(lender.user(), &order).await?;
        Answer::created(&Withdrawal { transaction_id: done.txid.to_string(), is_sent: done.is_sent })
    })
    .await
}
