//! An embedded Bitcoin chain: what a node and an indexer know and do, without the network. Where Bitcoin Core 31 or
//! ord 0.29 on regtest do otherwise, this is wrong; its blocks are valid for them.
//!
//! - [`EmbeddedChain`] is the node; `ledger` is the same as a state machine without time, threads and input.
//! - `best_chain` holds blocks and unspent outputs, and takes blocks back; `mempool` holds what waits.
//! - `transaction_rules`, `time_locks` and `script_check` are consensus; `standard`, `standard_spend`,
//!   `truc`, `acceptance`, `replacement` and `package` are what nodes send on, as Bitcoin Core 31 does by
//!   default; [`Refusal`] names all that can be wrong in Core's words.
//! - `feerate_diagram` orders what waits, `block_draft` makes blocks of it, `faucet` pays whoever asks.
//! - `index` reads blocks for inscriptions, runes and BRC-20; `inscriber` writes inscriptions.

mod acceptance;
mod best_chain;
mod block_draft;
mod candidate;
mod coin;
mod coin_view;
mod control_error;
mod embedded_chain;
mod faucet;
mod feerate_diagram;
mod index;
mod inscriber;
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

pub use control_error::ControlError;
pub use embedded_chain::EmbeddedChain;
pub use index::RuneSupply;
pub use ledger::Disconnected;
pub use refusal::Refusal;
