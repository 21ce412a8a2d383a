//! The bounds within which the principal of an offer follows the floor.

use domain::{Peg, Sats, UnitPrice};
use serde::Serialize;
use utoipa::ToSchema;

use super::{AsString, Percent};

/// The peg of an offer, as its lender sees it. The offer's own principal is the current one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PegView {
    /// The share of the collateral's value that is lent, in percent.
    #[schema(value_type = f64)]
    pub ltv: Percent,
    /// The least principal; at a price too low for it the offer is paused.
    #[schema(value_type = u64)]
    pub min_sats: Sats,
    /// The largest principal.
    #[schema(value_type = u64)]
    pub max_sats: Sats,
    /// The step by which the principal moves.
    #[schema(value_type = u64)]
    pub step_sats: Sats,
    /// The unit price below which the principal falls, or the offer is paused; `null` while it is.
    #[schema(value_type = Option<String>, required)]
    pub falls_below: Option<AsString<UnitPrice>>,
    /// The unit price from which the principal rises, or the offer is open again; `null` at the largest principal.
    #[schema(value_type = Option<String>, required)]
    pub rises_at: Option<AsString<UnitPrice>>,
}

impl PegView {
    /// The peg at a price.
    #[must_use]
    pub fn at(peg: &Peg, price: UnitPrice) -> Self {
        let level = peg.at(price);
        Self {
            ltv: peg.ltv.into(),
            min_sats: peg.min,
            max_sats: peg.max,
            step_sats: peg.step(),
            falls_below: level.falls_below.map(AsString),
            rises_at: level.rises_at.map(AsString),
        }
    }
}
