//! The contracts of a loan, as transactions in which no party has to trust another.
//!
//! Each of these uses only those above it:
//!
//! - [`transaction`] builds transactions of coins and contracts.
//! - [`assets`] follows inscriptions, runes and BRC-20 transfers through them.
//! - [`signing`] hands them to a wallet and verifies what it returns.
//! - [`vault`] backs instant offers.
//! - [`loan`] originates, repays, claims, extends and refinances.
//! - [`inscribe_transfer`] inscribes a user's own transfer, which a loan can then take as collateral.

pub mod assets;
pub mod inscribe_transfer;
pub mod loan;
pub mod signing;
pub mod transaction;
pub mod vault;
