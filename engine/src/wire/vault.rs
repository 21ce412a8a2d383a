//! A lender's vault as its owner sees it.

use domain::Sats;
use serde::Serialize;
use utoipa::ToSchema;

/// The pre-funded vault of a lender (SPEC section 3, Prefunded vault).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VaultView {
    /// What is not held for a borrower who is signing.
    #[schema(value_type = u64)]
    pub usable_balance_sats: Sats,
    /// Everything in it.
    #[schema(value_type = u64)]
    pub balance_sats: Sats,
    /// Where it is funded; `null` until it is open.
    #[schema(required)]
    pub vault_address: Option<String>,
}
