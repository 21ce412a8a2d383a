//! The API's views of borrow requests, as far as the simulation reads them.

use domain::{GroupId, OfferId, ProcessType};
use serde::Deserialize;

use crate::wire::parsed;

/// Borrow requests.
#[derive(Deserialize)]
pub(crate) struct RequestList {
    pub(crate) requests: Vec<BorrowRequest>,
}

/// The state of a borrow request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RequestState {
    Open,
    Filled,
}

/// A borrow request.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BorrowRequest {
    pub(crate) request_id: String,
    #[serde(deserialize_with = "parsed")]
    pub(crate) group_id: GroupId,
    /// The inscriptions to pledge together; none with tokens.
    pub(crate) inscription_ids: Vec<String>,
    pub(crate) principal_amount_sats: u64,
    pub(crate) interest_max_percentage: f64,
    pub(crate) term_min_days: u16,
    pub(crate) term_max_days: u16,
    pub(crate) state: RequestState,
}

/// The offers that only one borrower can take.
#[derive(Deserialize)]
pub(crate) struct OffersForMe {
    pub(crate) data: Vec<OfferForMe>,
}

/// An offer that only one borrower can take.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OfferForMe {
    /// The borrow request that it fills.
    pub(crate) request_id: Option<String>,
    pub(crate) offer: NamedOffer,
}

/// An offer, as far as its borrower has to know it.
#[derive(Deserialize)]
pub(crate) struct NamedOffer {
    #[serde(rename = "offerId", deserialize_with = "parsed")]
    pub(crate) offer: OfferId,
    #[serde(deserialize_with = "process")]
    pub(crate) process: ProcessType,
}

fn process<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<ProcessType, D::Error> {
    let name = String::deserialize(deserializer)?;
    Ok(if name == "instant" { ProcessType::Instant } else { ProcessType::Manual })
}
