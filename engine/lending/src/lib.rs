//! The life of a loan, from the request to its last confirmation: joins the market, the contracts, the signer and the
//! chain.
//!
//! The market holds offers and reservations, `escrow` defines the transactions, and the [`ports`] give access to the
//! chain; this crate calls them in the right order. Every step is journaled before it is answered, and every
//! transaction before it is broadcast.

pub mod accept;
pub mod bundle_status;
pub mod calendar;
pub mod claim;
pub mod confirmations;
pub mod contract;
pub mod contract_record;
pub mod countersign;
pub mod csv;
pub mod extend;
pub mod fee_bounds;
pub mod fee_bump;
pub mod funding_coin;
pub mod funding_watch;
pub mod holdings;
pub mod instant;
pub mod kits;
pub mod loan_request;
pub mod loan_service;
pub mod loan_service_error;
pub mod loan_watch;
pub mod lookup;
pub mod opening;
pub mod outpoint;
pub mod party;
pub mod payment;
pub mod ports;
pub mod prepare;
pub mod quotes;
pub mod reconcile;
pub mod refinance;
pub mod repay;
pub mod running_record;
pub mod sides;
pub mod soft_reservations;
pub mod transfer_note;
pub mod transfer_orders;
pub mod unsigned_transactions;
pub mod vault;
pub mod vault_history;
mod vault_split;
pub mod vault_watch;
pub mod withdrawal;
