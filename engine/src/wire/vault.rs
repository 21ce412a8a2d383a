//! A vault's view for its owner.

use domain::Sats;
use serde::Serialize;
use utoipa::ToSchema;

/// The pre-funded vault of a lender.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VaultView {
    /// The balance that is not reserved.
    #[schema(value_type = u64)]
    pub usable_balance_sats: Sats,
    /// The whole balance.
    #[schema(value_type = u64)]
    pub balance_sats: Sats,
    /// The address that funds it; `null` until it is open.
    #[schema(required)]
    pub vault_address: Option<String>,
}
