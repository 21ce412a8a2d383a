//! The coin port: which outputs pay to whom, as an indexer of addresses sees the chain.
//!
//! A list is where to look and proves nothing: whoever spends an output asks [`crate::chain::Chain::unspent`] for it and
//! [`crate::asset_index::AssetIndex::carried_by`] what it carries.

use std::future::Future;

use bitcoin::{OutPoint, Script};

use crate::asset_index::AssetError;

/// The most outputs that are listed for one script; of more those with the least outpoints.
pub const LISTED_MAX: usize = 2_000;

/// An indexer of addresses.
pub trait CoinIndex: Send + Sync + 'static {
    /// The unspent outputs of blocks that pay to a script, by outpoint and at most [`LISTED_MAX`]; one that a waiting
    /// transaction spends may still be among them.
    fn outputs_of(&self, owner: &Script) -> impl Future<Output = Result<Vec<OutPoint>, AssetError>> + Send;
}
