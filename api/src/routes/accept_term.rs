//! `/api/v1/offers/instant/accept-term`: a lender agrees to changed terms.

use actix_web::{HttpResponse, web};
use domain::{Command, TermChangeId};
use serde::Deserialize;
use utoipa::ToSchema;

use super::manual_offers::{OneOffer, last};
use super::offer_results;
use crate::app::App;
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;
use crate::http::write::Write;

/// Which term, for which offer.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AcceptTerm {
    /// `newTermId` of the change.
    term_id: String,
    /// The offer.
    instant_offer_id: String,
}

/// Accepts a change of terms for one of the caller's instant offers.
///
/// # Errors
/// [`ErrorCode::UnknownTermChange`] and the codes of offers.
#[utoipa::path(post, path = "/api/v1/offers/instant/accept-term", operation_id = "acceptTerm", tag = "offers", security(("session" = [])),
    request_body = AcceptTerm,
    responses((status = 200, body = OneOffer), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn accept(app: web::Data<App>, write: Write<AcceptTerm>) -> Result<HttpResponse, ApiError> {
    let Write { lender, body, turn } = write;
    let market = app.clone();
    turn.once(&market, async move {
        let lender = lender.user();
        let offer = offer_results::parse_id(&body.instant_offer_id)?;
        offer_results::own_offer(&app, lender, offer).await?;
        let change: TermChangeId = body.term_id.parse().map_err(|_| ApiError::plain(ErrorCode::UnknownTermChange))?;
        let applied = app.market.command(offer.group(), Command::AcceptTerm { lender, offer, change }, None).await?;
        Answer::ok(&OneOffer { offer: last(applied.offers)? })
    })
    .await
}
