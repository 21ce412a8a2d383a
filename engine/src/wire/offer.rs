//! An offer's public view.

use domain::{OfferId, Sats, UnixMs, UserId};
use serde::Serialize;
use utoipa::ToSchema;

use super::{AsString, ConditionsView, Percent, ProcessName};

/// The state of a public offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum OfferState {
    /// It can be taken.
    Live,
    /// A borrower has a reservation of it.
    Reserved,
    /// Borrowers who satisfy its conditions can take it.
    Conditional,
}

/// An offer in the order book. Paused offers are not public.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct BookOffer {
    /// Its id.
    #[serde(rename = "offerId")]
    #[schema(value_type = String)]
    pub offer_id: AsString<OfferId>,
    /// The same id, under the name that signed messages use.
    #[schema(value_type = String)]
    pub external_id: AsString<OfferId>,
    /// The lender.
    #[schema(value_type = String)]
    pub lender_id: AsString<UserId>,
    /// The number of its sub-collection in the group.
    #[serde(rename = "subCollectionId")]
    #[schema(value_type = String)]
    pub sub_collection_id: AsString<u16>,
    /// The process type.
    pub process: ProcessName,
    /// The total principal.
    #[schema(value_type = u64)]
    pub principal_amount_sats: Sats,
    /// The principal that is already lent.
    #[schema(value_type = u64)]
    pub auto_principal_amount_used_sats: Sats,
    /// The principal that can be taken now.
    #[schema(value_type = u64)]
    pub available_sats: Sats,
    /// The collateral for the total principal: an amount in raw units, or the number of several inscriptions; `null` for
    /// one inscription.
    #[schema(value_type = Option<String>, required)]
    pub fungible_amount: Option<AsString<u128>>,
    /// The collateral for what can be taken now, in raw units; `null` for inscriptions.
    #[schema(value_type = Option<String>, required)]
    pub available_collateral: Option<AsString<u128>>,
    /// Whether its terms were agreed on with the borrower that it names; they need not be those of its sub-collection.
    #[serde(rename = "isAgreed")]
    pub is_agreed: bool,
    /// Whether its principal follows the floor.
    #[serde(rename = "isPegged")]
    pub is_pegged: bool,
    /// The LTV above which it is paused automatically, in percent times 100; `null` for manual offers.
    #[schema(required)]
    pub ltv_max: Option<u32>,
    /// Interest for the whole term.
    #[schema(value_type = f64)]
    pub interest_rate_percentage: Percent,
    /// The days until the loan is due.
    pub loan_term_days: u16,
    /// The share of requests that the lender counter-signed; `null` for a new lender.
    #[serde(rename = "lenderAcceptanceRate")]
    #[schema(value_type = Option<f64>, required)]
    pub lender_acceptance_rate: Option<Percent>,
    /// The time from which it cannot be taken, in unix milliseconds; `null` if it is good until it is cancelled.
    #[serde(rename = "goodUntil")]
    #[schema(value_type = Option<u64>, required)]
    pub good_until: Option<UnixMs>,
    /// The time at which it was created.
    #[schema(value_type = u64)]
    pub created_at: UnixMs,
    /// The time of its last change by its lender or a borrower.
    #[schema(value_type = u64)]
    pub updated_at: UnixMs,
    /// Its conditions for borrowers; `null` if anyone can take it.
    #[schema(required)]
    pub conditions: Option<Box<ConditionsView>>,
    /// Whether it can be taken.
    pub state: OfferState,
}
