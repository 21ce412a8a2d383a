//! `/api/v1/loans/{loan_id}/countersignature`: the lender's signature of a loan that a borrower accepted.

use actix_web::{HttpRequest, HttpResponse, web};
use domain::{BorrowerRecord, UnixMs};
use engine::wire::LenderReturnView;
use lending::origination::countersign::Countersigned;
use lending::service::sides::Side;
use lending::service::unsigned_transactions::UnsignedPsbt;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::contract_view::ContractView;
use super::ids;
use crate::app::App;
use crate::extract::bodiless_write;
use crate::extract::own_read::OwnRead;
use crate::extract::signed_in::SignedIn;
use crate::extract::write::Write;
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;
use crate::http::request_limits::PAYOUTS;

/// A transaction to sign.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TransactionToSign {
    /// A PSBT in base64, without signatures.
    transaction_base64: String,
    /// The inputs to sign, and how.
    sides: Vec<Side>,
}

/// The transactions that the lender's wallet signs.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreparedCountersignature {
    /// The origination, a PSBT in base64, without the borrower's signatures.
    transaction_base64: String,
    /// The inputs to sign, and how.
    sides: Vec<Side>,
    /// The repayment, pre-signed in both of its versions (2 and 3), so that the borrower can repay without the lender.
    payouts: Vec<TransactionToSign>,
    /// The contract that the transactions follow from, to be checked by the client.
    contract: ContractView,
    /// The result for the lender.
    lender_return: LenderReturnView,
    /// The id that the origination will have.
    transaction_id: String,
    /// The time at which the loan lapses unless it is signed, in unix milliseconds.
    #[schema(value_type = u64)]
    expires_at: UnixMs,
    /// The outcomes of the borrower's other loans.
    borrower_record: BorrowerRecordView,
}

/// The outcomes of a borrower's loans.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BorrowerRecordView {
    /// Repaid loans.
    repaid: u32,
    /// Loans whose collateral the lender claimed.
    claimed: u32,
    /// Loans whose collateral the borrower spent before the lender had signed.
    collateral_moved: u32,
}

impl From<BorrowerRecord> for BorrowerRecordView {
    fn from(record: BorrowerRecord) -> Self {
        let BorrowerRecord { repaid, claimed, collateral_moved, last_claimed_at: _ } = record;
        Self { repaid, claimed, collateral_moved }
    }
}

/// The transactions that the lender's wallet signed.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Countersign {
    /// The wallet's name.
    #[expect(dead_code, reason = "sent by every client and of no consequence here")]
    wallet_name: String,
    /// The signed transaction, a PSBT in base64 or hexadecimal.
    base64: String,
    /// The signed repayments, in the order of `payouts` of the preparation.
    payouts: [String; PAYOUTS],
}

/// A transaction that was broadcast.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SentTransaction {
    /// The id of the transaction.
    transaction_id: String,
}

impl From<UnsignedPsbt> for TransactionToSign {
    fn from(transaction: UnsignedPsbt) -> Self {
        Self { transaction_base64: transaction.base64, sides: transaction.sides }
    }
}

impl From<bitcoin::Txid> for SentTransaction {
    fn from(txid: bitcoin::Txid) -> Self {
        Self { transaction_id: txid.to_string() }
    }
}

/// Returns the transactions that the lender's wallet signs for a loan that its borrower accepted.
///
/// # Errors
/// [`ErrorCode::UnknownLoan`], [`ErrorCode::LoanStage`]; [`ErrorCode::LoanRebuilt`] when one of the lender's coins was
/// spent and the borrower has to sign again; [`ErrorCode::CollateralGone`] when the collateral was spent, which ends
/// the loan; [`ErrorCode::ExtensionGone`] when the loan would extend another one and one of the borrower's coins was
/// spent.
#[utoipa::path(get, path = "/api/v1/loans/{loan_id}/countersignature", operation_id = "prepareCountersignature", tag = "loans", security(("session" = [])),
    params(("loan_id" = String, Path,)),
    responses((status = 200, body = PreparedCountersignature), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn prepare(
    app: web::Data<App>,
    OwnRead(lender): OwnRead,
    path: web::Path<String>,
) -> Result<HttpResponse, ApiError> {
    let id = ids::loan(&path)?;
    let unsigned = app.loan_service_for_lookups(lender.user())?.prepare_countersign(lender.user(), id).await?;
    let borrower = app.market.loan(id).await.map(|loan| app.market.borrower_record(loan.deal.borrower));
    let (txid, expires_at) = (unsigned.origination.txid.to_string(), unsigned.origination.expires_at);
    let contract = ContractView::from(&*unsigned.origination.contract);
    let first = unsigned.origination.transactions.into_iter().next();
    let first = first.map(TransactionToSign::from).ok_or_else(|| ApiError::plain(ErrorCode::Internal))?;
    Ok(HttpResponse::Ok().json(PreparedCountersignature {
        transaction_base64: first.transaction_base64,
        sides: first.sides,
        payouts: unsigned.payouts.map(TransactionToSign::from).into(),
        contract,
        lender_return: unsigned.lender_return.into(),
        transaction_id: txid,
        expires_at,
        borrower_record: borrower.unwrap_or_default().into(),
    }))
}

/// Takes the lender's signatures and broadcasts the loan's transaction. A repeated request returns the same answer.
///
/// # Errors
/// Those of the preparation, and one code for each way in which a transaction can have been altered.
#[utoipa::path(post, path = "/api/v1/loans/{loan_id}/countersignature", operation_id = "countersign", tag = "loans", security(("session" = [])),
    params(("loan_id" = String, Path,)), request_body = Countersign,
    responses((status = 200, body = SentTransaction), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem)))]
pub async fn submit(
    app: web::Data<App>,
    path: web::Path<String>,
    write: Write<Countersign>,
) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let shared = app.clone();
    execution
        .once(&shared, async move {
            let signed = Countersigned { origination: body.base64, payouts: body.payouts };
            let txid = app.loan_service()?.countersign(caller.user(), ids::loan(&path)?, &signed).await?;
            Answer::ok(&SentTransaction::from(txid))
        })
        .await
}

/// Refuses a loan that its borrower accepted and releases everything reserved for it.
///
/// # Errors
/// [`ErrorCode::UnknownLoan`], [`ErrorCode::LoanStage`].
#[utoipa::path(delete, path = "/api/v1/loans/{loan_id}/countersignature", operation_id = "refuseLoan", tag = "loans", security(("session" = [])),
    params(("loan_id" = String, Path,)), responses((status = 204), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn refuse(
    app: web::Data<App>,
    request: HttpRequest,
    lender: SignedIn,
    path: web::Path<String>,
) -> Result<HttpResponse, ApiError> {
    let work = async {
        app.loan_service()?.refuse(lender.user(), ids::loan(&path)?).await?;
        Ok(Answer::no_content())
    };
    bodiless_write::execute(&app, &request, &lender, work).await
}
