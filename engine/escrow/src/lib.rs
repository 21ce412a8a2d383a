//! Bitcoin messages and contracts, without network access.
//!
//! Pure functions of their arguments: no I/O, no clock, no async, no randomness. Time is passed in.
//!
//! - [`address`] parses the addresses that may sign, at the edge and once.
//! - [`public_key`] checks that a public key claimed by a client is the one behind its address.
//! - [`message_signature`] verifies BIP-322 and BIP-137 signatures.
//! - [`action`], [`envelope`] and [`action_message`] are the exact text of every message that a wallet signs.
//! - [`new_api_key`] is what a user signs for a program.
//! - [`new_delegation`] is what a lender signs for a program that quotes, [`delegated_action`] what the program signs.
//! - [`message_times`] decides whether a signed text is still fresh.
//! - [`contract`] builds every transaction of a loan and checks where each sat of it goes.
//! - [`kit`] is the file with which a user ends a loan, or exits a vault, without the platform.
//! - [`decimal`] parses decimal numbers, [`fee_rate`] parses and formats fee rates.
//! - [`tagged_hash`] is what keys and signatures of Lienbook's own are made over.
//! - [`verification`] is the secp256k1 context of everything that needs no secret key.
//! - [`utc`] formats times for display.
//! - [`wallet_key`] signs messages and transactions, for the simulated traders of the demo, for tests and for benches.

pub mod action;
pub mod action_message;
pub mod address;
pub mod contract;
pub mod decimal;
pub mod delegated_action;
pub mod delegation_id;
pub mod envelope;
pub mod fee_rate;
pub mod key_purpose;
pub mod kit;
pub mod message_error;
pub mod message_signature;
pub mod message_times;
pub mod new_api_key;
pub mod new_delegation;
pub mod policy_signers;
pub mod public_key;
pub mod signature_error;
pub mod tagged_hash;
pub mod utc;
pub mod verification;
pub mod wallet_key;

mod recoverable_signature;
mod simple_witness;
mod strict_encoding;
mod text_reader;
mod text_writer;
mod wallet_psbt;
