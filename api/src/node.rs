//! The chain and the indexers behind the server: embedded ones, or Bitcoin Core and ord, or public services in their
//! place.

#[cfg(feature = "demo")]
mod block_reader;
#[cfg(not(feature = "demo"))]
#[path = "node/no_block_reader.rs"]
mod block_reader;
pub mod chain_status;
#[cfg(feature = "demo")]
mod embedded_node;
mod inscription_info;
mod node_chain;
mod real_node;
mod real_ports;

use std::collections::BTreeMap;
use std::sync::Arc;

use bitcoin::constants::genesis_block;
use bitcoin::{Amount, BlockHash, FeeRate, Network, OutPoint, Script, ScriptBuf, Transaction, Txid};
use engine::asset_index::{
    AssetError, AssetIndex, Brc20Balance, Brc20Index, InscriptionId, OutputAssets, RuneEntry, TransferInscription,
};
use engine::chain::{Chain, ChainError, KnownTransaction, Tip, Unspent};
use engine::coin_index::CoinIndex;
use ordinals::{Rune, RuneId, SpacedRune};
use providers::capability::InscriptionDetails;

use crate::config::settings::Settings;
use crate::failure::Failure;
use crate::upstreams::MeteredUpstreams;

#[cfg(feature = "demo")]
pub use embedded_node::EmbeddedNode;
pub use inscription_info::InscriptionInfo;
pub use node_chain::NodeChain;
pub use real_node::RealNode;

/// Makes the same call of whichever node there is.
macro_rules! forward {
    ($node:expr, $it:ident => $call:expr) => {
        match $node {
            Node::Real($it) => $call,
            #[cfg(feature = "demo")]
            Node::Embedded($it) => $call,
        }
    };
}

/// A Bitcoin node and the indexers of its blocks. Clones are handles to the same one.
#[derive(Clone, Debug)]
pub enum Node {
    /// External programs and services.
    Real(Arc<RealNode>),
    /// A chain in this process, with all indexers.
    #[cfg(feature = "demo")]
    Embedded(EmbeddedNode),
}

impl Node {
    /// Connects to the configured node and indexers, which must be of the configured network: Bitcoin Core or
    /// explorers, ord or another indexer. Returns `None` when too few are configured.
    ///
    /// # Errors
    /// One line: no answer, another network, or no credentials.
    pub async fn connect(settings: &Settings, others: Arc<MeteredUpstreams>) -> Result<Option<Self>, Failure> {
        let upstreams = &others.upstreams;
        if upstreams.assets.is_empty() || (others.own.core.is_none() && upstreams.chain.is_empty()) {
            return Ok(None);
        }
        let network = settings.network;
        let chain = match &others.own.core {
            Some(core) => NodeChain::Core(Arc::clone(core)),
            None => NodeChain::Explorers(Arc::clone(&upstreams.chain)),
        };
        let place = settings.node_url.as_deref().map_or_else(
            || format!("the explorers {}", upstreams.chain.names().collect::<Vec<_>>().join(" and ")),
            |url| format!("the node at {url}"),
        );
        let genesis = chain.block_hash(0).await;
        let genesis = genesis.map_err(|error| Failure::new(format!("cannot use {place}: {error}")))?;
        if genesis != Some(genesis_block(network).block_hash()) {
            let named = genesis.and_then(network_of).map_or_else(|| "another network".to_owned(), |it| it.to_string());
            let why = format!("{place} is on {named}, and the setting network is {network}");
            return Err(Failure::new(why));
        }
        if let (Some(ord), Some(ord_url)) = (&others.own.ord, &settings.ord_url) {
            let unusable = |error| Failure::new(format!("cannot use the ord server at {ord_url}: {error}"));
            ord.check().await.map_err(unusable)?;
            AssetIndex::height(ord.as_ref()).await.map_err(unusable)?;
        }
        Ok(Some(Self::Real(Arc::new(RealNode::new(chain, others, network)))))
    }

    /// Returns the reason why the current request cannot use the node, which needs no request to it.
    #[must_use]
    pub fn unavailability(&self) -> Option<&'static str> {
        match self {
            Self::Real(_) => None,
            #[cfg(feature = "demo")]
            Self::Embedded(_) => EmbeddedNode::unavailability(),
        }
    }

    /// Returns whether the current request can use the indexer.
    #[must_use]
    pub fn has_indexer(&self) -> bool {
        match self {
            Self::Real(_) => true,
            #[cfg(feature = "demo")]
            Self::Embedded(_) => EmbeddedNode::has_indexer(),
        }
    }

    /// Returns the height up to which inscriptions and runes are known; `None` while the indexer does not answer.
    pub async fn indexer_height(&self) -> Option<u32> {
        forward!(self, node => node.indexer_height().await)
    }

    /// Returns the description of an inscription for display; `None` when it does not exist or has no location. Other
    /// services than the indexer are asked when `is_described`.
    ///
    /// # Errors
    /// Those of [`AssetIndex::place_of`].
    pub async fn inscription(
        &self,
        id: InscriptionId,
        is_described: bool,
    ) -> Result<Option<InscriptionInfo>, AssetError> {
        forward!(self, node => node.inscription(id, is_described).await)
    }

    /// Returns a script's balances of these runes in raw units, and the name of the indexer that reports them. The
    /// balances are for display only and prove nothing.
    ///
    /// # Errors
    /// [`AssetError::Unreachable`] when no indexer reports them.
    pub async fn rune_balances(
        &self,
        owner: &Script,
        runes: &BTreeMap<RuneId, Rune>,
    ) -> Result<(String, BTreeMap<RuneId, u128>), AssetError> {
        forward!(self, node => node.rune_balances(owner, runes).await)
    }

    /// Returns descriptions of inscriptions known to the indexer; those without a location are left out.
    ///
    /// # Errors
    /// Those of [`AssetIndex::place_of`].
    pub async fn inscription_details(&self, ids: &[InscriptionId]) -> Result<Vec<InscriptionDetails>, AssetError> {
        forward!(self, node => node.inscription_details(ids).await)
    }
}

fn network_of(genesis: BlockHash) -> Option<Network> {
    let all = [Network::Bitcoin, Network::Testnet, Network::Testnet4, Network::Signet, Network::Regtest];
    all.into_iter().find(|network| genesis_block(network).block_hash() == genesis)
}

impl Chain for Node {
    async fn tip(&self) -> Result<Tip, ChainError> {
        forward!(self, node => node.tip().await)
    }

    async fn block_hash(&self, height: u32) -> Result<Option<BlockHash>, ChainError> {
        forward!(self, node => node.block_hash(height).await)
    }

    async fn unspent(&self, outpoint: OutPoint) -> Result<Option<Unspent>, ChainError> {
        forward!(self, node => node.unspent(outpoint).await)
    }

    async fn confirmed_unspent(&self, outpoint: OutPoint) -> Result<Option<Unspent>, ChainError> {
        forward!(self, node => node.confirmed_unspent(outpoint).await)
    }

    async fn median_time(&self, block: BlockHash) -> Result<Option<u32>, ChainError> {
        forward!(self, node => node.median_time(block).await)
    }

    async fn block_transactions(&self, block: BlockHash) -> Result<Option<Vec<Transaction>>, ChainError> {
        forward!(self, node => node.block_transactions(block).await)
    }

    async fn transaction(&self, txid: Txid) -> Result<Option<KnownTransaction>, ChainError> {
        forward!(self, node => node.transaction(txid).await)
    }

    async fn test_accept(&self, package: &[Transaction]) -> Result<(), ChainError> {
        forward!(self, node => node.test_accept(package).await)
    }

    async fn broadcast(&self, package: &[Transaction]) -> Result<(), ChainError> {
        forward!(self, node => node.broadcast(package).await)
    }

    async fn fee_rate(&self, within_blocks: u16) -> Result<FeeRate, ChainError> {
        forward!(self, node => node.fee_rate(within_blocks).await)
    }
}

impl AssetIndex for Node {
    async fn height(&self) -> Result<u32, AssetError> {
        forward!(self, node => node.height().await)
    }

    async fn assets_in(&self, outpoint: OutPoint) -> Result<Option<OutputAssets>, AssetError> {
        forward!(self, node => node.assets_in(outpoint).await)
    }

    async fn sat_point(&self, inscription: InscriptionId) -> Result<Option<(OutPoint, Amount)>, AssetError> {
        forward!(self, node => node.sat_point(inscription).await)
    }

    async fn inscription_number(&self, inscription: InscriptionId) -> Result<Option<i64>, AssetError> {
        forward!(self, node => node.inscription_number(inscription).await)
    }

    async fn rune(&self, name: SpacedRune) -> Result<Option<RuneEntry>, AssetError> {
        forward!(self, node => node.rune(name).await)
    }

    async fn cross_check(&self, outpoint: OutPoint, carried: &OutputAssets) -> Result<(), AssetError> {
        forward!(self, node => node.cross_check(outpoint, carried).await)
    }
}

impl Brc20Index for Node {
    async fn brc20_height(&self) -> Result<u32, AssetError> {
        forward!(self, node => node.brc20_height().await)
    }

    async fn balance(&self, owner: &ScriptBuf, ticker: &str) -> Result<Brc20Balance, AssetError> {
        forward!(self, node => node.balance(owner, ticker).await)
    }

    async fn transfer_inscription(
        &self,
        inscription: InscriptionId,
    ) -> Result<Option<TransferInscription>, AssetError> {
        forward!(self, node => node.transfer_inscription(inscription).await)
    }
}

impl CoinIndex for Node {
    async fn outputs_of(&self, owner: &Script) -> Result<Vec<OutPoint>, AssetError> {
        forward!(self, node => node.outputs_of(owner).await)
    }
}
