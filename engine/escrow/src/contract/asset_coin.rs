//! Coins that carry assets.

use bitcoin::Amount;
use ordinals::RuneId;

use super::coin::Coin;

/// A coin, and all assets in it as reported by an indexer that has read the coin's block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssetCoin {
    /// The coin.
    pub coin: Coin,
    /// For each inscription, the number of the coin's sats that precede it.
    pub inscriptions: Vec<Amount>,
    /// Runes in raw units.
    pub runes: Vec<(RuneId, u128)>,
}
