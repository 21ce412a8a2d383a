//! `/api/v1/me/funds/exact`: a coin of exactly so much at the caller's payment address, which a loan against BRC-20 takes.

use actix_web::{HttpResponse, web};

use super::brc20::party;
use super::payments::{PreparePayment, PreparedPayment, SentPayment, SubmitPayment};
use crate::app::App;
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};
use crate::http::write::Write;

/// Makes what leaves such a coin, for the caller to sign.
///
/// # Errors
/// [`crate::http::error_code::ErrorCode::InsufficientFunds`], [`crate::http::error_code::ErrorCode::FeeRateOutOfRange`], the codes of the node
/// and of indexers.
#[utoipa::path(post, path = "/api/v1/me/funds/exact/prepare", operation_id = "prepareExactCoin", tag = "loans", security(("session" = [])),
    request_body = PreparePayment,
    responses((status = 200, body = PreparedPayment), (status = 401, body = Problem), (status = 422, body = Problem)))]
pub async fn prepare(app: web::Data<App>, write: Write<PreparePayment>) -> Result<HttpResponse, ApiError> {
    let Write { lender, body, turn } = write;
    let shared = app.clone();
    turn.once(&shared, async move {
        let (desk, party) = (app.desk_for_lookups(lender.user())?, party(&app, &lender)?);
        let prepared = desk.prepare_exact_coin(&party, body.wish()?).await?;
        Answer::ok(&PreparedPayment::from(prepared))
    })
    .await
}

/// Sends what the caller signed. Again it gives the same answer. The coin counts once it is in a block.
///
/// # Errors
/// The codes of signed transactions, [`crate::http::error_code::ErrorCode::CoinChanged`], [`crate::http::error_code::ErrorCode::TransactionNotTaken`], the codes of the node
/// and of indexers.
#[utoipa::path(post, path = "/api/v1/me/funds/exact", operation_id = "submitExactCoin", tag = "loans", security(("session" = [])),
    request_body = SubmitPayment,
    responses((status = 201, body = SentPayment), (status = 401, body = Problem), (status = 422, body = Problem)))]
pub async fn submit(app: web::Data<App>, write: Write<SubmitPayment>) -> Result<HttpResponse, ApiError> {
    let Write { lender, body, turn } = write;
    let shared = app.clone();
    turn.once(&shared, async move {
        let txid = app.desk()?.submit_exact_coin(&party(&app, &lender)?, &body.signed_psbt).await?;
        Answer::created(&SentPayment { transaction_id: txid.to_string() })
    })
    .await
}
