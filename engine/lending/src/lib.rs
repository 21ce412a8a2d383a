//! The life of a loan, from the request to its last confirmation: joins the market, the contracts, the signer and the
//! chain.
//!
//! The market holds offers and reservations, `escrow` defines the transactions, and the [`lookups::ports`] give access
//! to the chain; this crate calls them in the right order. Every step is journaled before it is answered, and every
//! transaction before it is broadcast.
//!
//! Dependencies run one way:
//!
//! ```text
//! chain_watch -> origination -> { ending, vaults } -> service -> { lookups, records }
//!                               brc20 -> service    instant_offers
//! ```

pub mod brc20;
pub mod chain_watch;
pub mod ending;
pub mod instant_offers;
pub mod lookups;
pub mod origination;
pub mod records;
pub mod service;
pub mod vaults;
