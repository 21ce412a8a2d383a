//! Everything outside of the market that a loan needs.

use engine::asset_index::{AssetIndex, Brc20Index};
use engine::chain::Chain;
use engine::coin_index::CoinIndex;
use signer::vault_signer::VaultSigner;

/// The world as one loan desk sees it. One type may play several parts.
pub trait Ports: Send + Sync + 'static {
    /// A Bitcoin node.
    type Chain: Chain;
    /// An indexer of inscriptions and runes.
    type Assets: AssetIndex;
    /// An indexer of BRC-20.
    type Brc20: Brc20Index;
    /// An indexer of addresses.
    type Coins: CoinIndex;
    /// The holder of the vaults' keys.
    type Signer: VaultSigner;

    /// The node.
    fn chain(&self) -> &Self::Chain;
    /// The indexer of inscriptions and runes.
    fn assets(&self) -> &Self::Assets;
    /// The indexer of BRC-20.
    fn brc20(&self) -> &Self::Brc20;
    /// The indexer of addresses.
    fn coins(&self) -> &Self::Coins;
    /// The holder of the vaults' keys.
    fn signer(&self) -> &Self::Signer;
}
