//! `/api/v1/offers/instant/{kind}/{offer_id}`: acceptance of an instant offer, which its vault funds at once.

use actix_web::{HttpResponse, web};
use domain::{CollateralType, CollectionGroup, OfferId};
use serde::Deserialize;
use serde_json::Number;
use utoipa::ToSchema;

use super::acceptances::{LoanRequestFields, PreparedAcceptance};
use super::countersignatures::SentTransaction;
use super::ids;
use crate::app::App;
use crate::bot_check::Guarded;
use crate::extract::write::Write;
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;
use crate::offers::own_offer;
use crate::routes::session::wallet;

/// The collateral, fee rate and keys of an instant loan.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PrepareInstantLoan {
    /// Sats per virtual byte, with at most three decimals.
    #[schema(value_type = f64)]
    fee_rate: Number,
    /// The inscription to pledge, in a collection of inscriptions.
    #[serde(default)]
    inscription_id: Option<String>,
    /// The inscriptions to pledge together, for an offer that fills a borrow request for several.
    #[serde(default)]
    inscription_ids: Vec<String>,
    /// The number of tokens to pledge as a decimal string, in a collection of a rune.
    #[serde(default)]
    token_amount: Option<String>,
    /// The caller's loan that this one refinances: its collateral is pledged again, and its lender is repaid.
    #[serde(default)]
    refinanced_loan_id: Option<String>,
    /// The wallet's name.
    #[expect(dead_code, reason = "sent by every client and of no consequence here")]
    borrower_wallet: String,
    /// The addresses and keys of the session, which sign the loan.
    borrower_payment_address: String,
    borrower_payment_pubkey: String,
    borrower_ordinal_address: String,
    borrower_ordinal_pubkey: String,
    /// Whether it is a hardware wallet.
    #[serde(default)]
    hardware_wallet: bool,
    /// The token of the bot check; needed only after a refusal that asks for it.
    #[serde(default)]
    cf_turnstile_response: Option<String>,
}

/// The transaction that the borrower's wallet signed.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SubmitInstantLoan {
    /// `offerAcceptRequestId` of the prepared loan.
    offer_accept_request_id: String,
    /// The wallet's name.
    #[expect(dead_code, reason = "sent by every client and of no consequence here")]
    wallet_name: String,
    /// The signed transaction, a PSBT in base64 or hexadecimal.
    signed_psbt: String,
}

/// Prepares an instant loan, to be signed within 5 minutes. Nothing is reserved before the signature arrives: another
/// borrower may be faster. A repeated request returns the same answer.
///
/// # Errors
/// The codes of offers, of collateral, of the vault signer, of node and indexer, of the bot check;
/// [`ErrorCode::OrdinalsUnproven`], [`ErrorCode::TooManyPrepared`], [`ErrorCode::PreparePostponed`].
#[utoipa::path(post, path = "/api/v1/offers/instant/{kind}/{offer_id}/prepare-accept", operation_id = "prepareInstantLoan", tag = "borrow", security(("session" = [])),
    params(("kind" = String, Path, description = "`ordinals` or `runes`"), ("offer_id" = String, Path,)),
    request_body = PrepareInstantLoan,
    responses((status = 201, body = PreparedAcceptance), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem)))]
pub async fn prepare(
    app: web::Data<App>,
    path: web::Path<(String, String)>,
    write: Write<PrepareInstantLoan>,
) -> Result<HttpResponse, ApiError> {
    let Write { caller: borrower, body, execution } = write;
    borrower.require_proven()?;
    let (shared, visitor) = (app.clone(), execution.visitor());
    execution
        .once(&shared, async move {
            let (kind, offer) = path.into_inner();
            check_kind(&app, &kind, own_offer::parse_id(&offer)?)?;
            let given = [
                ("borrower_payment_address", body.borrower_payment_address.as_str()),
                ("borrower_payment_pubkey", &body.borrower_payment_pubkey),
                ("borrower_ordinal_address", &body.borrower_ordinal_address),
                ("borrower_ordinal_pubkey", &body.borrower_ordinal_pubkey),
            ];
            wallet::check(&borrower.addresses, given)?;
            let fields = LoanRequestFields {
                offer: &offer,
                inscriptions: body.inscription_ids.iter().chain(&body.inscription_id).map(String::as_str).collect(),
                amount: body.token_amount.as_deref().map(|amount| ("token_amount", amount)),
                fee_rate: ("fee_rate", &body.fee_rate),
                is_hardware_wallet: body.hardware_wallet,
                refinances: body.refinanced_loan_id.as_deref(),
                link_key: None,
            };
            let request = fields.parse(&app, &borrower)?;
            let loan_service = app.loan_service_for_lookups(borrower.user())?;
            app.admit(Guarded::Loan, visitor, body.cf_turnstile_response.as_deref()).await?;
            let unsigned = loan_service.prepare_instant(&request).await?;
            Answer::created(&PreparedAcceptance::from(unsigned))
        })
        .await
}

/// Takes the borrower's signatures, has the vault signer sign, and broadcasts the loan's transaction. A repeated
/// request returns the same answer.
///
/// # Errors
/// [`ErrorCode::UnknownReservation`], [`ErrorCode::LoanStage`], [`ErrorCode::ReservationExpired`],
/// [`ErrorCode::OfferTaken`], [`ErrorCode::OfferUsed`], [`ErrorCode::CoinChanged`], the codes of the vault signer, and
/// one code for each way in which the transaction can have been altered.
#[utoipa::path(post, path = "/api/v1/offers/instant/{kind}/{offer_id}/accept", operation_id = "submitInstantLoan", tag = "borrow", security(("session" = [])),
    params(("kind" = String, Path, description = "`ordinals` or `runes`"), ("offer_id" = String, Path,)),
    request_body = SubmitInstantLoan,
    responses((status = 200, body = SentTransaction), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem)))]
pub async fn submit(
    app: web::Data<App>,
    path: web::Path<(String, String)>,
    write: Write<SubmitInstantLoan>,
) -> Result<HttpResponse, ApiError> {
    let Write { caller: borrower, body, execution } = write;
    let shared = app.clone();
    execution
        .once(&shared, async move {
            let (kind, offer) = path.into_inner();
            let offer = own_offer::parse_id(&offer)?;
            check_kind(&app, &kind, offer)?;
            let id = ids::acceptance(&body.offer_accept_request_id)?;
            // A loan that has lapsed is refused below with a code of its own.
            if app.market.loan(id).await.is_some_and(|loan| loan.deal.offer != offer) {
                return Err(ApiError::plain(ErrorCode::UnknownReservation));
            }
            let txid = app.loan_service()?.submit_instant(borrower.user(), id, &[body.signed_psbt]).await?;
            Answer::ok(&SentTransaction::from(txid))
        })
        .await
}

/// Refuses unless the kind in the path is that of the offer's collection.
fn check_kind(app: &App, kind: &str, offer: OfferId) -> Result<(), ApiError> {
    let group = app.market.group(offer.group());
    let is_of_kind = |group: &CollectionGroup| match kind {
        "ordinals" => matches!(group.collateral, CollateralType::Inscription),
        _ => matches!(group.collateral, CollateralType::Rune { .. }),
    };
    if !matches!(kind, "ordinals" | "runes") {
        return Err(ApiError::plain(ErrorCode::NotFound));
    }
    // An unknown offer is refused where it is looked up.
    let fits = group.is_none_or(|group| is_of_kind(&group));
    if fits { Ok(()) } else { Err(ApiError::plain(ErrorCode::ProcessNotTaken)) }
}
