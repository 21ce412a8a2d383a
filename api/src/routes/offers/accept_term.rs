//! `/api/v1/offers/instant/accept-term`: a lender agrees to changed terms.

use actix_web::{HttpResponse, web};
use domain::{ProcessType, Rejection, TermChangeId};
use escrow::action::Action;
use serde::Deserialize;
use utoipa::ToSchema;

use super::manual::{OneOffer, last};
use super::signed_terms;
use crate::app::App;
use crate::extract::write::Write;
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;
use crate::offers::own_offer;
use crate::session::signed_message::{SignedMessage, check_equal};

/// A lender's agreement to a changed term of one offer.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AcceptTerm {
    /// `newTermId` of the change.
    term_id: String,
    /// The id of the offer.
    instant_offer_id: String,
    /// The signature of `message` by the payment address.
    signature: String,
    /// `Issued` of the message, in unix seconds.
    signature_timestamp: u64,
    /// The complete signed text, which authorizes the vault signer to lend at the new term.
    message: String,
}

/// Accepts a change of terms for one of the caller's instant offers.
///
/// # Errors
/// [`ErrorCode::UnknownTermChange`], the codes of offers, messages and the signer.
#[utoipa::path(post, path = "/api/v1/offers/instant/accept-term", operation_id = "acceptTerm", tag = "offers", security(("session" = [])),
    request_body = AcceptTerm,
    responses((status = 200, body = OneOffer), (status = 401, body = Problem), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub async fn accept(app: web::Data<App>, write: Write<AcceptTerm>) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let market = app.clone();
    execution
        .once(&market, async move {
            let AcceptTerm { term_id, instant_offer_id, signature, signature_timestamp, message } = body;
            let user = caller.user();
            let offer = own_offer::parse_id(&instant_offer_id)?;
            if own_offer::own_offer(&app, user, offer).await?.process == ProcessType::Manual {
                return Err(Rejection::ManualTerms(offer).into());
            }
            caller.check_collection(offer.group())?;
            let change: TermChangeId = term_id.parse().map_err(|_| ApiError::plain(ErrorCode::UnknownTermChange))?;
            let signed =
                signed_terms::check_unused_message(&app, &caller, &message, &signature, signature_timestamp).await?;
            let Action::AcceptTerm { offer_id: signed_offer, term_id: signed_term } = signed.action() else {
                return Err(SignedMessage::wrong_action("accept term"));
            };
            check_equal("instant_offer_id", &instant_offer_id, signed_offer)?;
            check_equal("term_id", &term_id, signed_term)?;
            let signed_action = signed_terms::signed_action(&signed, message, signature);
            let applied = app.instant_offers().accept_term(user, offer, change, signed_action).await?;
            Answer::ok(&OneOffer { offer: last(applied.offers)? })
        })
        .await
}
