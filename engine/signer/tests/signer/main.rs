//! End-to-end tests of the signer: real signatures, every refusal, crashes, limits, sockets.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::too_many_lines,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

mod concurrent_requests;
mod delegated_loans;
mod delegation_attacks;
mod delegations;
mod fee_bumps;
mod foreign_repay_keys;
mod loan_refusals;
mod loans;
mod log_damage;
mod message_refusals;
mod moves;
mod named_borrowers;
mod named_tamperings;
mod pegged_offers;
mod program;
mod quorum;
mod refinances;
mod rig;
mod shared_rig;
mod signer_model;
mod sockets;
mod term_changes;
mod withdrawals;
mod writer_epochs;
