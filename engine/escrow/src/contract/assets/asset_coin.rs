//! Coins that carry assets.

use bitcoin::Amount;
use ordinals::RuneId;

use crate::contract::transaction::coin::Coin;

/// The sats of an output that carries runes or a transfer inscription: above the dust limit of every kind of address.
pub const POSTAGE: Amount = Amount::from_sat(546);

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
