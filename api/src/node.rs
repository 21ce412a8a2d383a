//! The chain and the indexers behind the server: embedded ones, or Bitcoin Core and ord, or public services in their
//! place.

pub mod chain_status;
mod inscription_info;
mod node_chain;
mod real_node;

use std::collections::BTreeMap;
use std::sync::Arc;

use bitcoin::constants::genesis_block;
use bitcoin::{Amount, BlockHash, FeeRate, Network, OutPoint, Script, ScriptBuf, Transaction, Txid};
use devchain::EmbeddedChain;
use engine::asset_index::{
    AssetError, AssetIndex, Brc20Balance, Brc20Index, InscriptionId, OutputAssets, RuneEntry, TransferInscription,
};
use engine::chain::{Chain, ChainError, KnownTransaction, Tip, Unspent};
use engine::coin_index::CoinIndex;
use ordinals::{Rune, RuneId, SpacedRune};
use providers::capability::InscriptionDetails;

use crate::config::settings::Settings;
use crate::failure::Failure;
use crate::outage::{self, Part};
use crate::upstreams::MeteredUpstreams;

pub use inscription_info::InscriptionInfo;
pub use node_chain::NodeChain;
pub use real_node::RealNode;

/// The name of the demo's own indexer.
const DEMO_INDEXER: &str = "demo";

/// A Bitcoin node and the indexers of its blocks. Clones are handles to the same one.
#[derive(Clone, Debug)]
pub enum Node {
    /// A chain in this process, with all indexers.
    Embedded(EmbeddedChain),
    /// External programs and services.
    Real(Arc<RealNode>),
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

    /// Returns the height up to which inscriptions and runes are known; `None` while the indexer does not answer.
    pub async fn indexer_height(&self) -> Option<u32> {
        match self {
            // The simulated outage of the indexer concerns one visitor only, and this answer is shared.
            Self::Embedded(chain) => AssetIndex::height(chain).await.ok(),
            Self::Real(real) => real.assets().first_height().await,
        }
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
        match self {
            Self::Real(real) => real.inscription(id, is_described).await,
            Self::Embedded(chain) => {
                let seen = seen_in(indexer(chain)?, id).await?;
                Ok(seen.map(|seen| InscriptionInfo::of(seen, DEMO_INDEXER, None)))
            }
        }
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
        match self {
            Self::Real(real) => real.rune_balances(owner, runes).await,
            Self::Embedded(chain) => {
                let chain = indexer(chain)?;
                let mut sums = BTreeMap::new();
                for outpoint in chain.outputs_of(owner).await? {
                    for (id, raw) in chain.assets_in(outpoint).await?.unwrap_or_default().runes {
                        let sum: &mut u128 = sums.entry(id).or_default();
                        *sum = sum.saturating_add(raw);
                    }
                }
                sums.retain(|id, _| runes.contains_key(id));
                Ok((DEMO_INDEXER.to_owned(), sums))
            }
        }
    }

    /// Returns descriptions of inscriptions known to the indexer; those without a location are left out.
    ///
    /// # Errors
    /// Those of [`AssetIndex::place_of`].
    pub async fn inscription_details(&self, ids: &[InscriptionId]) -> Result<Vec<InscriptionDetails>, AssetError> {
        match self {
            Self::Real(real) => real.inscription_details(ids).await,
            Self::Embedded(chain) => {
                let chain = indexer(chain)?;
                let mut sightings = Vec::with_capacity(ids.len());
                for id in ids {
                    sightings.extend(seen_in(chain, *id).await?);
                }
                Ok(sightings)
            }
        }
    }
}

/// Returns an inscription of the demo's chain.
async fn seen_in(chain: &EmbeddedChain, id: InscriptionId) -> Result<Option<InscriptionDetails>, AssetError> {
    let Some((outpoint, offset)) = chain.sat_point(id).await? else { return Ok(None) };
    let output = chain.confirmed_unspent(outpoint).await.ok().flatten().map(|unspent| unspent.output);
    Ok(Some(InscriptionDetails {
        offset_sats: Some(offset.to_sat()),
        output_sats: output.as_ref().map(|output| output.value.to_sat()),
        owner: output.map(|output| output.script_pubkey),
        content_type: chain.content_type_of(id),
        ..InscriptionDetails::at(id, outpoint)
    }))
}

fn network_of(genesis: BlockHash) -> Option<Network> {
    let all = [Network::Bitcoin, Network::Testnet, Network::Testnet4, Network::Signet, Network::Regtest];
    all.into_iter().find(|network| genesis_block(network).block_hash() == genesis)
}

/// Returns the demo's chain as a node, unless the visitor has switched it off.
fn node(chain: &EmbeddedChain) -> Result<&EmbeddedChain, ChainError> {
    if outage::is_unavailable(Part::Node) { Err(ChainError::Unreachable(outage::REASON.to_owned())) } else { Ok(chain) }
}

/// Returns the demo's chain as an indexer, unless the visitor has switched it off.
fn indexer(chain: &EmbeddedChain) -> Result<&EmbeddedChain, AssetError> {
    if outage::is_unavailable(Part::Indexer) {
        Err(AssetError::Unreachable(outage::REASON.to_owned()))
    } else {
        Ok(chain)
    }
}

impl Chain for Node {
    async fn tip(&self) -> Result<Tip, ChainError> {
        match self {
            Self::Embedded(chain) => node(chain)?.tip().await,
            Self::Real(real) => real.chain().tip().await,
        }
    }

    async fn block_hash(&self, height: u32) -> Result<Option<BlockHash>, ChainError> {
        match self {
            Self::Embedded(chain) => node(chain)?.block_hash(height).await,
            Self::Real(real) => real.chain().block_hash(height).await,
        }
    }

    async fn unspent(&self, outpoint: OutPoint) -> Result<Option<Unspent>, ChainError> {
        match self {
            Self::Embedded(chain) => node(chain)?.unspent(outpoint).await,
            Self::Real(real) => real.chain().unspent(outpoint).await,
        }
    }

    async fn confirmed_unspent(&self, outpoint: OutPoint) -> Result<Option<Unspent>, ChainError> {
        match self {
            Self::Embedded(chain) => node(chain)?.confirmed_unspent(outpoint).await,
            Self::Real(real) => real.chain().confirmed_unspent(outpoint).await,
        }
    }

    async fn median_time(&self, block: BlockHash) -> Result<Option<u32>, ChainError> {
        match self {
            Self::Embedded(chain) => node(chain)?.median_time(block).await,
            Self::Real(real) => real.chain().median_time(block).await,
        }
    }

    async fn block_transactions(&self, block: BlockHash) -> Result<Option<Vec<Transaction>>, ChainError> {
        match self {
            Self::Embedded(chain) => node(chain)?.block_transactions(block).await,
            Self::Real(real) => real.chain().block_transactions(block).await,
        }
    }

    async fn transaction(&self, txid: Txid) -> Result<Option<KnownTransaction>, ChainError> {
        match self {
            Self::Embedded(chain) => node(chain)?.transaction(txid).await,
            Self::Real(real) => real.chain().transaction(txid).await,
        }
    }

    async fn test_accept(&self, package: &[Transaction]) -> Result<(), ChainError> {
        match self {
            Self::Embedded(chain) => node(chain)?.test_accept(package).await,
            Self::Real(real) => real.chain().test_accept(package).await,
        }
    }

    async fn broadcast(&self, package: &[Transaction]) -> Result<(), ChainError> {
        match self {
            Self::Embedded(chain) => node(chain)?.broadcast(package).await,
            Self::Real(real) => real.broadcast(package).await,
        }
    }

    async fn fee_rate(&self, within_blocks: u16) -> Result<FeeRate, ChainError> {
        match self {
            Self::Embedded(chain) => node(chain)?.fee_rate(within_blocks).await,
            Self::Real(real) => real.fee_rate(within_blocks).await,
        }
    }
}

impl AssetIndex for Node {
    async fn height(&self) -> Result<u32, AssetError> {
        match self {
            Self::Embedded(chain) => indexer(chain)?.height().await,
            Self::Real(real) => real.asset_height().await,
        }
    }

    async fn assets_in(&self, outpoint: OutPoint) -> Result<Option<OutputAssets>, AssetError> {
        match self {
            Self::Embedded(chain) => indexer(chain)?.assets_in(outpoint).await,
            Self::Real(real) => real.assets().carried_by(outpoint).await,
        }
    }

    async fn sat_point(&self, inscription: InscriptionId) -> Result<Option<(OutPoint, Amount)>, AssetError> {
        match self {
            Self::Embedded(chain) => indexer(chain)?.sat_point(inscription).await,
            Self::Real(real) => real.assets().place_of(inscription).await,
        }
    }

    async fn rune(&self, name: SpacedRune) -> Result<Option<RuneEntry>, AssetError> {
        match self {
            Self::Embedded(chain) => indexer(chain)?.rune(name).await,
            Self::Real(real) => real.assets().rune(name).await,
        }
    }

    async fn cross_check(&self, outpoint: OutPoint, carried: &OutputAssets) -> Result<(), AssetError> {
        match self {
            Self::Embedded(_) => Ok(()),
            Self::Real(real) => real.cross_check(outpoint, carried).await,
        }
    }
}

impl Brc20Index for Node {
    async fn brc20_height(&self) -> Result<u32, AssetError> {
        match self {
            Self::Embedded(chain) => indexer(chain)?.brc20_height().await,
            Self::Real(real) => real.brc20_height().await,
        }
    }

    async fn balance(&self, owner: &ScriptBuf, ticker: &str) -> Result<Brc20Balance, AssetError> {
        match self {
            Self::Embedded(chain) => indexer(chain)?.balance(owner, ticker).await,
            Self::Real(real) => real.balance(owner, ticker).await,
        }
    }

    async fn transfer_inscription(
        &self,
        inscription: InscriptionId,
    ) -> Result<Option<TransferInscription>, AssetError> {
        match self {
            Self::Embedded(chain) => indexer(chain)?.transfer_inscription(inscription).await,
            Self::Real(real) => real.note(inscription).await,
        }
    }
}

impl CoinIndex for Node {
    async fn outputs_of(&self, owner: &Script) -> Result<Vec<OutPoint>, AssetError> {
        match self {
            Self::Embedded(chain) => indexer(chain)?.outputs_of(owner).await,
            Self::Real(real) => real.outputs_of(owner).await,
        }
    }
}
