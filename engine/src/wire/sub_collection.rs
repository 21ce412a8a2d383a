//! Terms and bundle sizes of a group.

use domain::{Slug, TermChangeId, UnixMs};
use serde::Serialize;
use utoipa::ToSchema;

use super::{Percent, Shown};

/// An announced or effective change of terms (SPEC section 3, newTermChangeRequest).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TermChangeView {
    /// Its id.
    #[schema(value_type = String)]
    pub new_term_id: Shown<TermChangeId>,
    /// Interest before it.
    #[schema(value_type = f64)]
    pub previous_interest_rate: Percent,
    /// Interest from then on.
    #[schema(value_type = f64)]
    pub new_interest_rate: Percent,
    /// Term before it.
    pub previous_days: u16,
    /// Term from then on.
    pub new_days: u16,
    /// When it takes or took effect.
    #[schema(value_type = u64)]
    pub change_date: UnixMs,
    /// Whether it is in effect.
    pub has_term_change_passed: bool,
}

/// One term or bundle size of a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SubCollectionView {
    /// Its place in the group.
    #[schema(value_type = String)]
    pub id: Shown<u16>,
    /// Its name in requests and signed messages.
    #[schema(value_type = String)]
    pub slug: Slug,
    /// Days until a loan is due.
    pub term: u16,
    /// Interest for the whole term.
    #[schema(value_type = f64)]
    pub interest: Percent,
    /// The yearly yield.
    #[schema(value_type = f64)]
    pub apy: Percent,
    /// Raw units in a bundle; `null` where the lender says how many.
    #[schema(value_type = Option<String>, required)]
    pub bundle_size: Option<Shown<u128>>,
    /// Whether manual offers are taken.
    pub manual: bool,
    /// Whether instant offers are taken.
    pub instant: bool,
    /// A change of these terms, if one is announced or was the latest.
    #[schema(required)]
    pub new_term_change_request: Option<TermChangeView>,
}
