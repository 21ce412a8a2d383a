//! `/api/v1/offers/open` and `/api/v1/offers/for-me`: offers that not everyone can take.

use actix_web::{HttpResponse, web};
use domain::{OfferConditions, UserId};
use engine::asset_index::InscriptionId;
use engine::wire::{BookOffer, ConditionsView, OfferForMe};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::extract::own_read::OwnRead;
use crate::extract::write::Write;
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;
use crate::offers::own_offer;

/// An offer to show.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct OpenOffer {
    /// The id of the offer.
    offer_id: String,
    /// The key in the link of an unlisted offer.
    #[serde(default)]
    link_key: Option<String>,
}

/// An offer that not everyone can take.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenedOffer {
    /// The slug of the collection group.
    group_slug: String,
    /// The offer.
    offer: BookOffer,
    /// The inscriptions that the lender chose by their ids; ranges of numbers are in the offer's conditions.
    inscriptions: Vec<String>,
}

/// Shows an offer with conditions, also one that is not in the public book, to its lender and to borrowers who may see
/// it. The key of a link is part of the body, so that it is in no log.
///
/// # Errors
/// [`ErrorCode::UnknownOffer`], also for an offer that anyone can take or that is paused;
/// [`ErrorCode::OfferForOtherBorrower`], [`ErrorCode::OfferUnlisted`].
#[utoipa::path(post, path = "/api/v1/offers/open", operation_id = "openOffer", tag = "offers", security(("session" = [])),
    request_body = OpenOffer,
    responses((status = 200, body = OpenedOffer), (status = 403, body = Problem), (status = 404, body = Problem)))]
pub async fn open(app: web::Data<App>, write: Write<OpenOffer>) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let shared = app.clone();
    execution
        .once(&shared, async move {
            let unknown = || ApiError::plain(ErrorCode::UnknownOffer);
            let id = own_offer::parse_id(&body.offer_id)?;
            let group = app.market.group(id.group()).ok_or_else(unknown)?;
            let (offer, conditions) = app.market.conditional_offer(id).await?.ok_or_else(unknown)?;
            let view = seen_by(caller.user(), body.link_key.as_deref(), &offer, &conditions)?;
            let inscriptions = conditions.inscriptions.iter().map(|id| InscriptionId::from(*id).to_string()).collect();
            let offer = BookOffer { conditions: Some(Box::new(view)), ..offer };
            Answer::ok(&OpenedOffer { group_slug: group.slug.to_string(), offer, inscriptions })
        })
        .await
}

/// The offers that only the caller can take.
#[derive(Serialize, ToSchema)]
pub struct OffersForMe {
    /// The offers, each with the borrow request that it fills.
    data: Vec<OfferForMe>,
}

/// Lists the offers that name the caller as their borrower, also those that fill a borrow request.
///
/// # Errors
/// None but those of every request.
#[utoipa::path(get, path = "/api/v1/offers/for-me", operation_id = "listOffersForMe", tag = "borrow", security(("session" = [])),
    responses((status = 200, body = OffersForMe), (status = 401, body = Problem)))]
pub async fn list_for_me(app: web::Data<App>, OwnRead(borrower): OwnRead) -> Result<HttpResponse, ApiError> {
    Ok(HttpResponse::Ok().json(OffersForMe { data: app.market.offers_for_borrower(borrower.user()).await? }))
}

/// Returns the conditions as the caller may see them.
fn seen_by(
    caller: UserId,
    link_key: Option<&str>,
    offer: &BookOffer,
    conditions: &OfferConditions,
) -> Result<ConditionsView, ApiError> {
    if offer.lender_id.0 == caller {
        return Ok(ConditionsView::for_lender(conditions));
    }
    let given = link_key.and_then(|key| key.parse().ok());
    conditions.check_access(offer.offer_id.0, caller, given)?;
    Ok(ConditionsView::for_borrower(conditions))
}
