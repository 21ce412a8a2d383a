//! Inscriptions, runes and BRC-20 transfers in transactions.
//!
//! - [`asset_coin`] is a coin that carries assets besides sats, [`pledge`] what an output holds as collateral.
//! - [`sat_flow`] follows each sat through a transaction and [`rune_flow`] each rune.
//! - [`brc20_transfer`] is a transfer inscription, [`inscription`] its envelope, [`commit`] the output that holds it
//!   until its reveal.

pub mod asset_coin;
pub mod brc20_transfer;
pub mod commit;
pub mod inscription;
pub mod pledge;
pub mod rune_flow;
pub mod sat_flow;
