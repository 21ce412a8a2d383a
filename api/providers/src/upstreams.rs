//! The upstreams of a configuration, each in the lineups of its capabilities.

use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;

use bitcoin::Network;
use secrecy::SecretString;

use crate::asset_indexers::AssetIndexers;
use crate::best_in_slot::BestInSlot;
use crate::bitcoin_core::BitcoinCore;
use crate::brc20_quorum::Brc20Quorum;
use crate::capability::{Addresses, Assets, Brc20, Fees, InscriptionIndex, Inscriptions, Prices, RuneBalances, Runes};
use crate::explorer::{Blocks, Explorer, FeeEndpoint};
use crate::explorer_chain::ExplorerChain;
use crate::fallback::{
    ApiKey, BreakerConfig, FallbackList, HeightGuard, RetryPolicy, TimeLimits, UpstreamClient, UpstreamClientConfig,
    UpstreamMetrics,
};
use crate::http_client::SetupError;
use crate::ord::OrdServer;
use crate::ordiscan::Ordiscan;
use crate::satflow::Satflow;
use crate::unisat::{Unisat, UnisatOutputs};

/// The maximum size of an answer: a wallet's inscriptions with full descriptions fit.
const ANSWER_BYTES_MAX: usize = 8_000_000;

/// The API of an upstream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProviderKind {
    /// mempool.space's.
    Mempool,
    /// Esplora's.
    Esplora,
    /// `UniSat`'s open API.
    Unisat,
    /// Best in Slot's, version 3.
    BestInSlot,
    /// Ordiscan's.
    Ordiscan,
    /// Satflow's.
    Satflow,
}

impl ProviderKind {
    /// Returns the default address for a network, if it serves that network.
    #[must_use]
    pub const fn default_url(self, network: Network) -> Option<&'static str> {
        match (self, network) {
            (Self::Mempool, Network::Bitcoin) => Some("https://mempool.space/api"),
            (Self::Mempool, Network::Testnet4) => Some("https://mempool.space/testnet4/api"),
            (Self::Mempool, Network::Signet) => Some("https://mempool.space/signet/api"),
            (Self::Esplora, Network::Bitcoin) => Some("https://blockstream.info/api"),
            (Self::Unisat, Network::Bitcoin) => Some("https://open-api.unisat.io"),
            (Self::Unisat, Network::Testnet4) => Some("https://open-api-testnet4.unisat.io"),
            (Self::Unisat, Network::Signet) => Some("https://open-api-signet.unisat.io"),
            (Self::BestInSlot, Network::Bitcoin) => Some("https://api.bestinslot.xyz/v3"),
            (Self::BestInSlot, Network::Testnet4) => Some("https://testnet.api.bestinslot.xyz/v3"),
            (Self::BestInSlot, Network::Signet) => Some("https://signet.api.bestinslot.xyz/v3"),
            (Self::Ordiscan, Network::Bitcoin) => Some("https://api.ordiscan.com"),
            (Self::Satflow, Network::Bitcoin) => Some("https://api.satflow.com/v1"),
            _ => None,
        }
    }

    /// Returns whether it requires a key.
    #[must_use]
    pub const fn needs_key(self) -> bool {
        matches!(self, Self::Unisat | Self::BestInSlot | Self::Ordiscan | Self::Satflow)
    }

    /// Returns the default rate limit, in requests per minute.
    #[must_use]
    pub const fn default_per_minute(self) -> NonZeroU32 {
        NonZeroU32::MIN.saturating_add(match self {
            Self::Mempool | Self::Esplora | Self::Satflow => 59,
            Self::Unisat | Self::BestInSlot | Self::Ordiscan => 239,
        })
    }

    fn key(self, secret: SecretString) -> ApiKey {
        let (header, scheme) = match self {
            Self::BestInSlot | Self::Satflow => ("x-api-key", ""),
            _ => ("authorization", "Bearer "),
        };
        ApiKey { header, scheme, secret }
    }
}

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

/// The environment that all upstreams share.
#[derive(Clone)]
pub struct UpstreamEnvironment {
    /// The Bitcoin network.
    pub network: Network,
    /// A source of random numbers for the jitter of retries.
    pub random: Arc<dyn Fn() -> u32 + Send + Sync>,
    /// The metrics of their requests.
    pub metrics: UpstreamMetrics,
    /// The tolerance for their heights.
    pub guard: HeightGuard,
    pub(crate) retry: RetryPolicy,
    pub(crate) breaker: BreakerConfig,
    pub(crate) time_limits: TimeLimits,
}

impl fmt::Debug for UpstreamEnvironment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Surroundings").field("network", &self.network).finish_non_exhaustive()
    }
}

impl UpstreamEnvironment {
    /// Creates the environment with the default timeouts, retries and breaker limits.
    #[must_use]
    pub fn new(network: Network, random: Arc<dyn Fn() -> u32 + Send + Sync>, metrics: UpstreamMetrics) -> Self {
        let (retry, breaker, time_limits) = (RetryPolicy::DEFAULT, BreakerConfig::default(), TimeLimits::default());
        Self { network, random, metrics, guard: HeightGuard::default(), retry, breaker, time_limits }
    }
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

/// The members of each lineup, while they are collected.
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

pub(crate) fn upstream_client(
    plan: UpstreamConfig,
    environment: &UpstreamEnvironment,
) -> Result<UpstreamClient, SetupError> {
    let UpstreamConfig { name, kind, url, key, per_minute } = plan;
    UpstreamClient::new(UpstreamClientConfig {
        name,
        url,
        key: key.map(|secret| kind.key(secret)),
        per_minute,
        time_limits: environment.time_limits,
        answer_bytes_max: ANSWER_BYTES_MAX,
        retry: environment.retry,
        breaker: environment.breaker,
        random: Arc::clone(&environment.random),
        metrics: environment.metrics.clone(),
    })
}
