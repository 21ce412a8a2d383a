//! An embedded Bitcoin chain: what a node and an indexer know and do, without the network. Where Bitcoin Core 31 or
//! ord 0.29 on regtest do otherwise, this is wrong; its blocks are valid for them.
//!
//! - [`EmbeddedChain`] is the node; `ledger` is the same as a state machine without time, threads and input.
//! - `best_chain` holds blocks and unspent outputs, and takes blocks back; `mempool` holds what waits.
//! - `transaction_rules`, `time_locks` and `script_check` are consensus; `standard`, `standard_spend`,
//!   `truc`, `acceptance`, `replacement` and `package` are what nodes send on, as Bitcoin Core 31 does by
//!   default; [`Refusal`] names all that can be wrong in Core's words.
//! - `feerate_diagram` orders what waits, `block_draft` makes blocks of it, `faucet` pays whoever asks.
//! - `gift` is what the faucet gives away, `etching` makes runes of names of one's own.
//! - `change` is what happens, one step at a time; `chain_file` keeps the steps, so that a chain goes on after a restart.
//! - `index` reads blocks for inscriptions, runes and BRC-20; `inscriber` writes inscriptions.
//! - [`Brc20Reader`] reads the blocks of another node for BRC-20, by the same rules.

mod acceptance;
mod best_chain;
mod block_draft;
mod brc20_reader;
mod candidate;
mod chain_file;
mod change;
mod coin;
mod coin_view;
mod control_error;
mod embedded_chain;
mod etching;
mod faucet;
mod feerate_diagram;
mod gift;
mod index;
mod inscriber;
#[cfg(test)]
mod keeping;
mod ledger;
mod mempool;
mod package;
mod refusal;
mod replacement;
#[cfg(test)]
mod replay;
mod reversible_map;
mod script_check;
mod standard;
mod standard_spend;
mod time_locks;
mod transaction_rules;
mod truc;

pub use brc20_reader::Brc20Reader;
pub use chain_file::ChainFileError;
pub use control_error::ControlError;
pub use embedded_chain::EmbeddedChain;
pub use etching::NewRune;
pub use gift::{Gift, Present};
pub use index::RuneSupply;
pub use ledger::Disconnected;
pub use refusal::Refusal;
