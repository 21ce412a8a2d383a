//! The loan service, and what every stage of a loan shares: errors, fee bounds, reservations and unsigned transactions.

mod broadcast;
pub mod fee_bounds;
mod free_outputs;
pub mod loan_ids;
pub mod loan_information;
pub mod loan_service;
pub mod loan_service_error;
mod parties;
pub mod platform_fee;
pub mod sides;
pub(crate) mod signing_times;
mod soft_reservations;
pub mod unsigned_transactions;
pub mod watch_times;
