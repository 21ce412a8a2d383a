//! Lenders' vaults on the chain: their outputs, payments, withdrawals and fee bumps.

pub mod fee_bump;
pub mod payment;
pub mod vault;
pub mod vault_history;
pub(crate) mod vault_signatures;
pub(crate) mod vault_split;
pub mod vault_watch;
pub mod withdrawal;
