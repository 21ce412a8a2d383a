//! `/api/v1/offers`: the caller's own offers, manual and instant.

use std::collections::HashMap;

use actix_web::{HttpResponse, web};
use domain::{Command, OfferId, ProcessType};
use engine::wire::MyOffer;
use escrow::action::Action;
use lending::instant_offers::service::SignedAction;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::results::{self, OfferIds, OfferResults};
use super::signed_terms;
use crate::app::App;
use crate::extract::own_read::OwnRead;
use crate::extract::signed_in::SignedIn;
use crate::extract::write::Write;
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;
use crate::offers::own_offer;
use crate::session::signed_message::SignedMessage;

/// The largest page.
pub(crate) const LIMIT_MAX: usize = 500;

/// The query.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct OffersQuery {
    /// Offers per page, at most 500.
    limit: Option<usize>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
}

/// A page of offers.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OffersPage {
    /// The offers, oldest first in each collection.
    data: Vec<MyOffer>,
    /// The cursor of the next page; `null` on the last page.
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
    // One more than the page has, to detect whether there is another page.
    let mut offers = app.market.my_offers_page(lender.user(), after, limit + 1).await?;
    let next_cursor = match offers.get(limit - 1) {
        Some(end) if offers.len() > limit => Some(app.keys.cursors.seal(&list, &end.offer_id.0.0)?),
        _ => None,
    };
    offers.truncate(limit);
    Ok(HttpResponse::Ok().json(OffersPage { data: offers, next_cursor }))
}

/// Offers to pause or resume, with the signed messages of instant ones.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Switch {
    /// 1 to 100 ids.
    offer_ids: Vec<String>,
    /// The signed messages of the instant offers among them, each a `pause offer` or `resume offer` of its own. A pause
    /// that the vault signer knows of can be ended only by a signed message, too.
    #[serde(default)]
    signed: Vec<SignedSwitch>,
}

/// A signed pause, or its end.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct SignedSwitch {
    /// The signature of `message` by the payment address.
    signature: String,
    /// `Issued` of the message, in unix seconds.
    signature_timestamp: u64,
    /// The complete signed text.
    message: String,
}

impl Switch {
    /// Returns the offers and the checked signed message of each. `named` returns the offer that an action is for.
    fn checked(
        self,
        app: &App,
        lender: &SignedIn,
        title: &str,
        named: fn(&Action) -> Option<&String>,
    ) -> Result<(Vec<String>, HashMap<String, SignedAction>), ApiError> {
        let offer_ids = OfferIds { offer_ids: self.offer_ids }.bounded()?;
        let mut signed_actions = HashMap::new();
        for SignedSwitch { signature, signature_timestamp, message } in self.signed {
            let signed = signed_terms::check_message(app, lender, &message, &signature, signature_timestamp)?;
            let offer = named(signed.action()).ok_or_else(|| SignedMessage::wrong_action(title))?.clone();
            if !offer_ids.contains(&offer) || signed_actions.contains_key(&offer) {
                return Err(ApiError::new(ErrorCode::MessageFieldMismatch, "signed must be for offers of offerIds"));
            }
            signed_actions.insert(offer, signed_terms::signed_action(&signed, message, signature));
        }
        Ok((offer_ids, signed_actions))
    }
}

fn paused_by(action: &Action) -> Option<&String> {
    if let Action::PauseOffer { offer_id } = action { Some(offer_id) } else { None }
}

fn resumed_by(action: &Action) -> Option<&String> {
    if let Action::ResumeOffer { offer_id } = action { Some(offer_id) } else { None }
}

/// Pauses offers until their lender resumes them; each has its own result.
///
/// # Errors
/// [`ErrorCode::InvalidField`], the codes of messages; the failure of a single offer is in its result.
#[utoipa::path(post, path = "/api/v1/offers/pause", operation_id = "pauseOffers", tag = "offers", security(("session" = [])),
    request_body = Switch, responses((status = 200, body = OfferResults), (status = 401, body = Problem)))]
pub async fn pause(app: web::Data<App>, write: Write<Switch>) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let market = app.clone();
    let work = async move {
        let (offer_ids, signed_actions) = body.checked(&app, &caller, "pause offer", paused_by)?;
        let lender = caller.user();
        let pause = async |offer: OfferId| {
            own_offer::own_offer(&app, lender, offer).await?;
            app.instant_offers().pause(lender, offer, signed_actions.get(&offer.to_string()).cloned()).await?;
            Ok(())
        };
        Answer::ok(&results::each(offer_ids, pause).await?)
    };
    execution.once(&market, work).await
}

/// A pause of all offers.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PauseAll {
    /// Id or slug of a collection; absent for all.
    collection: Option<String>,
}

/// The number of offers that were paused.
#[derive(Serialize, ToSchema)]
pub struct PausedCount {
    /// Offers that were not paused by their lender before.
    paused: usize,
}

/// Pauses all offers of the caller until they are resumed, manual and instant ones. The vault signer is not told.
///
/// # Errors
/// [`ErrorCode::UnknownCollection`].
#[utoipa::path(post, path = "/api/v1/offers/pause-all", operation_id = "pauseAllOffers", tag = "offers", security(("session" = [])),
    request_body = PauseAll, responses((status = 200, body = PausedCount), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn pause_all(app: web::Data<App>, write: Write<PauseAll>) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let market = app.clone();
    let work = async move {
        let unknown = || ApiError::plain(ErrorCode::UnknownCollection);
        let group = body.collection.map(|name| app.market.group_named(&name).ok_or_else(unknown)).transpose()?;
        let paused = app.market.pause_all(caller.user(), group.map(|group| group.id)).await?;
        Answer::ok(&PausedCount { paused })
    };
    execution.once(&market, work).await
}

/// Ends pauses that the lender has set; other reasons for a pause remain. An instant offer is resumed only if the vault
/// signer signs for it.
///
/// # Errors
/// [`ErrorCode::InvalidField`], the codes of messages; the failure of a single offer is in its result.
#[utoipa::path(post, path = "/api/v1/offers/resume", operation_id = "resumeOffers", tag = "offers", security(("session" = [])),
    request_body = Switch, responses((status = 200, body = OfferResults), (status = 401, body = Problem)))]
pub async fn resume(app: web::Data<App>, write: Write<Switch>) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let market = app.clone();
    let work = async move {
        let (offer_ids, signed_actions) = body.checked(&app, &caller, "resume offer", resumed_by)?;
        let lender = caller.user();
        let resume = async |offer: OfferId| {
            let process = own_offer::own_offer(&app, lender, offer).await?.process;
            caller.check_collection(offer.group())?;
            match process {
                ProcessType::Instant => {
                    app.instant_offers().resume(lender, offer, signed_actions.get(&offer.to_string()).cloned()).await?;
                }
                ProcessType::Manual => {
                    app.market.command(offer.group(), Command::Resume { lender, offer }, None).await?;
                }
            }
            Ok(())
        };
        Answer::ok(&results::each(offer_ids, resume).await?)
    };
    execution.once(&market, work).await
}
