//! The interfaces outside of the market that a loan needs.

use engine::asset_index::{AssetIndex, Brc20Index};
use engine::chain::Chain;
use engine::coin_index::CoinIndex;
use signer::vault_signer::VaultSigner;

use crate::lookups::signer_router::SignerRouter;

/// All ports of a loan service. One type may implement several of them.
pub trait Ports: Send + Sync + 'static {
    /// A Bitcoin node.
    type Chain: Chain;
    /// An indexer of inscriptions and runes.
    type Assets: AssetIndex;
    /// An indexer of BRC-20.
    type Brc20: Brc20Index;
    /// An indexer of addresses.
    type Coins: CoinIndex;
    /// A vault signer, which holds the keys of vaults.
    type Signer: VaultSigner;

    /// The node.
    fn chain(&self) -> &Self::Chain;
    /// The indexer of inscriptions and runes.
    fn assets(&self) -> &Self::Assets;
    /// The indexer of BRC-20.
    fn brc20(&self) -> &Self::Brc20;
    /// The indexer of addresses.
    fn coins(&self) -> &Self::Coins;
    /// The vault signers, of which the vault decides.
    fn signer(&self) -> &SignerRouter<Self::Signer>;
}
