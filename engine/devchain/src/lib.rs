//! An embedded Bitcoin chain: a node and an indexer without the network. It follows Bitcoin Core 31 and ord 0.29 on
//! regtest: any difference from them is a bug here; its blocks are valid for them.
//!
//! - [`EmbeddedChain`] is the node; `ledger` is the same as a state machine without time, threads and I/O.
//! - `best_chain` holds blocks and unspent outputs, and disconnects blocks; `mempool` holds unconfirmed transactions.
//! - `transaction_rules`, `time_locks` and `script_check` are consensus; `standard`, `standard_spend`, `truc`,
//!   `acceptance`, `replacement` and `package` are the relay policy, as Bitcoin Core 31 applies it by default;
//!   [`Refusal`] lists all reasons for a rejection in Core's words.
//! - `feerate_diagram` orders the mempool, `block_template` builds blocks from it, `faucet` pays any script on request.
//! - `gift` builds the faucet's gifts, `etching` etches runes with chosen names.
//! - `change` is one step of the chain's history; `chain_file` stores the steps, so that a chain continues after a
//!   restart.
//! - `index` reads blocks for inscriptions, runes and BRC-20; `inscriber` writes inscriptions.
//! - [`Brc20Reader`] reads the blocks of another node for BRC-20, by the same rules.

mod acceptance;
mod best_chain;
mod block_template;
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
mod ledger;
mod mempool;
mod package;
#[cfg(test)]
mod persistence_tests;
mod reject_reason;
mod reorg_policy;
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
pub use gift::{Gift, PreparedGift};
pub use index::RuneSupply;
pub use reject_reason::RejectReason;
pub use reorg_policy::ReorgPolicy;
