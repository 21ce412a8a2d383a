//! A running loan's public view.

use domain::{LoanId, Sats, SubCollectionId, UnixMs, UserId};
use serde::Serialize;
use utoipa::ToSchema;

use super::AsString;

/// A running loan in the order book.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct BookLoan {
    /// Its id.
    #[schema(value_type = String)]
    pub id: AsString<LoanId>,
    /// The sub-collection of its offer.
    #[serde(rename = "subCollectionId")]
    #[schema(value_type = String)]
    pub sub_collection_id: AsString<u16>,
    /// The time at which the offer was accepted.
    #[schema(value_type = u64)]
    pub accepted_date: UnixMs,
    /// The principal.
    #[schema(value_type = u64)]
    pub principal_amount_sats: Sats,
    /// The collateral: an amount in raw units, or the number of several inscriptions; `null` for one inscription.
    #[schema(value_type = Option<String>, required)]
    pub fungible_amount: Option<AsString<u128>>,
    /// The lender.
    #[schema(value_type = String)]
    pub lender_id: AsString<UserId>,
    /// The borrower.
    #[schema(value_type = String)]
    pub borrower_id: AsString<UserId>,
}

impl BookLoan {
    /// The sub-collection's number.
    #[must_use]
    pub const fn sub_collection(&self) -> SubCollectionId {
        SubCollectionId(self.sub_collection_id.0)
    }
}
