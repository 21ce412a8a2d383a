//! The holder of the vaults' keys.
//!
//! It trusts nobody, the server included: whatever it is asked to sign it derives again from what the lender signed and
//! from its own policy, and it signs its own transaction or nothing.
//!
//! ```text
//! request -> signer (pure ladder over policy and state) -> entry in the log, on the disk -> signature
//! ```
//!
//! - [`master_seed`] is the one secret, [`key_file`] keeps it encrypted, `once_key` signs once and is gone.
//! - [`policy`] and [`term_sheet`] are what the operator lays down, [`refusal`] is every reason to sign nothing.
//! - [`request`] is what can be asked, [`signer`] answers.
//! - [`vault_signer`] is the port; [`in_process`] and [`socket_client`] are its two forms, [`socket_server`] serves the
//!   second.
//! - [`signing_log`] holds everything that was ever signed; limits and used nonces come from it alone.
//!
//! What must hold:
//! - Nothing leaves before the entry that names it is on the disk.
//! - No key is ever in an answer, in the log or in debug output.
//! - The signer knows no chain. It need not: a taproot signature commits to the amount and script of every output that
//!   is spent (BIP-341), so whoever lies about one gets a signature that is worth nothing.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::too_many_lines, reason = "a test that panics has failed"))]

pub mod as_script;
pub mod as_text;
pub mod in_process;
pub mod key_file;
pub mod master_seed;
pub mod policy;
pub mod refusal;
pub mod request;
pub mod signed_text;
pub mod signer;
pub mod signing_log;
pub mod socket_client;
pub mod socket_server;
pub mod term_sheet;
pub mod vault_signer;

mod entry;
mod fee_bumps;
mod frame;
mod loan;
mod log_sync;
mod offer;
mod once_key;
mod outflow;
mod state;
