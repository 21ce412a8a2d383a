//! `/api/v1/loans/repayment` and `/api/v1/loans/{loan_id}/claim`: repayment and claim.

use actix_web::{HttpResponse, web};
use domain::LoanId;
use lending::ending::repay::UnsignedEnding;
use lending::service::sides::Side;
use serde::{Deserialize, Serialize};
use serde_json::Number;
use utoipa::ToSchema;

use super::countersignatures::SentTransaction;
use super::ids;
use crate::app::App;
use crate::extract::write::Write;
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};
use crate::http::fee_rate;

/// Loans to repay.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PrepareRepayment {
    /// 1 to 10 loans, repaid in one transaction.
    loan_ids: Vec<String>,
    /// Sats per virtual byte, with at most three decimals.
    #[schema(value_type = f64)]
    fee_rate: Number,
}

/// A repayment that the borrower's wallet signed.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SubmitRepayment {
    /// The loans that it was prepared for.
    loan_ids: Vec<String>,
    /// The wallet's name.
    #[expect(dead_code, reason = "sent by every client and of no consequence here")]
    wallet_name: String,
    /// The signed transaction, a PSBT in base64 or hexadecimal.
    base64: String,
}

/// The fee rate of a claim.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PrepareClaim {
    /// Sats per virtual byte, with at most three decimals.
    #[schema(value_type = f64)]
    fee_rate: Number,
}

/// A claim that the lender's wallet signed.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SubmitClaim {
    /// The wallet's name.
    #[expect(dead_code, reason = "sent by every client and of no consequence here")]
    wallet_name: String,
    /// The signed transaction, a PSBT in base64 or hexadecimal.
    base64: String,
}

/// A transaction that ends a loan, to be signed.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreparedEnding {
    /// A PSBT in base64.
    transaction_base64: String,
    /// The inputs to sign, and how.
    sides: Vec<Side>,
    /// The id that the transaction will have.
    transaction_id: String,
    /// The fee, in sats.
    fee_sats: u64,
}

impl From<UnsignedEnding> for PreparedEnding {
    fn from(unsigned: UnsignedEnding) -> Self {
        Self {
            transaction_base64: unsigned.transaction.base64,
            sides: unsigned.transaction.sides,
            transaction_id: unsigned.txid.to_string(),
            fee_sats: unsigned.fee.to_sat(),
        }
    }
}

/// Prepares the repayment of one or more of the caller's loans; with a higher fee it replaces a repayment that is not
/// confirmed yet.
///
/// # Errors
/// [`crate::http::error_code::ErrorCode::UnknownLoan`], [`crate::http::error_code::ErrorCode::LoanStage`],
/// [`crate::http::error_code::ErrorCode::InsufficientFunds`],
/// [`crate::http::error_code::ErrorCode::FeeRateOutOfRange`], the codes of node and indexer.
#[utoipa::path(post, path = "/api/v1/loans/repayment/prepare", operation_id = "prepareRepayment", tag = "loans", security(("session" = [])),
    request_body = PrepareRepayment,
    responses((status = 200, body = PreparedEnding), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem)))]
pub async fn prepare_repayment(app: web::Data<App>, write: Write<PrepareRepayment>) -> Result<HttpResponse, ApiError> {
    let Write { caller: borrower, body, execution } = write;
    let shared = app.clone();
    execution
        .once(&shared, async move {
            let (ids, rate) = (ids(&body.loan_ids)?, fee_rate::parse("feeRate", &body.fee_rate)?);
            Answer::ok(&PreparedEnding::from(
                app.loan_service_for_lookups(borrower.user())?.prepare_repayment(borrower.user(), &ids, rate).await?,
            ))
        })
        .await
}

/// Takes the borrower's signatures and broadcasts the repayment. A repeated request returns the same answer.
///
/// # Errors
/// Those of the preparation, [`crate::http::error_code::ErrorCode::TransactionNotTaken`], and one code for each way in
/// which the transaction can have been altered.
#[utoipa::path(post, path = "/api/v1/loans/repayment", operation_id = "submitRepayment", tag = "loans", security(("session" = [])),
    request_body = SubmitRepayment,
    responses((status = 200, body = SentTransaction), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem)))]
pub async fn submit_repayment(app: web::Data<App>, write: Write<SubmitRepayment>) -> Result<HttpResponse, ApiError> {
    let Write { caller: borrower, body, execution } = write;
    let shared = app.clone();
    execution
        .once(&shared, async move {
            let ids = ids(&body.loan_ids)?;
            let txid = app.loan_service()?.submit_repayment(borrower.user(), &ids, &body.base64).await?;
            Answer::ok(&SentTransaction::from(txid))
        })
        .await
}

/// Prepares the claim of the collateral of a loan that was not repaid.
///
/// # Errors
/// [`crate::http::error_code::ErrorCode::UnknownLoan`], [`crate::http::error_code::ErrorCode::LoanStage`],
/// [`crate::http::error_code::ErrorCode::NotClaimable`], the codes of node and indexer.
#[utoipa::path(post, path = "/api/v1/loans/{loan_id}/claim/prepare", operation_id = "prepareClaim", tag = "loans", security(("session" = [])),
    params(("loan_id" = String, Path,)), request_body = PrepareClaim,
    responses((status = 200, body = PreparedEnding), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem)))]
pub async fn prepare_claim(
    app: web::Data<App>,
    path: web::Path<String>,
    write: Write<PrepareClaim>,
) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let shared = app.clone();
    execution
        .once(&shared, async move {
            let (id, rate) = (ids::loan(&path)?, fee_rate::parse("feeRate", &body.fee_rate)?);
            Answer::ok(&PreparedEnding::from(
                app.loan_service_for_lookups(caller.user())?.prepare_claim(caller.user(), id, rate).await?,
            ))
        })
        .await
}

/// Takes the lender's signatures and broadcasts the claim. A repeated request returns the same answer.
///
/// # Errors
/// Those of the preparation, [`crate::http::error_code::ErrorCode::TransactionNotTaken`], and one code for each way in
/// which the transaction can have been altered.
#[utoipa::path(post, path = "/api/v1/loans/{loan_id}/claim", operation_id = "submitClaim", tag = "loans", security(("session" = [])),
    params(("loan_id" = String, Path,)), request_body = SubmitClaim,
    responses((status = 200, body = SentTransaction), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem)))]
pub async fn submit_claim(
    app: web::Data<App>,
    path: web::Path<String>,
    write: Write<SubmitClaim>,
) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let shared = app.clone();
    execution
        .once(&shared, async move {
            let txid = app.loan_service()?.submit_claim(caller.user(), ids::loan(&path)?, &body.base64).await?;
            Answer::ok(&SentTransaction::from(txid))
        })
        .await
}

fn ids(texts: &[String]) -> Result<Vec<LoanId>, ApiError> {
    texts.iter().map(|text| ids::loan(text)).collect()
}
