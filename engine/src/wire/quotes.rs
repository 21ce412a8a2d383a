//! The best of one process type in one group.

use domain::{OfferId, Sats};
use serde::Serialize;
use utoipa::ToSchema;

use super::{Percent, Shown};

/// What can be pledged for an offer that is taken in parts, in raw units (SPEC section 3, Rune offer range).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct OfferRange {
    /// At least.
    #[schema(value_type = String)]
    pub from: Shown<u128>,
    /// At most.
    #[schema(value_type = String)]
    pub to: Shown<u128>,
}

/// All live offers of one process type in one group, summed up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Quotes {
    /// How many offers can be taken.
    pub offer_count: usize,
    /// How many offers a borrower is signing for now.
    pub under_offer_count: usize,
    /// How many lenders they come from.
    pub lender_count: usize,
    /// What can be taken of the best offer: the one with the most sats per unit of collateral.
    #[schema(value_type = Option<u64>, required)]
    pub best_offer: Option<Sats>,
    /// Its id.
    #[schema(value_type = Option<String>, required)]
    pub best_offer_id: Option<Shown<OfferId>>,
    /// The ids that follow it, at most five: of the same term or bundle, and with at least 98 % of its quote.
    #[schema(value_type = Vec<String>)]
    pub next_best_offers: Vec<Shown<OfferId>>,
    /// Where the best offer stands.
    #[schema(value_type = Option<String>, required)]
    pub best_sub_collection_id: Option<Shown<u16>>,
    /// Its term in days.
    #[schema(required)]
    pub term: Option<u16>,
    /// Its interest for the whole term.
    #[schema(value_type = Option<f64>, required)]
    pub interest: Option<Percent>,
    /// Its yearly yield.
    #[schema(value_type = Option<f64>, required)]
    pub apy: Option<Percent>,
    /// Its current LTV.
    #[schema(value_type = Option<f64>, required)]
    pub ltv: Option<Percent>,
    /// The highest current LTV of all.
    #[schema(value_type = Option<f64>, required)]
    pub max_ltv: Option<Percent>,
    /// The lowest current LTV of all.
    #[schema(value_type = Option<f64>, required)]
    pub min_ltv: Option<Percent>,
    /// The highest yearly yield of the terms on offer.
    #[serde(rename = "maxAPY")]
    #[schema(value_type = f64)]
    pub max_apy: Percent,
    /// The lowest interest of the terms on offer.
    #[schema(value_type = f64)]
    pub min_interest: Percent,
    /// What can be borrowed altogether.
    #[schema(value_type = u64)]
    pub liquidity_sats: Sats,
    /// What the best instant rune offer takes.
    #[schema(required)]
    pub instant_best_offer_range: Option<OfferRange>,
}
