//! `/api/v1/loans/manual`: acceptance of a manual offer.

use actix_web::{HttpRequest, HttpResponse, web};
use domain::{CollateralType, OfferId, Rejection, ReservationId, UnixMs};
use engine::wire::LoanCostView;
use escrow::decimal;
use lending::origination::loan_request::LoanRequest;
use lending::service::sides::Side;
use lending::service::unsigned_transactions::UnsignedLoan;
use serde::{Deserialize, Serialize};
use serde_json::{Number, json};
use utoipa::ToSchema;

use super::contract_view::ContractView;
use super::ids;
use crate::app::App;
use crate::bot_check::Guarded;
use crate::extract::bodiless_write;
use crate::extract::own_read::OwnRead;
use crate::extract::signed_in::SignedIn;
use crate::extract::write::Write;
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;
use crate::http::fee_rate;
use crate::http::inscription_ids;
use crate::offers::own_offer;
use crate::routes::session::wallet;

/// A manual offer to take.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PrepareAcceptance {
    /// The id of the offer.
    #[serde(rename = "offerId")]
    offer_id: String,
    /// The inscription to pledge; with BRC-20 the transfer inscription, if one in particular is wanted.
    #[serde(rename = "inscriptionId", default)]
    inscription_id: Option<String>,
    /// The inscriptions to pledge together, for an offer that fills a borrow request for several.
    #[serde(rename = "inscriptionIds", default)]
    inscription_ids: Vec<String>,
    /// The caller's loan that this one refinances: its collateral is pledged again, and its lender is repaid.
    #[serde(rename = "refinancedLoanId", default)]
    refinanced_loan_id: Option<String>,
    /// The key in the link of an unlisted offer.
    #[serde(rename = "linkKey", default)]
    link_key: Option<String>,
    /// Sats per virtual byte, with at most three decimals.
    #[serde(rename = "feeRate")]
    #[schema(value_type = f64)]
    fee_rate: Number,
    /// The wallet's name.
    #[expect(dead_code, reason = "sent by every client and of no consequence here")]
    borrower_wallet: String,
    /// The addresses and keys of the session, which sign the loan.
    borrower_payment_address: String,
    borrower_payment_pubkey: String,
    borrower_ordinal_address: String,
    borrower_ordinal_pubkey: String,
    /// Whether it is a hardware wallet.
    hardware_wallet: bool,
    /// The token of the bot check; needed only after a refusal that asks for it.
    #[serde(default)]
    cf_turnstile_response: Option<String>,
}

/// A loan that waits for the borrower's signature.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreparedAcceptance {
    /// The transaction to sign, a PSBT in base64.
    transaction_base64: String,
    /// The inputs to sign, and how.
    sides: Vec<Side>,
    /// With BRC-20, the second transaction to sign, which reveals the transfer inscription into the escrow.
    #[serde(skip_serializing_if = "Option::is_none")]
    reveal_base64: Option<String>,
    /// The inputs of the second transaction to sign, and how.
    #[serde(skip_serializing_if = "Option::is_none")]
    reveal_sides: Option<Vec<Side>>,
    /// The contract that the transactions follow from, to be checked by the client. For an instant loan it includes the
    /// signatures of the repayment, which exist already.
    contract: ContractView,
    /// The cost to the borrower.
    cost: LoanCostView,
    /// The id of the loan until it is accepted.
    offer_accept_request_id: String,
    /// The id of the loan once it is accepted.
    loan_id: String,
    /// The time at which it lapses unless it is signed, in unix milliseconds.
    #[schema(value_type = u64)]
    expires_at: UnixMs,
}

/// The transactions that the borrower's wallet signed.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AcceptLoan {
    /// `offerAcceptRequestId` of the prepared loan.
    accept_request: String,
    /// The wallet's name.
    #[expect(dead_code, reason = "sent by every client and of no consequence here")]
    wallet_name: String,
    /// The signed transaction, a PSBT in base64 or hexadecimal.
    base64: String,
    /// The second signed transaction, if there is one.
    #[serde(default)]
    reveal_base64: Option<String>,
}

/// A loan that waits for its lender.
#[derive(Serialize, ToSchema)]
pub struct AcceptedLoan {
    /// The id that the loan's transaction will have.
    loan_transaction_id: String,
}

impl From<bitcoin::Txid> for AcceptedLoan {
    fn from(txid: bitcoin::Txid) -> Self {
        Self { loan_transaction_id: txid.to_string() }
    }
}

impl From<UnsignedLoan> for PreparedAcceptance {
    fn from(unsigned: UnsignedLoan) -> Self {
        let contract = ContractView::from(&*unsigned.contract);
        let mut transactions = unsigned.transactions.into_iter();
        let (transaction_base64, sides) =
            transactions.next().map(|first| (first.base64, first.sides)).unwrap_or_default();
        let (reveal_base64, reveal_sides) = transactions.next().map(|reveal| (reveal.base64, reveal.sides)).unzip();
        Self {
            transaction_base64,
            sides,
            reveal_base64,
            reveal_sides,
            contract,
            cost: unsigned.cost.into(),
            offer_accept_request_id: ReservationId(unsigned.loan.0).to_string(),
            loan_id: unsigned.loan.to_string(),
            expires_at: unsigned.expires_at,
        }
    }
}

/// Prepares a loan against a manual offer, to be signed within 5 minutes. Nothing is reserved before the signature
/// arrives: another borrower may be faster. A repeated request returns the same answer.
///
/// # Errors
/// The codes of offers, of coins and collateral, of node and indexer, of the bot check; [`ErrorCode::OrdinalsUnproven`],
/// [`ErrorCode::TooManyPrepared`], [`ErrorCode::PreparePostponed`].
#[utoipa::path(post, path = "/api/v1/loans/manual/prepare", operation_id = "prepareManualLoan", tag = "borrow", security(("session" = [])),
    request_body = PrepareAcceptance,
    responses((status = 201, body = PreparedAcceptance), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem)))]
pub async fn prepare(app: web::Data<App>, write: Write<PrepareAcceptance>) -> Result<HttpResponse, ApiError> {
    let Write { caller: borrower, body, execution } = write;
    borrower.require_proven()?;
    let (shared, visitor) = (app.clone(), execution.visitor());
    execution
        .once(&shared, async move {
            let given = [
                ("borrower_payment_address", body.borrower_payment_address.as_str()),
                ("borrower_payment_pubkey", &body.borrower_payment_pubkey),
                ("borrower_ordinal_address", &body.borrower_ordinal_address),
                ("borrower_ordinal_pubkey", &body.borrower_ordinal_pubkey),
            ];
            wallet::check(&borrower.addresses, given)?;
            let fields = LoanRequestFields {
                offer: &body.offer_id,
                inscriptions: body.inscription_ids.iter().chain(&body.inscription_id).map(String::as_str).collect(),
                amount: None,
                fee_rate: ("feeRate", &body.fee_rate),
                is_hardware_wallet: body.hardware_wallet,
                refinances: body.refinanced_loan_id.as_deref(),
                link_key: body.link_key.as_deref(),
            };
            let request = fields.parse(&app, &borrower)?;
            let loan_service = app.loan_service_for_lookups(borrower.user())?;
            app.admit(Guarded::Loan, visitor, body.cf_turnstile_response.as_deref()).await?;
            let unsigned = loan_service.prepare(&request).await?;
            Answer::created(&PreparedAcceptance::from(unsigned))
        })
        .await
}

/// Takes the borrower's signatures. The lender has 12 hours to counter-sign and never sees them. A repeated request
/// returns the same answer.
///
/// # Errors
/// [`ErrorCode::UnknownReservation`], [`ErrorCode::LoanStage`], [`ErrorCode::ReservationExpired`],
/// [`ErrorCode::OfferTaken`], [`ErrorCode::OfferUsed`], [`ErrorCode::CoinChanged`], and one code for each way in which
/// the transaction can have been altered.
#[utoipa::path(post, path = "/api/v1/loans/manual/accept", operation_id = "acceptManualLoan", tag = "borrow", security(("session" = [])),
    request_body = AcceptLoan,
    responses((status = 200, body = AcceptedLoan), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem)))]
pub async fn accept(app: web::Data<App>, write: Write<AcceptLoan>) -> Result<HttpResponse, ApiError> {
    let Write { caller: borrower, body, execution } = write;
    let shared = app.clone();
    execution
        .once(&shared, async move {
            let id = ids::acceptance(&body.accept_request)?;
            let signed: Vec<String> = std::iter::once(body.base64).chain(body.reveal_base64).collect();
            let txid = app.loan_service()?.accept(borrower.user(), id, &signed).await?;
            Answer::ok(&AcceptedLoan::from(txid))
        })
        .await
}

/// Returns the transactions of a loan that waits for its borrower's signature: for a client that lost the answer, or
/// after a coin of the loan was spent and the transactions were rebuilt.
///
/// # Errors
/// [`ErrorCode::UnknownLoan`], [`ErrorCode::LoanStage`].
#[utoipa::path(get, path = "/api/v1/loans/{loan_id}/acceptance", operation_id = "getPreparedLoan", tag = "borrow", security(("session" = [])),
    params(("loan_id" = String, Path,)),
    responses((status = 200, body = PreparedAcceptance), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn show(
    app: web::Data<App>,
    OwnRead(borrower): OwnRead,
    path: web::Path<String>,
) -> Result<HttpResponse, ApiError> {
    let unsigned = app.loan_service_for_lookups(borrower.user())?.prepared(borrower.user(), ids::loan(&path)?).await?;
    Ok(HttpResponse::Ok().json(PreparedAcceptance::from(unsigned)))
}

/// Withdraws a loan that its lender has not signed and releases everything reserved for it.
///
/// # Errors
/// [`ErrorCode::UnknownLoan`], [`ErrorCode::LoanStage`].
#[utoipa::path(delete, path = "/api/v1/loans/{loan_id}/acceptance", operation_id = "withdrawAcceptance", tag = "borrow", security(("session" = [])),
    params(("loan_id" = String, Path,)), responses((status = 204), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn withdraw(
    app: web::Data<App>,
    request: HttpRequest,
    borrower: SignedIn,
    path: web::Path<String>,
) -> Result<HttpResponse, ApiError> {
    let work = async {
        app.loan_service()?.withdraw(borrower.user(), ids::loan(&path)?).await?;
        Ok(Answer::no_content())
    };
    bodiless_write::execute(&app, &request, &borrower, work).await
}

/// A loan request as received, before it is parsed.
pub(super) struct LoanRequestFields<'a> {
    pub(super) offer: &'a str,
    /// The ids of inscriptions to pledge, under either name.
    pub(super) inscriptions: Vec<&'a str>,
    /// The amount in whole tokens, and the name of the field.
    pub(super) amount: Option<(&'a str, &'a str)>,
    pub(super) fee_rate: (&'a str, &'a Number),
    pub(super) is_hardware_wallet: bool,
    /// The loan that is refinanced.
    pub(super) refinances: Option<&'a str>,
    /// The key of an unlisted offer's link.
    pub(super) link_key: Option<&'a str>,
}

impl LoanRequestFields<'_> {
    /// Parses the request.
    pub(super) fn parse(&self, app: &App, borrower: &SignedIn) -> Result<LoanRequest, ApiError> {
        let offer = own_offer::parse_id(self.offer)?;
        let inscriptions = inscription_ids::parse(self.inscriptions.iter().copied())?;
        let inscriptions = inscriptions.into_iter().map(Into::into).collect();
        let (field, rate) = self.fee_rate;
        let amount_raw = self.amount.map(|(field, text)| raw(app, offer, field, text)).transpose()?;
        let fee_rate = fee_rate::parse(field, rate)?;
        let is_hardware_wallet = self.is_hardware_wallet || borrower.credential.is_hardware_wallet;
        let refinances = self.refinances.map(ids::loan).transpose()?;
        let link_key = self.link_key.map(str::parse).transpose();
        let link_key = link_key.map_err(|_| ApiError::from(Rejection::OfferUnlisted(offer)))?;
        let borrower = borrower.user();
        Ok(LoanRequest {
            borrower,
            offer,
            inscriptions,
            amount_raw,
            fee_rate,
            is_hardware_wallet,
            link_key,
            refinances,
        })
    }
}

/// Parses an amount of the tokens of an offer's collection.
fn raw(app: &App, offer: OfferId, field: &str, text: &str) -> Result<u128, ApiError> {
    let group = app.market.group(offer.group()).ok_or_else(|| ApiError::plain(ErrorCode::UnknownOffer))?;
    let decimals = match &group.collateral {
        CollateralType::Inscription => 0,
        tokens => tokens.decimals(),
    };
    decimal::parse_scaled(text, decimals).filter(|raw| *raw > 0).ok_or_else(|| {
        let detail = format!("{field} must be a number of tokens with at most {decimals} decimals");
        ApiError::new(ErrorCode::InvalidField, detail).with_values(json!({"field": field}))
    })
}
