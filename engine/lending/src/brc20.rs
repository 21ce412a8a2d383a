//! Transfer inscriptions of a user's BRC-20 tokens, as collateral.

pub mod bundle_status;
pub mod transfer_orders;
