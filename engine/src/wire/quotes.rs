//! The aggregates over the offers of one process type in one group.

use domain::{OfferId, Sats};
use serde::Serialize;
use utoipa::ToSchema;

use super::{AsString, Percent};

/// The amounts that can be pledged for an offer that is taken in parts, in raw units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct OfferRange {
    /// The minimum.
    #[schema(value_type = String)]
    pub from: AsString<u128>,
    /// The maximum.
    #[schema(value_type = String)]
    pub to: AsString<u128>,
}

/// The aggregates over all live offers of one process type in one group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Quotes {
    /// The number of offers that can be taken.
    pub offer_count: usize,
    /// The number of offers with a reservation now.
    pub under_offer_count: usize,
    /// The number of lenders with live offers.
    pub lender_count: usize,
    /// The principal that can be taken of the best offer, the one with the most sats per unit of collateral.
    #[schema(value_type = Option<u64>, required)]
    pub best_offer: Option<Sats>,
    /// The id of the best offer.
    #[schema(value_type = Option<String>, required)]
    pub best_offer_id: Option<AsString<OfferId>>,
    /// The ids of the offers after the best, at most five: of the same sub-collection, and with at least 98 % of its
    /// quote.
    #[schema(value_type = Vec<String>)]
    pub next_best_offers: Vec<AsString<OfferId>>,
    /// The number of the best offer's sub-collection.
    #[schema(value_type = Option<String>, required)]
    pub best_sub_collection_id: Option<AsString<u16>>,
    /// The term of the best offer, in days.
    #[schema(required)]
    pub term: Option<u16>,
    /// The interest of the best offer for the whole term.
    #[schema(value_type = Option<f64>, required)]
    pub interest: Option<Percent>,
    /// The yearly yield of the best offer.
    #[schema(value_type = Option<f64>, required)]
    pub apy: Option<Percent>,
    /// The current LTV of the best offer.
    #[schema(value_type = Option<f64>, required)]
    pub ltv: Option<Percent>,
    /// The highest current LTV of all.
    #[schema(value_type = Option<f64>, required)]
    pub max_ltv: Option<Percent>,
    /// The lowest current LTV of all.
    #[schema(value_type = Option<f64>, required)]
    pub min_ltv: Option<Percent>,
    /// The highest yearly yield of all terms.
    #[serde(rename = "maxAPY")]
    #[schema(value_type = f64)]
    pub max_apy: Percent,
    /// The lowest interest of all terms.
    #[schema(value_type = f64)]
    pub min_interest: Percent,
    /// The principal that can be borrowed in total.
    #[schema(value_type = u64)]
    pub liquidity_sats: Sats,
    /// The amounts that the best instant rune offer takes.
    #[schema(required)]
    pub instant_best_offer_range: Option<OfferRange>,
}
