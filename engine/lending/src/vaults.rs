//! Lenders' vaults on the chain: their signers, outputs, payments, withdrawals, moves and fee bumps.

pub mod attested_vault;
pub mod fee_bump;
pub mod lender_order;
pub mod payment;
pub mod previous_vaults;
pub mod vault;
pub mod vault_history;
pub mod vault_move;
pub(crate) mod vault_signatures;
pub(crate) mod vault_split;
pub mod vault_watch;
pub mod withdrawal;
