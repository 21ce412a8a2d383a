//! `/api/v1/brc20/orders`: transfer inscriptions that the server prepares and the caller's wallet signs.

use actix_web::{HttpResponse, web};
use domain::{TransferOrderId, UnixMs};
use escrow::contract::assets::brc20_transfer::Brc20Transfer;
use lending::brc20::transfer_orders::{PendingOrder, TransferOrderError, TransferOrderRequest};
use lending::service::sides::Side;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use crate::app::App;
use crate::extract::own_read::OwnRead;
use crate::extract::write::Write;
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;
use crate::http::{fee_rate, token_amount};
use crate::routes::party::party;

/// A transfer inscription to make.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PrepareTransfer {
    /// The token's ticker; case is ignored.
    ticker: String,
    /// In whole tokens, as a decimal string.
    amount: String,
    /// The payment address of the session, whose coins pay.
    payment_address: String,
    /// Its public key.
    payment_pubkey: String,
    /// The ordinals address of the session, which has the balance and receives the inscription.
    recieve_address: String,
    /// Sats per virtual byte, with at most three decimals.
    #[schema(value_type = f64)]
    fee_rate: serde_json::Number,
}

/// An order that waits for the caller's signature.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreparedTransfer {
    /// The id of the order, for the commit.
    order_id: String,
    /// The transaction to sign, a PSBT in base64.
    transaction_base64: String,
    /// The inputs to sign, and how.
    sides: Vec<Side>,
    /// The time at which the order lapses unless it is signed, in unix milliseconds.
    #[schema(value_type = u64)]
    expires_at: UnixMs,
    /// The fees of both transactions together, in sats.
    fee_sats: u64,
}

/// The signed transaction of an order.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CommitTransfer {
    /// The id of the order.
    order_id: String,
    /// The signed transaction, a PSBT in base64 or hexadecimal.
    signed_base64: String,
}

/// A transfer inscription that was broadcast.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommittedTransfer {
    /// The id of the transaction that reveals it.
    reveal_transaction: String,
}

/// Transfer inscriptions that were broadcast and cannot be used yet.
#[derive(Serialize, ToSchema)]
pub struct PendingTransfers {
    /// By order id.
    orders: Vec<PendingTransfer>,
}

/// A transfer inscription that was broadcast and cannot be used yet.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PendingTransfer {
    /// The id of the order.
    order_id: String,
    /// In lower case.
    ticker: String,
    /// In whole tokens.
    amount: String,
    /// The id of the transaction that reveals it.
    transaction_id: String,
}

impl From<PendingOrder> for PendingTransfer {
    fn from(order: PendingOrder) -> Self {
        Self {
            order_id: order.order.to_string(),
            ticker: order.ticker,
            amount: token_amount::shown(order.amount_raw),
            transaction_id: order.reveal.to_string(),
        }
    }
}

/// Lists the caller's transfer inscriptions that wait for a block or for the indexer.
///
/// # Errors
/// [`ErrorCode::IndexerUnavailable`].
#[utoipa::path(get, path = "/api/v1/brc20/orders", operation_id = "listPendingTransfers", tag = "brc20", security(("session" = [])),
    responses((status = 200, body = PendingTransfers), (status = 401, body = Problem), (status = 503, body = Problem)))]
pub async fn list(app: web::Data<App>, OwnRead(caller): OwnRead) -> Result<HttpResponse, ApiError> {
    let pending = app.loan_service()?.pending_orders(caller.user()).await?;
    let orders = pending.into_iter().map(PendingTransfer::from).collect();
    Ok(HttpResponse::Ok().json(PendingTransfers { orders }))
}

/// Prepares a transfer inscription: the transaction that the caller's wallet signs. A repeated request returns the same
/// order as long as it can be signed.
///
/// # Errors
/// [`ErrorCode::InsufficientTokens`], [`ErrorCode::InsufficientFunds`], [`ErrorCode::NotePending`],
/// [`ErrorCode::FeeRateOutOfRange`], [`ErrorCode::UnknownToken`], [`ErrorCode::InvalidField`].
#[utoipa::path(post, path = "/api/v1/brc20/orders", operation_id = "prepareTransfer", tag = "brc20", security(("session" = [])),
    request_body = PrepareTransfer,
    responses((status = 201, body = PreparedTransfer), (status = 409, body = Problem), (status = 422, body = Problem)))]
pub async fn prepare(app: web::Data<App>, write: Write<PrepareTransfer>) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    caller.require_proven()?;
    let shared = app.clone();
    execution
        .once(&shared, async move {
            let own = &caller.addresses;
            for (field, given, known) in [
                ("paymentAddress", &body.payment_address, &own.payment_address),
                ("paymentPubkey", &body.payment_pubkey, &own.payment_pubkey),
                ("recieveAddress", &body.recieve_address, &own.ordinal_address),
            ] {
                if !given.eq_ignore_ascii_case(known) {
                    let detail = format!("{field} is not the one you signed in with");
                    return Err(ApiError::new(ErrorCode::InvalidField, detail).with_values(json!({"field": field})));
                }
            }
            let (loan_service, party) = (app.loan_service_for_lookups(caller.user())?, party(&app, &caller)?);
            let (ticker, decimals) = app.token(&body.ticker)?;
            let amount = token_amount::parse(&body.amount, decimals).ok_or_else(|| {
                let detail = format!("amount must be a number of tokens with at most {decimals} decimals");
                ApiError::new(ErrorCode::InvalidField, detail).with_values(json!({"field": "amount"}))
            })?;
            let request = TransferOrderRequest {
                user: caller.user(),
                transfer: Brc20Transfer::new(&ticker, amount).map_err(TransferOrderError::from)?,
                payment: party.payment,
                ordinals: party.ordinals_key(),
                fee_rate: fee_rate::parse("feeRate", &body.fee_rate)?,
            };
            let prepared = loan_service.prepare_order(&request).await?;
            Answer::created(&PreparedTransfer {
                order_id: prepared.order.to_string(),
                transaction_base64: prepared.transaction,
                sides: prepared.sides,
                expires_at: prepared.expires_at,
                fee_sats: prepared.fees.to_sat(),
            })
        })
        .await
}

/// Takes the signed transaction of an order and broadcasts it together with the one that reveals the inscription. A
/// repeated request returns the same answer.
///
/// # Errors
/// [`ErrorCode::UnknownOrder`], [`ErrorCode::OrderEnded`], [`ErrorCode::CoinChanged`],
/// [`ErrorCode::TransactionNotTaken`], and one code for each way in which the transaction can have been altered.
#[utoipa::path(post, path = "/api/v1/brc20/orders/commit", operation_id = "commitTransfer", tag = "brc20", security(("session" = [])),
    request_body = CommitTransfer,
    responses((status = 200, body = CommittedTransfer), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem)))]
pub async fn commit(app: web::Data<App>, write: Write<CommitTransfer>) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let shared = app.clone();
    execution
        .once(&shared, async move {
            let order: TransferOrderId = body.order_id.parse().map_err(|_| ApiError::plain(ErrorCode::UnknownOrder))?;
            let home = party(&app, &caller)?.ordinals_key();
            let reveal = app.loan_service()?.commit_order(caller.user(), &home, order, &body.signed_base64).await?;
            Answer::ok(&CommittedTransfer { reveal_transaction: reveal.to_string() })
        })
        .await
}
