//! `GET /api/v1/me/takeable-offers`: the offers with conditions that the caller can take.

use actix_web::{HttpResponse, web};
use engine::wire::OfferForMe;
use serde::Serialize;
use utoipa::ToSchema;

use super::collateral;
use crate::app::App;
use crate::extract::own_read::OwnRead;
use crate::http::api_error::{ApiError, Problem};

/// The offers with conditions that the caller can take.
#[derive(Serialize, ToSchema)]
pub struct TakeableOffers {
    /// The offers of all collections, in no particular order.
    data: Vec<OfferForMe>,
}

/// Lists the offers of the public order books that have conditions which the caller meets: by the loans that the caller
/// repaid, and by the inscriptions in the wallet. While the wallet cannot be looked up, those for chosen inscriptions are
/// left out. Offers that name the caller are in `GET /api/v1/offers/for-me`.
///
/// # Errors
/// None but those of every request.
#[utoipa::path(get, path = "/api/v1/me/takeable-offers", operation_id = "listTakeableOffers", tag = "borrow", security(("session" = [])),
    responses((status = 200, body = TakeableOffers), (status = 401, body = Problem)))]
pub async fn list(app: web::Data<App>, OwnRead(borrower): OwnRead) -> Result<HttpResponse, ApiError> {
    let held = collateral::numbered_inscriptions(&app, &borrower).await.unwrap_or_default();
    let data = app.market.conditional_offers_for(borrower.user(), &held).await?;
    Ok(HttpResponse::Ok().json(TakeableOffers { data }))
}
