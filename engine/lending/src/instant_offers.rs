//! Instant offers and the opening of the vaults behind them, kept consistent with the vault signer.

pub mod delegated;
pub mod opening;
pub mod reconcile;
pub mod service;
