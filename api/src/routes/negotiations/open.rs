//! `POST /api/v1/negotiations`: a borrower proposes other terms than an offer's, a lender other terms than a borrow
//! request's, or either side of a running loan the terms of its extension.

use actix_web::{HttpResponse, web};
use domain::{
    BookEvent, CollateralType, CollectionGroup, Command, LoanId, NamedBorrower, NegotiationId, OfferId, Quantity,
    RequestId, Taker, TermDays, UnixMs,
};
use engine::wire::NegotiationView;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{as_seen_by, terms};
use crate::app::App;
use crate::bot_check::Guarded;
use crate::extract::signed_in::SignedIn;
use crate::extract::write::Write;
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;
use crate::http::inscription_ids;
use crate::routes::offers::signed_terms::parse_amount;

/// A first proposal. Exactly one of `offerId`, `requestId` and `loanId` names what it is about.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct OpenNegotiation {
    /// The offer, of which the caller would be the borrower.
    #[serde(default)]
    offer_id: Option<String>,
    /// The borrow request, of which the caller would be the lender.
    #[serde(default)]
    request_id: Option<String>,
    /// The running loan to extend, of which the caller is one of the two sides.
    #[serde(default)]
    loan_id: Option<String>,
    /// The inscription to pledge, with an offer against inscriptions.
    #[serde(default)]
    inscription_id: Option<String>,
    /// The amount of tokens to pledge in raw units, with an offer that is open in its amount.
    #[serde(default)]
    fungible_amount: Option<String>,
    /// The proposed principal; that of the loan with `loanId`.
    principal_amount_sats: u64,
    /// The proposed interest for the whole term, in percent times 100.
    interest: u32,
    /// The proposed term, in days.
    term_days: u16,
    /// The time from which it cannot be accepted, in unix milliseconds, 10 minutes to 72 hours from now.
    good_until: u64,
    /// The token of the bot check; needed only after a refusal that asks for it.
    #[serde(default, rename = "cf_turnstile_response")]
    cf_turnstile_response: Option<String>,
}

/// Opens a negotiation. The other side gets a notice, and accepts the proposal, answers it by another one, or declines.
/// Nothing is pledged or lent until the borrower signs the loan and the lender counter-signs it, and a running loan stays
/// as it is until both have signed its extension.
///
/// # Errors
/// [`ErrorCode::NegotiationSubject`], [`ErrorCode::UnknownOffer`], [`ErrorCode::UnknownRequest`],
/// [`ErrorCode::OwnOffer`], [`ErrorCode::RequestFilled`], [`ErrorCode::UnknownLoan`], [`ErrorCode::LoanStage`],
/// [`ErrorCode::NotExtendable`], [`ErrorCode::PrincipalFixed`],
/// [`ErrorCode::TermsOutOfRange`], [`ErrorCode::AlreadyNegotiating`], [`ErrorCode::TooManyNegotiations`]; the codes of
/// offers that cannot be taken, of wallet lookups and of the bot check.
#[utoipa::path(post, path = "/api/v1/negotiations", operation_id = "openNegotiation", tag = "negotiations",
    security(("session" = [])), request_body = OpenNegotiation,
    responses((status = 201, body = NegotiationView), (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
pub async fn open(app: web::Data<App>, write: Write<OpenNegotiation>) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let (shared, visitor) = (app.clone(), execution.visitor());
    execution
        .once(&shared, async move {
            app.admit(Guarded::Offer, visitor, body.cf_turnstile_response.as_deref()).await?;
            let id = match (&body.offer_id, &body.request_id, &body.loan_id) {
                (Some(offer), None, None) => about_offer(&app, &caller, offer, &body).await?,
                (None, Some(request), None) => about_request(&app, &caller, request, &body).await?,
                (None, None, Some(loan)) => about_loan(&app, &caller, loan, &body).await?,
                _ => return Err(ApiError::plain(ErrorCode::NegotiationSubject)),
            };
            Answer::created(&as_seen_by(&app, caller.user(), id).await?)
        })
        .await
}

async fn about_offer(
    app: &App,
    borrower: &SignedIn,
    offer: &str,
    body: &OpenNegotiation,
) -> Result<NegotiationId, ApiError> {
    borrower.require_proven()?;
    let unknown = || ApiError::plain(ErrorCode::UnknownOffer);
    let id: OfferId = offer.parse().map_err(|_| unknown())?;
    let group = app.market.group(id.group()).ok_or_else(unknown)?;
    let offer = app.market.offer(id).await?.ok_or_else(unknown)?;
    // Before the collateral is looked up: its amount would tell others of an offer that is hidden from them.
    let conditions = app.market.offer_conditions(id).await?;
    if conditions.as_ref().is_some_and(|conditions| conditions.is_hidden_from(borrower.user())) {
        return Err(unknown());
    }
    offer.check_takeable(borrower.user(), app.now())?;
    let inscriptions = inscription_ids::parse(body.inscription_id.as_deref())?;
    let quantity = body.quantity(&group)?;
    let sub = group.sub_collection(offer.sub_collection).ok_or_else(unknown)?;
    let raw = sub.pledged_quantity(quantity, group.collateral.decimals())?.raw;
    let lookups = app.loan_service_for_lookups(borrower.user())?;
    lookups.check_held_collateral(borrower.user(), &inscriptions, raw, &group).await?;
    if let Some(conditions) = &conditions {
        lookups.check_chosen_inscriptions(id, conditions, &inscriptions).await?;
    }
    let command = Command::NegotiateOffer {
        borrower: NamedBorrower { user: borrower.user(), payment_address: borrower.addresses.payment_address.clone() },
        taker: Taker { inscriptions, ..Taker::new(borrower.user()) },
        offer: id,
        quantity,
        terms: body.terms(),
        good_until: UnixMs(body.good_until),
    };
    opened(&app.market.command(group.id, command, None).await?.events)
}

async fn about_request(
    app: &App,
    lender: &SignedIn,
    request: &str,
    body: &OpenNegotiation,
) -> Result<NegotiationId, ApiError> {
    body.check_no_collateral("the request")?;
    let unknown = || ApiError::plain(ErrorCode::UnknownRequest);
    let id: RequestId = request.parse().map_err(|_| unknown())?;
    let group = app.market.group(id.group()).ok_or_else(unknown)?;
    let command = Command::NegotiateRequest {
        lender: lender.user(),
        request: id,
        terms: body.terms(),
        good_until: UnixMs(body.good_until),
    };
    opened(&app.market.command(group.id, command, None).await?.events)
}

async fn about_loan(app: &App, user: &SignedIn, loan: &str, body: &OpenNegotiation) -> Result<NegotiationId, ApiError> {
    body.check_no_collateral("the loan")?;
    let unknown = || ApiError::plain(ErrorCode::UnknownLoan);
    let id: LoanId = loan.parse().map_err(|_| unknown())?;
    let loan =
        app.loan_service_for_lookups(user.user())?.extendable_loan(user.user(), id, TermDays(body.term_days)).await?;
    let borrower = app.market.account(loan.deal.borrower).await.ok_or_else(unknown)?;
    let group = loan.deal.group();
    let command = Command::NegotiateLoan {
        user: user.user(),
        loan: loan.id,
        borrower: NamedBorrower {
            user: loan.deal.borrower,
            payment_address: borrower.addresses.payment_address.clone(),
        },
        inscriptions: inscription_ids::parse(loan.deal.pledged_ids.iter())?,
        terms: body.terms(),
        good_until: UnixMs(body.good_until),
    };
    opened(&app.market.command(group, command, None).await?.events)
}

fn opened(events: &[BookEvent]) -> Result<NegotiationId, ApiError> {
    let opened = events.iter().find_map(|event| match event {
        BookEvent::NegotiationOpened { negotiation, .. } => Some(*negotiation),
        _ => None,
    });
    opened.ok_or_else(|| ApiError::new(ErrorCode::Internal, "the negotiation is not in the answer"))
}

impl OpenNegotiation {
    const fn terms(&self) -> domain::ProposedTerms {
        terms(self.principal_amount_sats, self.interest, self.term_days)
    }

    fn check_no_collateral(&self, subject: &str) -> Result<(), ApiError> {
        if self.inscription_id.is_none() && self.fungible_amount.is_none() {
            return Ok(());
        }
        let detail = format!("the collateral is that of {subject}: inscriptionId and fungibleAmount must be absent");
        Err(ApiError::new(ErrorCode::WrongQuantity, detail))
    }

    fn quantity(&self, group: &CollectionGroup) -> Result<Option<Quantity>, ApiError> {
        match (&group.collateral, &self.fungible_amount) {
            (_, None) => Ok(None),
            (CollateralType::Inscription, Some(_)) => Err(ApiError::plain(ErrorCode::WrongQuantity)),
            (CollateralType::Rune { .. } | CollateralType::Brc20 { .. }, Some(raw)) => {
                Ok(Some(Quantity::tokens(parse_amount("fungibleAmount", raw)?, group.collateral.decimals())))
            }
        }
    }
}
