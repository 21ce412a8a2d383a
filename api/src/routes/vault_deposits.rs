//! `/api/v1/vaults/me/deposits`: money from the caller's payment address into the caller's vault.

use actix_web::{HttpResponse, web};
use domain::Sats;
use lending::deposit::DepositWish;
use lending::sides::Side;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};
use crate::http::fee_rate;
use crate::http::write::Write;

/// A deposit to be made.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PrepareDeposit {
    /// What the vault gets.
    #[schema(value_type = u64)]
    sats: Sats,
    /// Sats for each virtual byte, with at most three decimals.
    #[schema(value_type = f64)]
    fee_rate: serde_json::Number,
}

/// A deposit that waits for the caller's signature.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreparedDeposit {
    /// The transaction to sign, a PSBT in base64.
    transaction_base64: String,
    /// Which of its inputs, and how.
    sides: Vec<Side>,
    /// What the vault gets.
    #[schema(value_type = u64)]
    sats: Sats,
    /// What the miners get.
    #[schema(value_type = u64)]
    fee_sats: Sats,
    /// What goes back to the payment address.
    #[schema(value_type = u64)]
    change_sats: Sats,
    /// Where it goes.
    vault_address: String,
}

/// What the caller's wallet gave back.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SubmitDeposit {
    /// The signed PSBT in base64 or hexadecimal.
    signed_psbt: String,
}

/// A deposit that the node has. It counts once it is in a block.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SentDeposit {
    /// Its transaction.
    transaction_id: String,
}

/// Makes a deposit for the caller to sign.
///
/// # Errors
/// [`crate::http::error_code::ErrorCode::VaultNotFound`], [`crate::http::error_code::ErrorCode::InsufficientFunds`], [`crate::http::error_code::ErrorCode::FeeRateOutOfRange`], the codes of the node
/// and of indexers.
#[utoipa::path(post, path = "/api/v1/vaults/me/deposits/prepare", operation_id = "prepareDeposit", tag = "vault", security(("session" = [])),
    request_body = PrepareDeposit,
    responses((status = 200, body = PreparedDeposit), (status = 401, body = Problem), (status = 422, body = Problem)))]
pub async fn prepare(app: web::Data<App>, write: Write<PrepareDeposit>) -> Result<HttpResponse, ApiError> {
    let Write { lender, body, turn } = write;
    let shared = app.clone();
    turn.once(&shared, async move {
        let wish = DepositWish { sats: body.sats, fee_rate: fee_rate::parse("fee_rate", &body.fee_rate)? };
        let prepared = app.desk_for_lookups(lender.user())?.prepare_deposit(lender.user(), wish).await?;
        Answer::ok(&PreparedDeposit {
            transaction_base64: prepared.transaction_base64,
            sides: prepared.sides,
            sats: prepared.sats,
            fee_sats: prepared.fee,
            change_sats: prepared.change,
            vault_address: prepared.to,
        })
    })
    .await
}

/// Sends a deposit that the caller signed. Again it gives the same answer.
///
/// # Errors
/// The codes of signed transactions, [`crate::http::error_code::ErrorCode::CoinChanged`], [`crate::http::error_code::ErrorCode::TransactionNotTaken`], the codes of the node
/// and of indexers.
#[utoipa::path(post, path = "/api/v1/vaults/me/deposits", operation_id = "submitDeposit", tag = "vault", security(("session" = [])),
    request_body = SubmitDeposit,
    responses((status = 201, body = SentDeposit), (status = 401, body = Problem), (status = 422, body = Problem)))]
pub async fn submit(app: web::Data<App>, write: Write<SubmitDeposit>) -> Result<HttpResponse, ApiError> {
    let Write { lender, body, turn } = write;
    let shared = app.clone();
    turn.once(&shared, async move {
        let txid = app.desk()?.submit_deposit(lender.user(), &body.signed_psbt).await?;
        Answer::created(&SentDeposit { transaction_id: txid.to_string() })
    })
    .await
}
