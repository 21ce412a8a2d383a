//! The conditions of offers: those that a lender asks for, and `/api/v1/offers/open`, which shows an offer that not
//! everyone can take.

use std::sync::Arc;

use actix_web::{HttpResponse, web};
use domain::{CollectionGroup, LinkKey, NamedBorrower, OfferConditions, UserId};
use engine::asset_index::InscriptionId;
use engine::wire::{BookOffer, ConditionsView, NumberRangeView, OfferForMe};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::results;
use crate::app::App;
use crate::extract::own_read::OwnRead;
use crate::extract::write::Write;
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;

/// Conditions of an offer for borrowers; all of them have to be satisfied.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AskedConditions {
    /// The payment address of the only borrower who can take it, who has signed in before.
    borrower_address: Option<String>,
    /// Whether it is left out of the public book and can be taken by its link alone.
    unlisted: bool,
    /// The least number of loans that the borrower has repaid.
    repaid_min: u16,
    /// The number of days for which no lender must have taken the borrower's collateral.
    default_free_days: u16,
    /// The only inscriptions that can be pledged, all of the collection, beside those in `numbers`; any can if both are
    /// empty.
    inscriptions: Vec<String>,
    /// Ranges of the numbers, as ord counts inscriptions, of those that can be pledged.
    numbers: Vec<NumberRangeView>,
}

impl AskedConditions {
    /// The condition that only the borrower with this payment address can take the offer.
    #[must_use]
    pub fn for_borrower(address: String) -> Self {
        Self { borrower_address: Some(address), ..Self::default() }
    }

    /// The payment address of the only borrower.
    #[must_use]
    pub fn borrower_address(&self) -> Option<&str> {
        self.borrower_address.as_deref()
    }

    /// Returns the conditions, with a new key for the link of an unlisted offer; `None` if nothing is asked for.
    ///
    /// # Errors
    /// [`ErrorCode::UnknownBorrower`], [`ErrorCode::UnknownInscription`], [`ErrorCode::WrongCollection`].
    pub async fn resolve(&self, app: &App, group: &CollectionGroup) -> Result<Option<Arc<OfferConditions>>, ApiError> {
        let borrower = match &self.borrower_address {
            Some(address) => {
                let user = app.market.user_of(address).await;
                let user = user.ok_or_else(|| ApiError::plain(ErrorCode::UnknownBorrower))?;
                Some(NamedBorrower { user, payment_address: address.clone() })
            }
            None => None,
        };
        let mut inscriptions = Vec::with_capacity(self.inscriptions.len());
        for text in &self.inscriptions {
            let id: InscriptionId = text.parse().map_err(|_| ApiError::plain(ErrorCode::UnknownInscription))?;
            if app.market.group_of_inscription(id.into()) != Some(group.id) {
                return Err(ApiError::plain(ErrorCode::WrongCollection));
            }
            inscriptions.push(id.into());
        }
        inscriptions.sort_unstable();
        inscriptions.dedup();
        let conditions = OfferConditions {
            borrower,
            link_key: self.unlisted.then(|| LinkKey(rand::random())),
            repaid_min: self.repaid_min,
            default_free_days: self.default_free_days,
            inscriptions,
            numbers: self.numbers.iter().copied().map(Into::into).collect(),
        };
        Ok(Some(conditions).filter(|conditions| !conditions.is_empty()).map(Arc::new))
    }
}

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
            let id = results::parse_id(&body.offer_id)?;
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
