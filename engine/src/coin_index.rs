//! The coin port: the outputs that pay to a script, as an indexer of addresses sees the chain.
//!
//! A listing proves nothing: before an output is spent it is checked with [`crate::chain::Chain::unspent`], and its
//! assets with [`crate::asset_index::AssetIndex::assets_in`].

use std::future::Future;

use bitcoin::{OutPoint, Script};

use crate::asset_index::AssetError;

/// The maximum number of outputs listed for one script; of more, those with the lowest outpoints.
pub const LISTED_MAX: usize = 2_000;

/// An indexer of addresses.
pub trait CoinIndex: Send + Sync + 'static {
    /// The confirmed unspent outputs that pay to a script, ordered by outpoint, at most [`LISTED_MAX`]; an output spent
    /// in the mempool may still be listed.
    fn outputs_of(&self, owner: &Script) -> impl Future<Output = Result<Vec<OutPoint>, AssetError>> + Send;
}
