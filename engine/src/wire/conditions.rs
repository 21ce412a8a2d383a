//! The conditions of an offer.

use domain::{GroupId, OfferConditions, RequestId};
use serde::Serialize;
use utoipa::ToSchema;

use super::{AsString, BookOffer};

/// The conditions of an offer for borrowers. A value that the reader may not see is `null`: the key of the link is for
/// the lender alone, the address for the lender and the borrower.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConditionsView {
    /// The payment address of the only borrower who can take it.
    #[schema(required)]
    pub borrower_address: Option<String>,
    /// The key in the link of an unlisted offer: 32 hexadecimal digits.
    #[schema(required)]
    pub link_key: Option<String>,
    /// The least number of loans that the borrower has repaid; 0 asks for none.
    pub repaid_min: u16,
    /// The number of days for which no lender must have taken the borrower's collateral; 0 asks for none.
    pub default_free_days: u16,
    /// The number of inscriptions that can be pledged; 0 if any can.
    pub inscription_count: usize,
}

impl ConditionsView {
    /// The conditions as everyone sees them.
    #[must_use]
    pub fn public(conditions: &OfferConditions) -> Self {
        Self {
            borrower_address: None,
            link_key: None,
            repaid_min: conditions.repaid_min,
            default_free_days: conditions.default_free_days,
            inscription_count: conditions.inscriptions.len(),
        }
    }

    /// The conditions as the named borrower sees them.
    #[must_use]
    pub fn for_borrower(conditions: &OfferConditions) -> Self {
        let borrower_address = conditions.borrower.as_ref().map(|borrower| borrower.payment_address.clone());
        Self { borrower_address, ..Self::public(conditions) }
    }

    /// The conditions as the lender sees them.
    #[must_use]
    pub fn for_lender(conditions: &OfferConditions) -> Self {
        Self { link_key: conditions.link_key.map(|key| key.to_string()), ..Self::for_borrower(conditions) }
    }
}

/// An offer that names the user as its borrower.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OfferForMe {
    /// The group in whose book it is.
    #[schema(value_type = String)]
    pub group_id: AsString<GroupId>,
    /// The borrow request of the user that it fills; `null` if it fills none.
    #[schema(value_type = Option<String>, required)]
    pub request_id: Option<AsString<RequestId>>,
    /// The offer.
    pub offer: BookOffer,
}
