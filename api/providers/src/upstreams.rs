//! The upstreams of a configuration, each in the fallback lists of its capabilities.

mod provider_kind;
#[cfg(test)]
mod tests;

use std::num::NonZeroU32;
use std::sync::Arc;

use bitcoin::Network;
use secrecy::SecretString;

use crate::capability::{Addresses, Assets, Brc20, Fees, InscriptionIndex, Inscriptions, Prices, RuneBalances, Runes};
use crate::chain::{BitcoinCore, Blocks, Explorer, ExplorerChain, FeeEndpoint};
use crate::cross_check::{AssetIndexers, Brc20Quorum};
use crate::http::SetupError;
use crate::indexers::{BestInSlot, OrdServer, Ordiscan, Unisat, UnisatOutputs};
use crate::prices::Satflow;
use crate::resilience::{FallbackList, UpstreamClient, UpstreamClientConfig, UpstreamEnvironment};

pub use self::provider_kind::ProviderKind;

/// One upstream of a configuration.
#[derive(Clone, Debug)]
pub struct UpstreamConfig {
    /// Its name in metrics and errors.
    pub name: String,
    /// Its API.
    pub kind: ProviderKind,
    /// Its address.
    pub url: String,
    /// Its API key.
    pub key: Option<SecretString>,
    /// The maximum number of requests per minute.
    pub per_minute: NonZeroU32,
}

/// Programs that the operator runs, which take precedence over all other upstreams.
#[derive(Clone, Debug, Default)]
pub struct SelfHosted {
    /// A node.
    pub core: Option<Arc<BitcoinCore>>,
    /// An indexer of addresses, inscriptions and runes.
    pub ord: Option<Arc<OrdServer>>,
}

/// The upstreams of a configuration in their order, by capability.
#[derive(Debug)]
pub struct Upstreams {
    /// Sources of fee rates.
    pub fees: FallbackList<dyn Fees>,
    /// Sources of the outputs of addresses.
    pub addresses: FallbackList<dyn Addresses>,
    /// Explorers in place of an own node.
    pub chain: Arc<ExplorerChain>,
    /// Indexers of inscriptions and runes.
    pub assets: AssetIndexers,
    /// Sources of the rune balances of scripts.
    pub rune_balances: FallbackList<dyn RuneBalances>,
    /// Indexers of BRC-20.
    pub brc20: Brc20Quorum,
    /// Sources of the names and attributes of inscriptions.
    pub descriptions: FallbackList<dyn Inscriptions>,
    /// Sources of prices.
    pub prices: FallbackList<dyn Prices>,
}

/// The members of each fallback list, while they are collected.
#[derive(Default)]
struct Members {
    fees: Vec<Arc<dyn Fees>>,
    addresses: Vec<Arc<dyn Addresses>>,
    blocks: Vec<Arc<dyn Blocks>>,
    assets: Vec<Arc<dyn Assets>>,
    inscriptions: Vec<Arc<dyn InscriptionIndex>>,
    runes: Vec<Arc<dyn Runes>>,
    rune_balances: Vec<Arc<dyn RuneBalances>>,
    brc20: Vec<Arc<dyn Brc20>>,
    descriptions: Vec<Arc<dyn Inscriptions>>,
    prices: Vec<Arc<dyn Prices>>,
}

impl Members {
    fn add_self_hosted(&mut self, own: SelfHosted) {
        if let Some(core) = own.core {
            self.fees.push(core);
        }
        if let Some(ord) = own.ord {
            self.addresses.push(ord.clone());
            self.assets.push(ord.clone());
            self.rune_balances.push(ord);
        }
    }

    /// On mainnet only ord is trusted, and external indexers cross-check.
    fn retain_self_hosted(&mut self, network: Network) {
        if network == Network::Bitcoin {
            self.assets.retain(|member| member.is_self_hosted());
        }
    }

    fn add(&mut self, kind: ProviderKind, site: UpstreamClient, network: Network) {
        match kind {
            ProviderKind::Mempool | ProviderKind::Esplora => {
                let table =
                    if kind == ProviderKind::Mempool { FeeEndpoint::Recommended } else { FeeEndpoint::Estimates };
                let explorer = Arc::new(Explorer::new(site, network, table));
                self.fees.push(explorer.clone());
                self.blocks.push(explorer.clone());
                self.addresses.push(explorer);
            }
            ProviderKind::Unisat => {
                let unisat = Arc::new(Unisat::new(site, network));
                let outputs = Arc::new(UnisatOutputs(unisat.clone()));
                self.assets.push(outputs.clone());
                self.inscriptions.push(outputs.clone());
                self.runes.push(outputs.clone());
                self.rune_balances.push(outputs);
                self.brc20.push(unisat.clone());
                self.prices.push(unisat);
            }
            ProviderKind::BestInSlot => {
                let best_in_slot = Arc::new(BestInSlot::new(site, network));
                self.inscriptions.push(best_in_slot.clone());
                self.runes.push(best_in_slot.clone());
                self.rune_balances.push(best_in_slot.clone());
                self.brc20.push(best_in_slot.clone());
                self.descriptions.push(best_in_slot.clone());
                self.prices.push(best_in_slot);
            }
            ProviderKind::Ordiscan => {
                let ordiscan = Arc::new(Ordiscan::new(site, network));
                self.rune_balances.push(ordiscan.clone());
                self.descriptions.push(ordiscan.clone());
                self.prices.push(ordiscan);
            }
            ProviderKind::Satflow => self.prices.push(Arc::new(Satflow::new(site))),
        }
    }
}

impl Upstreams {
    /// Creates clients of all of them, own programs first; no request is made yet.
    ///
    /// # Errors
    /// The name of an upstream that cannot be used, and why.
    pub fn new(
        own: SelfHosted,
        plans: Vec<UpstreamConfig>,
        environment: &UpstreamEnvironment,
    ) -> Result<Self, (String, SetupError)> {
        let mut members = Members::default();
        members.add_self_hosted(own);
        for plan in plans {
            let (name, kind) = (plan.name.clone(), plan.kind);
            let site = upstream_client(plan, environment).map_err(|error| (name, error))?;
            members.add(kind, site, environment.network);
        }
        members.retain_self_hosted(environment.network);
        let (guard, meters) = (environment.guard, &environment.metrics);
        Ok(Self {
            fees: FallbackList::new("fees", members.fees, guard, meters.clone()),
            addresses: FallbackList::new("addresses", members.addresses, guard, meters.clone()),
            chain: Arc::new(ExplorerChain::new(
                FallbackList::new("blocks", members.blocks, guard, meters.clone()),
                guard,
            )),
            assets: AssetIndexers::new(
                FallbackList::new("inscriptions and runes", members.assets, guard, meters.clone()),
                FallbackList::new("a second look at inscriptions", members.inscriptions, guard, meters.clone()),
                FallbackList::new("a second look at runes", members.runes, guard, meters.clone()),
            ),
            rune_balances: FallbackList::new("rune balances", members.rune_balances, guard, meters.clone()),
            brc20: Brc20Quorum::new(FallbackList::new("BRC-20", members.brc20, guard, meters.clone())),
            descriptions: FallbackList::new("descriptions", members.descriptions, guard, meters.clone()),
            prices: FallbackList::new("prices", members.prices, guard, meters.clone()),
        })
    }
}

fn upstream_client(plan: UpstreamConfig, environment: &UpstreamEnvironment) -> Result<UpstreamClient, SetupError> {
    let UpstreamConfig { name, kind, url, key, per_minute } = plan;
    let key = key.map(|secret| kind.key(secret));
    UpstreamClient::new(UpstreamClientConfig { name, url, key, per_minute }, environment)
}
