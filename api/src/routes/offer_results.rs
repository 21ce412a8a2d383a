//! Acts on several offers at once, each with its own result.

use domain::{OfferId, UserId};
use futures_util::future::join_all;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;

/// The most offers in one request.
pub const OFFERS_MAX: usize = 100;

/// No id of an offer is longer, in characters. Ids come back in the results, which are kept for repeated requests.
pub(crate) const ID_LENGTH_MAX: usize = 32;

/// Which offers.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct OfferIds {
    /// 1 to 100 ids.
    pub offer_ids: Vec<String>,
}

/// What became of each offer, in the order of the request.
#[derive(Serialize, ToSchema)]
pub struct OfferResults {
    /// One for each offer.
    pub results: Vec<OfferResult>,
}

/// What became of one offer.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OfferResult {
    /// The id of the request.
    offer_id: String,
    /// Whether it was done.
    ok: bool,
    /// Why not.
    #[schema(required)]
    error: Option<Problem>,
}

impl OfferResult {
    /// A result.
    #[must_use]
    pub fn new(offer_id: String, outcome: Result<(), ApiError>) -> Self {
        let error = outcome.err().map(|refusal| refusal.problem(None));
        Self { offer_id, ok: error.is_none(), error }
    }
}

impl OfferIds {
    /// The ids, when there are as many as one request may name and each is short enough to be one.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidField`].
    pub fn bounded(self) -> Result<Vec<String>, ApiError> {
        if !(1..=OFFERS_MAX).contains(&self.offer_ids.len()) {
            return Err(ApiError::new(ErrorCode::InvalidField, format!("offerIds must name 1 to {OFFERS_MAX} offers")));
        }
        if self.offer_ids.iter().any(|id| id.chars().count() > ID_LENGTH_MAX) {
            let detail = format!("an id in offerIds has at most {ID_LENGTH_MAX} characters");
            return Err(ApiError::new(ErrorCode::InvalidField, detail));
        }
        Ok(self.offer_ids)
    }
}

/// The offer that a text names.
///
/// # Errors
/// [`ErrorCode::UnknownOffer`]: a text that is no id names no offer.
pub fn parse_id(text: &str) -> Result<OfferId, ApiError> {
    text.parse().map_err(|_| ApiError::plain(ErrorCode::UnknownOffer))
}

/// Does the same to each offer, all at the same time so that they share the way to the disk.
pub async fn each(ids: Vec<String>, act: impl AsyncFn(OfferId) -> Result<(), ApiError>) -> OfferResults {
    let one = async |text: String| {
        let outcome = match parse_id(&text) {
            Ok(id) => act(id).await,
            Err(refusal) => Err(refusal),
        };
        OfferResult::new(text, outcome)
    };
    OfferResults { results: join_all(ids.into_iter().map(one)).await }
}

/// The caller's own offer of an id.
///
/// # Errors
/// [`ErrorCode::UnknownOffer`], [`ErrorCode::NotOwner`].
pub async fn own_offer(app: &App, lender: UserId, id: OfferId) -> Result<domain::Offer, ApiError> {
    let unknown = || ApiError::plain(ErrorCode::UnknownOffer);
    // An id names its group, so one of a group that does not exist names no offer.
    app.market.group(id.group()).ok_or_else(unknown)?;
    let offer = app.market.offer(id).await?.ok_or_else(unknown)?;
    if offer.lender == lender { Ok(offer) } else { Err(ApiError::plain(ErrorCode::NotOwner)) }
}
