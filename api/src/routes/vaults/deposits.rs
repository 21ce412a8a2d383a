//! `/api/v1/vaults/me/deposits`: deposits from the caller's payment address into the caller's vault.

use actix_web::{HttpResponse, web};

use crate::app::App;
use crate::extract::write::Write;
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};
use crate::routes::payments::{PreparePayment, PreparedPayment, SentPayment, SubmitPayment};

/// Prepares a deposit for the caller to sign.
///
/// # Errors
/// [`crate::http::error_code::ErrorCode::VaultNotFound`], [`crate::http::error_code::ErrorCode::InsufficientFunds`],
/// [`crate::http::error_code::ErrorCode::FeeRateOutOfRange`], the codes of the node and of indexers.
#[utoipa::path(post, path = "/api/v1/vaults/me/deposits/prepare", operation_id = "prepareDeposit", tag = "vault", security(("session" = [])),
    request_body = PreparePayment,
    responses((status = 200, body = PreparedPayment), (status = 401, body = Problem), (status = 422, body = Problem)))]
pub async fn prepare(app: web::Data<App>, write: Write<PreparePayment>) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let shared = app.clone();
    execution
        .once(&shared, async move {
            let prepared =
                app.loan_service_for_lookups(caller.user())?.prepare_deposit(caller.user(), body.parse()?).await?;
            Answer::ok(&PreparedPayment::from(prepared))
        })
        .await
}

/// Broadcasts a deposit that the caller signed. A repeated request returns the same answer.
///
/// # Errors
/// The codes of signed transactions, [`crate::http::error_code::ErrorCode::CoinChanged`],
/// [`crate::http::error_code::ErrorCode::TransactionNotTaken`], the codes of the node and of indexers.
#[utoipa::path(post, path = "/api/v1/vaults/me/deposits", operation_id = "submitDeposit", tag = "vault", security(("session" = [])),
    request_body = SubmitPayment,
    responses((status = 201, body = SentPayment), (status = 401, body = Problem), (status = 422, body = Problem)))]
pub async fn submit(app: web::Data<App>, write: Write<SubmitPayment>) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let shared = app.clone();
    execution
        .once(&shared, async move {
            let txid = app.loan_service()?.submit_deposit(caller.user(), &body.signed_psbt).await?;
            Answer::created(&SentPayment { transaction_id: txid.to_string() })
        })
        .await
}
