//! Coins that carry assets.

use bitcoin::Amount;
use ordinals::RuneId;

use super::coin::Coin;

/// A coin, and all that stands on it as an indexer of the coin's block sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssetCoin {
    /// The coin.
    pub coin: Coin,
    /// Of each inscription, how many of the coin's sats come before it.
    pub inscriptions: Vec<Amount>,
    /// Runes in raw units.
    pub runes: Vec<(RuneId, u128)>,
}
