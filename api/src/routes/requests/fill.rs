//! `POST /api/v1/requests/{request_id}/fill`: a lender fills a borrow request, from the wallet or the vault.

use actix_web::{HttpResponse, web};
use domain::{
    Allowance, BorrowRequest, Bundle, CollectionGroup, Command, KeyQuote, Ltv, OfferDraft, ProcessType, Rejection,
    Sats, SubCollection, UnixMs, UserId,
};
use engine::wire::MyOffer;
use escrow::action::Action;
use serde::Deserialize;
use utoipa::ToSchema;

use super::parse_id;
use crate::app::App;
use crate::bot_check::Guarded;
use crate::extract::signed_in::SignedIn;
use crate::extract::write::Write;
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;
use crate::routes::offers::manual::{OneOffer, last};
use crate::routes::offers::signed_terms::{self, ExpectedOffer};
use crate::session::signed_message::SignedMessage;

/// The loan that a lender makes to the borrower of a request: principal and collateral are those of the request.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct FillRequest {
    /// The slug of the sub-collection, which fixes term and interest.
    collection_slug: String,
    /// The time until which the borrower can sign, in unix milliseconds, 10 minutes to 72 hours from now; absent for 12
    /// hours. An offer from the vault names it, in whole seconds.
    #[serde(default)]
    good_until: Option<u64>,
    /// The terms of an offer from the vault; absent if the lender counter-signs the loan.
    #[serde(default)]
    instant: Option<InstantFill>,
    /// The token of the bot check; needed only after a refusal that asks for it.
    #[serde(default, rename = "cf_turnstile_response")]
    cf_turnstile_response: Option<String>,
}

/// An offer from the vault, which funds the loan when the borrower has signed.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct InstantFill {
    /// The LTV above which the offer pauses, in percent times 100.
    ltv_max: u32,
    /// The signature of `message` by the payment address.
    signature: String,
    /// `Issued` of the message, in unix seconds.
    signature_timestamp: u64,
    /// The signed `create offer`, with the borrower's payment address and the time as `Borrower` and `Good until`,
    /// and the number of several inscriptions as `Inscriptions`.
    message: String,
}

/// Fills a borrow request by an offer that only its borrower can take, with the collateral of the request. The borrower
/// gets a notice, and signs the loan before the time is over.
///
/// # Errors
/// [`ErrorCode::UnknownRequest`], [`ErrorCode::RequestFilled`], [`ErrorCode::RequestExpired`],
/// [`ErrorCode::TermsOutsideRequest`]; [`ErrorCode::CollateralGone`] when the inscription is not with the borrower any
/// more, which ends the request; the codes of offers, messages, signatures, wallet lookups and the bot check.
#[utoipa::path(post, path = "/api/v1/requests/{request_id}/fill", operation_id = "fillBorrowRequest", tag = "offers",
    security(("session" = [])), params(("request_id" = String, Path,)), request_body = FillRequest,
    responses((status = 201, body = OneOffer), (status = 404, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
pub async fn fill(
    app: web::Data<App>,
    path: web::Path<String>,
    write: Write<FillRequest>,
) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let (shared, visitor) = (app.clone(), execution.visitor());
    execution
        .once(&shared, async move {
            let id = parse_id(&path)?;
            let unknown = || ApiError::from(Rejection::UnknownRequest(id));
            let group = app.market.group(id.group()).ok_or_else(unknown)?;
            let request = app.market.request_terms(id).await?.ok_or_else(unknown)?;
            if request.filled_by.is_some() {
                return Err(Rejection::RequestFilled(id).into());
            }
            let sub = sub_collection(&app, &group, &body.collection_slug)?;
            app.admit(Guarded::Offer, visitor, body.cf_turnstile_response.as_deref()).await?;
            app.loan_service_for_lookups(caller.user())?.check_collateral_to_fill(&request, &group).await?;
            let quote = KeyQuote { group: group.id, principal: request.terms.principal, count: 1 };
            let fill = async {
                let offer = match &body.instant {
                    Some(instant) => fill_instant(&app, &caller, &request, &sub, &body, instant).await?,
                    None => fill_manual(&app, caller.user(), &request, &sub, &body).await?,
                };
                Ok((offer, Sats::ZERO))
            };
            let offer = Box::pin(caller.quote_within_limits(&app, &[quote], &[], fill)).await?;
            Answer::created(&OneOffer { offer })
        })
        .await
}

fn sub_collection(app: &App, group: &CollectionGroup, slug: &str) -> Result<SubCollection, ApiError> {
    let unknown = || ApiError::plain(ErrorCode::UnknownCollection);
    let (found, sub) = app.market.sub_collection_named(slug).ok_or_else(unknown)?;
    if found.id != group.id {
        return Err(ApiError::new(ErrorCode::WrongCollection, "the request is in another collection"));
    }
    found.sub_collection(sub).cloned().ok_or_else(unknown)
}

async fn fill_manual(
    app: &App,
    lender: UserId,
    request: &BorrowRequest,
    sub: &SubCollection,
    body: &FillRequest,
) -> Result<MyOffer, ApiError> {
    let draft = draft(request, sub, body, None);
    let command =
        Command::FillRequest { lender, request: request.id, draft, usable: None, allowance: Allowance::default() };
    last(app.market.command(request.id.group(), command, None).await?.offers)
}

async fn fill_instant(
    app: &App,
    lender: &SignedIn,
    request: &BorrowRequest,
    sub: &SubCollection,
    body: &FillRequest,
    instant: &InstantFill,
) -> Result<MyOffer, ApiError> {
    let InstantFill { ltv_max, signature, signature_timestamp, message } = instant;
    let signed = signed_terms::check_unused_message(app, lender, message, signature, *signature_timestamp).await?;
    let Action::CreateOffer(offer) = signed.action() else {
        return Err(SignedMessage::wrong_action("create offer"));
    };
    if body.good_until.is_none() {
        return Err(ApiError::new(
            ErrorCode::InvalidField,
            "goodUntil is missing, which an offer from the vault names",
        ));
    }
    let draft = draft(request, sub, body, Some(Ltv::from_basis_points(*ltv_max)));
    let expected = ExpectedOffer {
        collection_slug: &body.collection_slug,
        principal_sats: draft.principal.get(),
        principal_min_sats: None,
        fungible_amount: draft.quantity.map(|quantity| quantity.raw),
        inscriptions: u32::try_from(request.terms.inscriptions.len()).ok().filter(|count| *count > 1),
        ltv_max: *ltv_max,
        accept_next_term: draft.accepts_next_term,
        borrower_address: Some(&request.terms.borrower.payment_address),
        good_until: body.good_until,
    };
    expected.compare(offer, &app.vault_signer_id(lender.user()).await?)?;
    let signed_action = signed_terms::signed_action(&signed, message.clone(), signature.clone());
    Ok(app.instant_offers().fill(request.id, lender.user(), draft, signed_action).await?)
}

fn draft(request: &BorrowRequest, sub: &SubCollection, body: &FillRequest, max_ltv: Option<Ltv>) -> OfferDraft {
    OfferDraft {
        cancels_on_disconnect: false,
        sub_collection: sub.id,
        process: if max_ltv.is_some() { ProcessType::Instant } else { ProcessType::Manual },
        principal: request.terms.principal,
        quantity: (sub.bundle == Bundle::Open).then_some(request.terms.quantity),
        max_ltv,
        principal_min: None,
        accepts_next_term: false,
        good_until: body.good_until.map(UnixMs),
        conditions: None,
    }
}
