//! The conditions of an offer.

use domain::{GroupId, NumberRange, OfferConditions, RequestId};
use serde::{Deserialize, Serialize};
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
    /// The number of inscriptions that the lender chose by their ids. Any can be pledged if it is 0 and `numbers` is empty.
    pub inscription_count: usize,
    /// The ranges of inscription numbers that can be pledged as well.
    pub numbers: Vec<NumberRangeView>,
}

/// A range of inscription numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NumberRangeView {
    /// The first number.
    pub first: u32,
    /// The last number, included.
    pub last: u32,
}

impl From<NumberRange> for NumberRangeView {
    fn from(NumberRange { first, last }: NumberRange) -> Self {
        Self { first, last }
    }
}

impl From<NumberRangeView> for NumberRange {
    fn from(NumberRangeView { first, last }: NumberRangeView) -> Self {
        Self { first, last }
    }
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
            numbers: conditions.numbers.iter().copied().map(Into::into).collect(),
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
