//! Transactions before they are signed.
//!
//! - [`coin`] is an output to be spent, [`side`] keeps the coins of two parties apart.
//! - [`contract_output`] is an output that can be spent by two scripts ([`leaf`], some with a [`key_set`]) and by no key ([`unspendable`]).
//! - [`spend`] is an input, and [`lock`] lists its signers.
//! - [`template`] is the unsigned transaction, with the lock of each input; [`assembly`] balances it.
//! - [`coin_selection`] is the coin selection, which meets a [`funding_target`].
//! - [`version`] is the version that no child can pin.

pub mod assembly;
pub mod coin;
pub mod coin_selection;
pub mod contract_output;
pub mod funding_target;
pub mod key_set;
pub mod leaf;
pub mod lock;
pub mod side;
pub mod spend;
pub mod template;
pub mod unspendable;
pub mod version;
