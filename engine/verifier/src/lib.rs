//! The second verifier: checks what a wallet is about to sign against the terms that its user agreed to, without the
//! server that prepared it.
//!
//! A [`question::Question`] holds the terms as they were shown, the user's own keys, the server's description of the
//! contract and the PSBTs as the wallet would get them. [`check::check`] derives every script, amount and transaction
//! again and compares; the [`verdict::Verdict`] agrees and says where everything goes, or names what disagrees. The
//! browser runs this crate as WebAssembly before every wallet prompt; it does no input or output of its own.
//!
//! - [`contract`] is the server's description of a contract, [`plan`] the transactions that follow from it.
//! - [`beginning`] checks the start, the refinance and the extension of a loan, [`ending`] its repayment and claim.
//! - [`difference`] names the part of a transaction that is not as planned; [`requested_inputs`] the signature.
//! - [`movements`] lists in plain words where the sats and assets go.
//!
//! [`vault_address`] checks the vault to which another one moves.
//!
//! [`kit_page`] is its second purpose: the computations of the page that ends a loan, or leaves a vault, with a kit alone.
//!
//! It shares `escrow` with the server, so it finds a server that is compromised, mistaken or out of step, and not an
//! error in the contracts themselves. It cannot prove which inscription or rune an output carries.

pub mod agreed_terms;
pub mod beginning;
pub mod check;
pub mod contract;
pub mod difference;
pub mod ending;
pub mod fault;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
pub mod kit_page;
pub mod movements;
pub mod own_keys;
pub mod plan;
pub mod question;
pub mod requested_inputs;
pub mod text_value;
pub mod vault_address;
pub mod verdict;

#[cfg(target_arch = "wasm32")]
mod exports;
