//! Actions on several offers at once, each with its own result.

use domain::OfferId;
use futures_util::future::join_all;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;
use crate::http::request_limits::{OFFER_ID_LENGTH_MAX, OFFERS_MAX};
use crate::offers::own_offer::parse_id;

/// The ids of offers.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct OfferIds {
    /// 1 to 100 ids.
    pub offer_ids: Vec<String>,
}

/// The result for each offer, in the order of the request.
#[derive(Serialize, ToSchema)]
pub struct OfferResults {
    /// One result for each offer.
    pub results: Vec<OfferResult>,
}

/// The result for one offer.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OfferResult {
    /// The id as given in the request.
    offer_id: String,
    /// Whether the action succeeded.
    ok: bool,
    /// The error, if it failed.
    #[schema(required)]
    error: Option<Problem>,
}

impl OfferResult {
    /// Builds a result.
    fn new(offer_id: String, outcome: Result<(), ApiError>) -> Self {
        let error = outcome.err().map(|refusal| refusal.problem(None));
        Self { offer_id, ok: error.is_none(), error }
    }
}

impl OfferResults {
    /// Builds the results of offers by their ids.
    ///
    /// # Errors
    /// [`ErrorCode::NoWriter`] if that is the outcome for every offer: the node that decides now takes the whole request.
    pub fn of(outcomes: Vec<(String, Result<(), ApiError>)>) -> Result<Self, ApiError> {
        let is_undecided =
            |outcome: &Result<(), ApiError>| matches!(outcome, Err(it) if it.code() == ErrorCode::NoWriter);
        if !outcomes.is_empty() && outcomes.iter().all(|(_, outcome)| is_undecided(outcome)) {
            return Err(ApiError::plain(ErrorCode::NoWriter));
        }
        Ok(Self { results: outcomes.into_iter().map(|(id, outcome)| OfferResult::new(id, outcome)).collect() })
    }
}

impl OfferIds {
    /// Returns the ids if their number and lengths are within the limits.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidField`].
    pub fn bounded(self) -> Result<Vec<String>, ApiError> {
        if !(1..=OFFERS_MAX).contains(&self.offer_ids.len()) {
            return Err(ApiError::new(ErrorCode::InvalidField, format!("offerIds must name 1 to {OFFERS_MAX} offers")));
        }
        if self.offer_ids.iter().any(|id| id.chars().count() > OFFER_ID_LENGTH_MAX) {
            let detail = format!("an id in offerIds has at most {OFFER_ID_LENGTH_MAX} characters");
            return Err(ApiError::new(ErrorCode::InvalidField, detail));
        }
        Ok(self.offer_ids)
    }
}

/// Does the same to each offer, concurrently so that the journal writes them in one batch.
///
/// # Errors
/// [`ErrorCode::NoWriter`] if this node does not decide, so that nothing was done with any of them.
pub async fn each(
    ids: Vec<String>,
    act: impl AsyncFn(OfferId) -> Result<(), ApiError>,
) -> Result<OfferResults, ApiError> {
    let one = async |text: String| {
        let outcome = match parse_id(&text) {
            Ok(id) => act(id).await,
            Err(refusal) => Err(refusal),
        };
        (text, outcome)
    };
    OfferResults::of(join_all(ids.into_iter().map(one)).await)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_that_no_node_decided_has_no_results() {
        let refused = |code| ("of_1".to_owned(), Err(ApiError::plain(code)));
        let undecided = || refused(ErrorCode::NoWriter);
        let of = |outcomes| OfferResults::of(outcomes).map(|it| it.results.len()).map_err(|error| error.code());
        assert_eq!(of(vec![undecided(), undecided()]), Err(ErrorCode::NoWriter));
        assert_eq!(of(vec![undecided(), refused(ErrorCode::UnknownOffer)]), Ok(2));
        assert_eq!(of(vec![undecided(), ("of_2".to_owned(), Ok(()))]), Ok(2));
        assert_eq!(of(Vec::new()), Ok(0));
    }
}
