//! An offer as everybody sees it.

use domain::{OfferId, Sats, UnixMs, UserId};
use serde::Serialize;
use utoipa::ToSchema;

use super::{Percent, ProcessName, Shown};

/// Whether a public offer can be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum OfferState {
    /// It can.
    Live,
    /// A borrower is signing for it.
    Reserved,
}

/// An offer in the order book (SPEC section 3, Order book response). Paused offers are not public.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct BookOffer {
    /// Its id.
    #[serde(rename = "offerId")]
    #[schema(value_type = String)]
    pub offer_id: Shown<OfferId>,
    /// The same id, under the name that signed messages use.
    #[schema(value_type = String)]
    pub external_id: Shown<OfferId>,
    /// Whose it is.
    #[schema(value_type = String)]
    pub lender_id: Shown<UserId>,
    /// Where it stands.
    #[serde(rename = "subCollectionId")]
    #[schema(value_type = String)]
    pub sub_collection_id: Shown<u16>,
    /// Manual or instant.
    pub process: ProcessName,
    /// What is lent when all of it is taken.
    #[schema(value_type = u64)]
    pub principal_amount_sats: Sats,
    /// What is lent already.
    #[schema(value_type = u64)]
    pub auto_principal_amount_used_sats: Sats,
    /// What can be taken now.
    #[schema(value_type = u64)]
    pub available_sats: Sats,
    /// What is asked for in raw units; `null` for inscriptions.
    #[schema(value_type = Option<String>, required)]
    pub fungible_amount: Option<Shown<u128>>,
    /// What is asked for what can be taken now; `null` for inscriptions.
    #[schema(value_type = Option<String>, required)]
    pub available_collateral: Option<Shown<u128>>,
    /// Auto-pause cap in percent times 100; `null` for manual offers.
    #[schema(required)]
    pub ltv_max: Option<u32>,
    /// Interest for the whole term.
    #[schema(value_type = f64)]
    pub interest_rate_percentage: Percent,
    /// Days until the loan is due.
    pub loan_term_days: u16,
    /// How often the lender counter-signed; `null` for a new lender.
    #[serde(rename = "lenderAcceptanceRate")]
    #[schema(value_type = Option<f64>, required)]
    pub lender_acceptance_rate: Option<Percent>,
    /// When it was created.
    #[schema(value_type = u64)]
    pub created_at: UnixMs,
    /// When it last changed by an act of its lender or a borrower.
    #[schema(value_type = u64)]
    pub updated_at: UnixMs,
    /// Whether it can be taken.
    pub state: OfferState,
}
