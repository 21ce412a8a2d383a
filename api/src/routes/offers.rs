//! `/api/v1/offers`: the caller's own offers of both kinds.

use actix_web::{HttpResponse, web};
use domain::{Command, OfferId};
use engine::wire::MyOffer;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::offer_results::{self, OfferIds, OfferResults};
use crate::app::App;
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;
use crate::http::own_read::OwnRead;
use crate::http::write::Write;

/// No page is longer.
const LIMIT_MAX: usize = 500;

/// The query.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct OffersQuery {
    /// Offers a page, at most 500.
    limit: Option<usize>,
    /// Where the page before ended.
    cursor: Option<String>,
}

/// A page of offers.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OffersPage {
    /// The offers, oldest first in each collection.
    data: Vec<MyOffer>,
    /// Where the next page begins; `null` on the last one.
    #[schema(required)]
    next_cursor: Option<String>,
}

/// Lists the caller's offers.
///
/// # Errors
/// [`ErrorCode::InvalidQuery`], [`ErrorCode::InvalidCursor`].
#[utoipa::path(get, path = "/api/v1/offers", operation_id = "listMyOffers", tag = "offers", security(("session" = [])), params(OffersQuery),
    responses((status = 200, body = OffersPage), (status = 401, body = Problem)))]
pub async fn list(
    app: web::Data<App>,
    OwnRead(lender): OwnRead,
    query: web::Query<OffersQuery>,
) -> Result<HttpResponse, ApiError> {
    let limit = query.limit.unwrap_or(LIMIT_MAX);
    if !(1..=LIMIT_MAX).contains(&limit) {
        return Err(ApiError::new(ErrorCode::InvalidQuery, format!("limit must be 1 to {LIMIT_MAX}")));
    }
    let list = format!("offers {}", lender.user());
    let after = match &query.cursor {
        Some(cursor) => Some(OfferId(app.keys.cursors.open(&list, cursor)?)),
        None => None,
    };
    // One more than the page has, to know whether there is another page.
    let mut offers = app.market.my_offers_page(lender.user(), after, limit + 1).await?;
    let next_cursor = match offers.get(limit - 1) {
        Some(end) if offers.len() > limit => Some(app.keys.cursors.seal(&list, &end.offer_id.0.0)?),
        _ => None,
    };
    offers.truncate(limit);
    Ok(HttpResponse::Ok().json(OffersPage { data: offers, next_cursor }))
}

/// Pauses offers by hand.
///
/// # Errors
/// [`ErrorCode::InvalidField`]; what is wrong with a single offer is in its result.
#[utoipa::path(post, path = "/api/v1/offers/pause", operation_id = "pauseOffers", tag = "offers", security(("session" = [])),
    request_body = OfferIds, responses((status = 200, body = OfferResults), (status = 401, body = Problem)))]
pub async fn pause(app: web::Data<App>, write: Write<OfferIds>) -> Result<HttpResponse, ApiError> {
    let Write { lender, body, turn } = write;
    let market = app.clone();
    let work = async move {
        let lender = lender.user();
        let command = |offer| Command::Pause { lender, offer };
        let check = async |id| offer_results::own_offer(&app, lender, id).await.map(|_| ());
        Answer::ok(&offer_results::each(&app, body.bounded()?, check, command).await)
    };
    turn.once(&market, work).await
}

/// Ends pauses by hand; other reasons to be paused stay.
///
/// # Errors
/// [`ErrorCode::InvalidField`]; what is wrong with a single offer is in its result.
#[utoipa::path(post, path = "/api/v1/offers/resume", operation_id = "resumeOffers", tag = "offers", security(("session" = [])),
    request_body = OfferIds, responses((status = 200, body = OfferResults), (status = 401, body = Problem)))]
pub async fn resume(app: web::Data<App>, write: Write<OfferIds>) -> Result<HttpResponse, ApiError> {
    let Write { lender, body, turn } = write;
    let market = app.clone();
    let work = async move {
        let lender = lender.user();
        let command = |offer| Command::Resume { lender, offer };
        let check = async |id| offer_results::own_offer(&app, lender, id).await.map(|_| ());
        Answer::ok(&offer_results::each(&app, body.bounded()?, check, command).await)
    };
    turn.once(&market, work).await
}
