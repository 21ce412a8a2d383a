//! The loan service, and what every stage of a loan shares: errors, fee bounds, reservations and unsigned transactions.

pub mod fee_bounds;
pub mod loan_service;
pub mod loan_service_error;
pub mod sides;
pub mod soft_reservations;
pub mod unsigned_transactions;
