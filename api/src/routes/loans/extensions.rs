//! `/api/v1/loans/{loan_id}/extension`: a borrower's request for a new term.
//!
//! An extension is signed as a loan of its own that follows the running one. The lender counter-signs or refuses it,
//! and the borrower fetches it again or withdraws it, as with any accepted loan.

use actix_web::{HttpResponse, web};
use domain::{TermDays, UnixMs};
use engine::wire::LoanCostView;
use lending::ending::extend::{ExtensionRequest, UnsignedExtension};
use lending::service::sides::Side;
use serde::{Deserialize, Serialize};
use serde_json::Number;
use utoipa::ToSchema;

use super::acceptances::AcceptedLoan;
use super::contract_view::ContractView;
use super::ids;
use crate::app::App;
use crate::extract::write::Write;
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;
use crate::http::fee_rate;
use crate::routes::negotiations;

/// The next term of a loan.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PrepareExtension {
    /// The length of the next term in days, counted from the day on which the loan is due: the loan's own term, another
    /// one of its collection, or with `negotiationId` the agreed one.
    term_days: u16,
    /// The negotiation about this loan in which both sides agreed on interest and term.
    #[serde(default)]
    negotiation_id: Option<String>,
    /// Sats per virtual byte, with at most three decimals.
    #[schema(value_type = f64)]
    fee_rate: Number,
}

/// An extension that waits for the borrower's signature.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreparedExtension {
    /// The transaction to sign, a PSBT in base64.
    transaction_base64: String,
    /// The inputs to sign, and how.
    sides: Vec<Side>,
    /// The contract that the transaction follows from, to be checked by the client.
    contract: ContractView,
    /// The cost of the next term to the borrower. The interest of the running one is no part of it.
    cost: LoanCostView,
    /// The id of the extension, which is the id of the loan that follows.
    extension_request_id: String,
    /// The interest of the running term, in sats, which this transaction pays to the lender.
    interest_now_sats: u64,
    /// The interest of the next term, in sats.
    interest_sats: u64,
    /// The amount to repay at the end of the next term, in sats.
    payout_sats: u64,
    /// The time at which it is due, in unix milliseconds.
    #[schema(value_type = u64)]
    due_at: UnixMs,
    /// The time after which the lender may claim the collateral, in unix milliseconds.
    #[schema(value_type = u64)]
    claim_after: UnixMs,
    /// The id that the transaction will have.
    transaction_id: String,
    /// The time at which the extension lapses unless it is signed, in unix milliseconds.
    #[schema(value_type = u64)]
    expires_at: UnixMs,
}

/// The transaction that the borrower's wallet signed.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SubmitExtension {
    /// `extensionRequestId` of the prepared extension.
    extension_request_id: String,
    /// The wallet's name.
    #[expect(dead_code, reason = "sent by every client and of no consequence here")]
    wallet_name: String,
    /// The signed transaction, a PSBT in base64 or hexadecimal.
    base64: String,
}

impl From<UnsignedExtension> for PreparedExtension {
    fn from(prepared: UnsignedExtension) -> Self {
        let UnsignedExtension { unsigned, interest_now, deal, due_at } = prepared;
        let contract = ContractView::from(&*unsigned.contract);
        let first = unsigned.transactions.into_iter().next();
        let (transaction_base64, sides) = first.map(|first| (first.base64, first.sides)).unwrap_or_default();
        Self {
            transaction_base64,
            sides,
            contract,
            cost: unsigned.cost.into(),
            extension_request_id: unsigned.loan.to_string(),
            interest_now_sats: interest_now.get(),
            interest_sats: deal.interest.get(),
            payout_sats: deal.payout().get(),
            due_at,
            claim_after: deal.claim_after,
            transaction_id: unsigned.txid.to_string(),
            expires_at: unsigned.expires_at,
        }
    }
}

/// Prepares an extension of one of the caller's manual loans against an inscription or a rune: the interest of the
/// running term is paid now, and the next term follows at the same principal, on the terms of the collection or on those
/// that both sides agreed on in a negotiation. A repeated request returns the same answer.
///
/// # Errors
/// [`ErrorCode::UnknownLoan`], [`ErrorCode::LoanStage`], [`ErrorCode::UnknownNegotiation`], [`ErrorCode::NotExtendable`]
/// for a term that neither the collection has nor the negotiation agreed on, [`ErrorCode::CollateralPledged`]
/// while another request waits for the lender, [`ErrorCode::HardwareWallet`], [`ErrorCode::InsufficientFunds`],
/// [`ErrorCode::FeeRateOutOfRange`], the codes of node and indexer.
#[utoipa::path(post, path = "/api/v1/loans/{loan_id}/extension/prepare", operation_id = "prepareExtension", tag = "loans", security(("session" = [])),
    params(("loan_id" = String, Path,)), request_body = PrepareExtension,
    responses((status = 201, body = PreparedExtension), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem)))]
pub async fn prepare(
    app: web::Data<App>,
    path: web::Path<String>,
    write: Write<PrepareExtension>,
) -> Result<HttpResponse, ApiError> {
    let Write { caller: borrower, body, execution } = write;
    let shared = app.clone();
    execution
        .once(&shared, async move {
            let fee_rate = fee_rate::parse("feeRate", &body.fee_rate)?;
            let (loan, days) = (ids::loan(&path)?, TermDays(body.term_days));
            let agreed_in = body.negotiation_id.as_deref().map(|id| negotiations::parse_id(&app, id)).transpose()?;
            let (borrower, is_hardware_wallet) = (borrower.user(), borrower.credential.is_hardware_wallet);
            let request = ExtensionRequest { borrower, loan, days, agreed_in, fee_rate, is_hardware_wallet };
            Answer::created(&PreparedExtension::from(
                app.loan_service_for_lookups(request.borrower)?.prepare_extension(&request).await?,
            ))
        })
        .await
}

/// Takes the borrower's signatures. The lender has 12 hours to counter-sign and never sees them. A repeated request
/// returns the same answer.
///
/// # Errors
/// [`ErrorCode::UnknownLoan`], [`ErrorCode::LoanStage`], [`ErrorCode::ReservationExpired`], [`ErrorCode::CoinChanged`],
/// and one code for each way in which the transaction can have been altered.
#[utoipa::path(post, path = "/api/v1/loans/{loan_id}/extension", operation_id = "submitExtension", tag = "loans", security(("session" = [])),
    params(("loan_id" = String, Path,)), request_body = SubmitExtension,
    responses((status = 200, body = AcceptedLoan), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem)))]
pub async fn submit(
    app: web::Data<App>,
    path: web::Path<String>,
    write: Write<SubmitExtension>,
) -> Result<HttpResponse, ApiError> {
    let Write { caller: borrower, body, execution } = write;
    let shared = app.clone();
    execution
        .once(&shared, async move {
            let (loan, extension) = (ids::loan(&path)?, ids::loan(&body.extension_request_id)?);
            let known = app.market.loan(extension).await;
            if known.is_none_or(|known| known.deal.follows != Some(loan)) {
                return Err(ApiError::plain(ErrorCode::UnknownLoan));
            }
            let txid = app.loan_service()?.accept(borrower.user(), extension, &[body.base64]).await?;
            Answer::ok(&AcceptedLoan::from(txid))
        })
        .await
}
