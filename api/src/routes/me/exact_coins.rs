//! `/api/v1/me/funds/exact`: a coin of an exact amount at the caller's payment address, which a loan against BRC-20
//! needs.

use actix_web::{HttpResponse, web};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::extract::own_read::OwnRead;
use crate::extract::write::Write;
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};
use crate::offers::own_offer;
use crate::routes::party::party;
use crate::routes::payments::{PreparePayment, PreparedPayment, SentPayment, SubmitPayment};

/// The coin that an offer of the caller needs.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FundingCoin {
    /// The exact amount of the coin in sats; `null` for offers that take any coins.
    #[schema(required)]
    funding_sats: Option<u64>,
    /// Whether the caller's payment address has the coin, confirmed and not reserved. Without it the offer cannot be
    /// taken.
    is_there: bool,
}

/// Returns the coin that an offer of the caller needs, and whether it is available.
///
/// # Errors
/// [`crate::http::error_code::ErrorCode::UnknownOffer`], [`crate::http::error_code::ErrorCode::NotOwner`],
/// the codes of the node and of indexers.
#[utoipa::path(get, path = "/api/v1/me/funds/exact/{offer_id}", operation_id = "getFundingCoin", tag = "offers", security(("session" = [])),
    params(("offer_id" = String, Path,)),
    responses((status = 200, body = FundingCoin), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 503, body = Problem)))]
pub async fn show(
    app: web::Data<App>,
    path: web::Path<String>,
    OwnRead(lender): OwnRead,
) -> Result<HttpResponse, ApiError> {
    let id = own_offer::parse_id(&path)?;
    let offer = own_offer::own_offer(&app, lender.user(), id).await?;
    let coin = app.loan_service_for_lookups(lender.user())?.funding_coin(lender.user(), &offer).await?;
    Ok(HttpResponse::Ok().json(FundingCoin {
        funding_sats: coin.map(|coin| coin.wanted.to_sat()),
        is_there: coin.is_none_or(|coin| coin.is_available),
    }))
}

/// Prepares the transaction that creates such a coin, for the caller to sign.
///
/// # Errors
/// [`crate::http::error_code::ErrorCode::InsufficientFunds`],
/// [`crate::http::error_code::ErrorCode::FeeRateOutOfRange`], the codes of the node and of indexers.
#[utoipa::path(post, path = "/api/v1/me/funds/exact/prepare", operation_id = "prepareExactCoin", tag = "loans", security(("session" = [])),
    request_body = PreparePayment,
    responses((status = 200, body = PreparedPayment), (status = 401, body = Problem), (status = 422, body = Problem)))]
pub async fn prepare(app: web::Data<App>, write: Write<PreparePayment>) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let shared = app.clone();
    execution
        .once(&shared, async move {
            let (loan_service, party) = (app.loan_service_for_lookups(caller.user())?, party(&app, &caller)?);
            let prepared = loan_service.prepare_exact_coin(&party, body.parse()?).await?;
            Answer::ok(&PreparedPayment::from(prepared))
        })
        .await
}

/// Broadcasts the transaction that the caller signed. A repeated request returns the same answer. The coin counts once
/// it is confirmed.
///
/// # Errors
/// The codes of signed transactions, [`crate::http::error_code::ErrorCode::CoinChanged`],
/// [`crate::http::error_code::ErrorCode::TransactionNotTaken`], the codes of the node and of indexers.
#[utoipa::path(post, path = "/api/v1/me/funds/exact", operation_id = "submitExactCoin", tag = "loans", security(("session" = [])),
    request_body = SubmitPayment,
    responses((status = 201, body = SentPayment), (status = 401, body = Problem), (status = 422, body = Problem)))]
pub async fn submit(app: web::Data<App>, write: Write<SubmitPayment>) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let shared = app.clone();
    execution
        .once(&shared, async move {
            let txid = app.loan_service()?.submit_exact_coin(&party(&app, &caller)?, &body.signed_psbt).await?;
            Answer::created(&SentPayment { transaction_id: txid.to_string() })
        })
        .await
}
