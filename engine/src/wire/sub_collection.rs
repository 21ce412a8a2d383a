//! A group's terms and bundle sizes.

use domain::{ProcessType, Slug, TermChangeId, UnixMs};
use serde::Serialize;
use utoipa::ToSchema;

use super::{AsString, Percent};

/// An announced or effective change of terms.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TermChangeView {
    /// Its id.
    #[schema(value_type = String)]
    pub new_term_id: AsString<TermChangeId>,
    /// The interest before it.
    #[schema(value_type = f64)]
    pub previous_interest_rate: Percent,
    /// The interest after it.
    #[schema(value_type = f64)]
    pub new_interest_rate: Percent,
    /// The term before it, in days.
    pub previous_days: u16,
    /// The term after it, in days.
    pub new_days: u16,
    /// The time at which it takes or took effect.
    #[schema(value_type = u64)]
    pub change_date: UnixMs,
    /// Whether it is in effect.
    pub has_term_change_passed: bool,
}

/// The type of a collection, by the process type of its loans.
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
    /// Its number in the group.
    #[schema(value_type = String)]
    pub id: AsString<u16>,
    /// Its slug in requests and signed messages.
    #[schema(value_type = String)]
    pub slug: Slug,
    /// The days until a loan is due.
    pub term: u16,
    /// Interest for the whole term.
    #[schema(value_type = f64)]
    pub interest: Percent,
    /// The yearly yield.
    #[schema(value_type = f64)]
    pub apy: Percent,
    /// The raw units in a bundle; `null` where the lender sets the amount.
    #[schema(value_type = Option<String>, required)]
    pub bundle_size: Option<AsString<u128>>,
    /// Whether manual offers are accepted.
    pub manual: bool,
    /// Whether instant offers are accepted.
    pub instant: bool,
    /// The accepted process types, as collection types.
    pub collection_types: Vec<CollectionType>,
    /// A change of these terms, if one is announced or was the latest.
    #[schema(required)]
    pub new_term_change_request: Option<TermChangeView>,
}
