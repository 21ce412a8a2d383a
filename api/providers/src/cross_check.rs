//! Indexers that check each other, so that no single one can mislead us about collateral: when ord and another indexer
//! disagree about an output, neither is believed, and BRC-20 needs agreement of all.

mod asset_indexers;
mod brc20_quorum;

pub use asset_indexers::AssetIndexers;
pub use brc20_quorum::Brc20Quorum;
