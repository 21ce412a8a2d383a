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

// The former paths, which engine/lending and api/providers still name.
#[doc(hidden)]
pub use {assets::*, loan::*, signing::*, transaction::*, vault::*};
/// The former path of [`transaction::template`] and [`transaction::spend`].
#[doc(hidden)]
pub mod template {
    pub use super::transaction::spend::*;
    pub use super::transaction::template::*;
}
/// The former path of [`loan::running_loan`] and [`transaction::version`].
#[doc(hidden)]
pub mod running_loan {
    pub use super::loan::running_loan::*;
    pub use super::transaction::version::*;
}
/// The former path of [`loan::origination`] and [`loan::origination_outputs`].
#[doc(hidden)]
pub mod origination {
    pub use super::loan::origination::*;
    pub use super::loan::origination_outputs::*;
}
