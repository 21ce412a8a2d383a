//! The vault signer, which holds the vaults' keys.
//!
//! It trusts no other component, including the server: it derives every transaction again from what the lender signed
//! and from its own policy, and signs its own transaction or nothing.
//!
//! ```text
//! request -> signer (pure ladder over policy and state) -> entry in the log, on the disk -> signature
//! ```
//!
//! - [`master_seed`] is the one secret, [`key_file`] stores it encrypted with [`private_mode`], `ephemeral_key` signs once and is destroyed.
//! - [`identity`] attests keys as a signer's own, [`signer_set`] is the signers that share the vaults.
//! - [`policy`] and [`term_sheet`] are the operator's rules, [`refusal`] lists every reason to refuse a signature.
//! - [`request`] holds the requests and answers, [`signer`] decides them.
//! - [`delegation`] is what a program may sign in a lender's place, [`delegation_request`] and [`delegation_refusal`] are what
//!   is asked and refused about it, [`program_text`] is what the program signs.
//! - [`vault_signer`] is the port; [`in_process`] and [`socket_client`] are its two adapters, [`socket_server`] serves
//!   the second. [`quorum`] is the port to several signers that share the vaults.
//! - [`signing_log`] records everything that was ever signed; limits and used nonces are derived from it alone.
//!
//! Invariants:
//! - No answer is sent before the entry that it depends on is durable.
//! - No key is ever in an answer, in the log or in debug output.
//! - The signer does not read the chain. It does not need to: a taproot signature commits to the amount and script of
//!   every spent output (BIP-341), so a false amount only yields an invalid signature.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::too_many_lines, reason = "a test that panics has failed"))]

pub mod as_script;
pub mod as_text;
pub mod delegation;
pub mod delegation_refusal;
pub mod delegation_request;
pub mod identity;
pub mod in_process;
pub mod key_file;
pub mod key_source;
pub mod master_seed;
pub mod policy;
pub mod pre_signed_loan;
pub mod private_mode;
pub mod program_text;
pub mod quorum;
pub mod refusal;
pub mod request;
pub mod signed_text;
pub mod signer;
pub mod signer_set;
pub mod signers;
pub mod signing_log;
pub mod socket_client;
pub mod socket_server;
pub mod term_sheet;
pub mod vault_signer;

mod cancellations;
mod entry;
mod ephemeral_key;
mod fee_bumps;
mod frame;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod loan;
mod log_sync;
mod offer;
mod outflow;
mod state;
mod waiting_keys;
