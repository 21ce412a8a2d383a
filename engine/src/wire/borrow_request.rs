//! A borrow request's public view.

use domain::{BorrowRequest, GroupId, RequestId, Sats, UnixMs, UserId};
use serde::Serialize;
use utoipa::ToSchema;

use crate::asset_index::InscriptionId;

use super::{AsString, Percent};

/// The state of a borrow request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum RequestState {
    /// A lender can fill it.
    Open,
    /// A lender has filled it, and its borrower is to sign.
    Filled,
}

/// A borrower's request for sats against collateral.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequestView {
    /// Its id.
    #[schema(value_type = String)]
    pub request_id: AsString<RequestId>,
    /// The group in whose book it is.
    #[schema(value_type = String)]
    pub group_id: AsString<GroupId>,
    /// The borrower.
    #[schema(value_type = String)]
    pub borrower_id: AsString<UserId>,
    /// The inscription to pledge, or the first of several; `null` with tokens.
    #[schema(value_type = Option<String>, required)]
    pub inscription_id: Option<AsString<InscriptionId>>,
    /// All inscriptions to pledge together; empty with tokens.
    #[schema(value_type = Vec<String>)]
    pub inscription_ids: Vec<AsString<InscriptionId>>,
    /// The amount of tokens to pledge, in raw units; `null` with an inscription.
    #[schema(value_type = Option<String>, required)]
    pub fungible_amount: Option<AsString<u128>>,
    /// The wanted principal.
    #[schema(value_type = u64)]
    pub principal_amount_sats: Sats,
    /// The highest interest for the whole term.
    #[schema(value_type = f64)]
    pub interest_max_percentage: Percent,
    /// The shortest term, in days.
    pub term_min_days: u16,
    /// The longest term, in days.
    pub term_max_days: u16,
    /// The time from which it cannot be filled, in unix milliseconds.
    #[schema(value_type = u64)]
    pub good_until: UnixMs,
    /// The time at which it was placed.
    #[schema(value_type = u64)]
    pub created_at: UnixMs,
    /// Whether a lender can fill it.
    pub state: RequestState,
}

impl From<&BorrowRequest> for RequestView {
    fn from(request: &BorrowRequest) -> Self {
        let terms = &request.terms;
        Self {
            request_id: AsString(request.id),
            group_id: AsString(request.id.group()),
            borrower_id: AsString(terms.borrower.user),
            inscription_id: terms.inscriptions.first().map(|first| AsString((*first).into())),
            inscription_ids: terms.inscriptions.iter().map(|each| AsString((*each).into())).collect(),
            fungible_amount: terms.inscriptions.is_empty().then_some(AsString(terms.quantity.raw)),
            principal_amount_sats: terms.principal,
            interest_max_percentage: terms.interest_max.into(),
            term_min_days: terms.term_min.0,
            term_max_days: terms.term_max.0,
            good_until: terms.good_until,
            created_at: request.created_at,
            state: if request.filled_by.is_some() { RequestState::Filled } else { RequestState::Open },
        }
    }
}
