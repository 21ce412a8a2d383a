//! The Bitcoin chain: a node ([`BitcoinCore`]), one explorer ([`Explorer`]), and explorers that check each other in place
//! of a node ([`ExplorerChain`]). All implement or serve [`engine::chain::Chain`].

mod acceptance;
mod bitcoin_core;
mod explorer;
mod explorer_chain;

pub use bitcoin_core::{BitcoinCore, Credentials, FeeEstimate};
#[cfg(any(test, fuzzing))]
pub(crate) use explorer::Spenders;
pub(crate) use explorer::{Blocks, Explorer, FeeEndpoint};
pub use explorer_chain::ExplorerChain;
