//! Terms and bundle sizes of a group.

use domain::{ProcessType, Slug, TermChangeId, UnixMs};
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

/// The type of a collection, by the process of the loans that it takes (SPEC section 3, Collection).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum CollectionType {
    /// Manual offers, which are taken whole.
    ManualFixed,
    /// Instant offers, which a vault pays.
    InstantPartial,
}

impl From<ProcessType> for CollectionType {
    fn from(process: ProcessType) -> Self {
        match process {
            ProcessType::Manual => Self::ManualFixed,
            ProcessType::Instant => Self::InstantPartial,
        }
    }
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
    /// The same as types: one for each process whose offers are taken.
    pub collection_types: Vec<CollectionType>,
    /// A change of these terms, if one is announced or was the latest.
    #[schema(required)]
    pub new_term_change_request: Option<TermChangeView>,
}
