//! The upstreams of a configuration, each in the lineups of what it offers.

use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;

use bitcoin::Network;
use secrecy::SecretString;

use crate::best_in_slot::BestInSlot;
use crate::brc20_council::Brc20Council;
use crate::capability::{Brc20, Coins, Fees, InscriptionIndex, Inscriptions, Prices};
use crate::explorer::{Blocks, Explorer, FeeTable};
use crate::explorer_chain::ExplorerChain;
use crate::fallback::{BreakerRules, HeightGuard, Key, Lineup, Meters, RetryPolicy, Site, SitePlan, TimeLimits};
use crate::magic_eden::MagicEden;
use crate::ordiscan::Ordiscan;
use crate::unisat::Unisat;
use crate::upstream::SetupError;

/// A wallet's inscriptions with everything that is said of them fit.
const ANSWER_BYTES_MAX: usize = 8_000_000;

/// Which API an upstream speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
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
    /// Magic Eden's for Bitcoin.
    MagicEden,
}

impl Kind {
    /// Where it is for a network, if it is there at all.
    #[must_use]
    pub const fn usual_url(self, network: Network) -> Option<&'static str> {
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
            (Self::MagicEden, Network::Bitcoin) => Some("https://api-mainnet.magiceden.dev"),
            _ => None,
        }
    }

    /// Whether it answers nobody without a key.
    #[must_use]
    pub const fn needs_key(self) -> bool {
        matches!(self, Self::Unisat | Self::BestInSlot | Self::Ordiscan)
    }

    /// How often one may be asked in a minute when nothing else is agreed.
    #[must_use]
    pub const fn usual_per_minute(self) -> NonZeroU32 {
        NonZeroU32::MIN.saturating_add(match self {
            Self::Mempool | Self::Esplora | Self::MagicEden => 59,
            Self::Unisat | Self::BestInSlot | Self::Ordiscan => 239,
        })
    }

    fn key(self, secret: SecretString) -> Key {
        let (header, scheme) = match self {
            Self::BestInSlot => ("x-api-key", ""),
            _ => ("authorization", "Bearer "),
        };
        Key { header, scheme, secret }
    }
}

/// One upstream of a configuration.
#[derive(Clone, Debug)]
pub struct UpstreamPlan {
    /// How it is called in figures and errors.
    pub name: String,
    /// Which API it speaks.
    pub kind: Kind,
    /// Where it is.
    pub url: String,
    /// What it knows us by.
    pub key: Option<SecretString>,
    /// How often it may be asked in a minute.
    pub per_minute: NonZeroU32,
}

/// What all upstreams share.
#[derive(Clone)]
pub struct Surroundings {
    /// Whose blocks are read.
    pub network: Network,
    /// Random numbers, which spread the questions that are asked again.
    pub random: Arc<dyn Fn() -> u32 + Send + Sync>,
    /// What counts them.
    pub meters: Meters,
    /// How far behind one may be.
    pub guard: HeightGuard,
    pub(crate) retry: RetryPolicy,
    pub(crate) rest: BreakerRules,
    pub(crate) time_limits: TimeLimits,
}

impl fmt::Debug for Surroundings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Surroundings").field("network", &self.network).finish_non_exhaustive()
    }
}

impl Surroundings {
    /// With the patience of SPEC sections 7 and 9.
    #[must_use]
    pub fn new(network: Network, random: Arc<dyn Fn() -> u32 + Send + Sync>, meters: Meters) -> Self {
        let (retry, rest, time_limits) = (RetryPolicy::USUAL, BreakerRules::default(), TimeLimits::default());
        Self { network, random, meters, guard: HeightGuard::default(), retry, rest, time_limits }
    }
}

/// The upstreams of a configuration in their order, by what they can be asked.
#[derive(Debug)]
pub struct Upstreams {
    /// For fee rates.
    pub fees: Lineup<dyn Fees>,
    /// For the outputs of addresses.
    pub coins: Lineup<dyn Coins>,
    /// In the place of a node.
    pub chain: ExplorerChain,
    /// For BRC-20.
    pub brc20: Brc20Council,
    /// For a second look at where inscriptions are.
    pub inscriptions: Lineup<dyn InscriptionIndex>,
    /// For what inscriptions are called and have: those who know that of some.
    pub descriptions: Lineup<dyn Inscriptions>,
    /// For prices.
    pub prices: Lineup<dyn Prices>,
}

impl Upstreams {
    /// Makes them; none is asked anything yet.
    ///
    /// # Errors
    /// The name of the one that cannot be asked at all, and why.
    pub fn new(plans: Vec<UpstreamPlan>, around: &Surroundings) -> Result<Self, (String, SetupError)> {
        let mut fees: Vec<Arc<dyn Fees>> = Vec::new();
        let mut coins: Vec<Arc<dyn Coins>> = Vec::new();
        let mut blocks: Vec<Arc<dyn Blocks>> = Vec::new();
        let mut brc20: Vec<Arc<dyn Brc20>> = Vec::new();
        let mut inscriptions: Vec<Arc<dyn InscriptionIndex>> = Vec::new();
        let mut descriptions: Vec<Arc<dyn Inscriptions>> = Vec::new();
        let mut prices: Vec<Arc<dyn Prices>> = Vec::new();
        for plan in plans {
            let (name, kind, network) = (plan.name.clone(), plan.kind, around.network);
            let site = site(plan, around).map_err(|error| (name, error))?;
            match kind {
                Kind::Mempool | Kind::Esplora => {
                    let table = if kind == Kind::Mempool { FeeTable::Recommended } else { FeeTable::Estimates };
                    let explorer = Arc::new(Explorer::new(site, network, table));
                    fees.push(explorer.clone());
                    coins.push(explorer.clone());
                    blocks.push(explorer);
                }
                Kind::Unisat => {
                    let unisat = Arc::new(Unisat::new(site, network));
                    brc20.push(unisat.clone());
                    inscriptions.push(unisat.clone());
                    prices.push(unisat);
                }
                Kind::BestInSlot => {
                    let best_in_slot = Arc::new(BestInSlot::new(site, network));
                    brc20.push(best_in_slot.clone());
                    inscriptions.push(best_in_slot.clone());
                    descriptions.push(best_in_slot.clone());
                    prices.push(best_in_slot);
                }
                Kind::Ordiscan => {
                    let ordiscan = Arc::new(Ordiscan::new(site, network));
                    descriptions.push(ordiscan.clone());
                    prices.push(ordiscan);
                }
                Kind::MagicEden => {
                    let magic_eden = Arc::new(MagicEden::new(site, network));
                    descriptions.push(magic_eden.clone());
                    prices.push(magic_eden);
                }
            }
        }
        let (guard, meters) = (around.guard, &around.meters);
        Ok(Self {
            fees: Lineup::new("fees", fees, guard, meters.clone()),
            coins: Lineup::new("addresses", coins, guard, meters.clone()),
            chain: ExplorerChain::new(Lineup::new("blocks", blocks, guard, meters.clone()), guard),
            brc20: Brc20Council::new(Lineup::new("BRC-20", brc20, guard, meters.clone())),
            inscriptions: Lineup::new("inscriptions", inscriptions, guard, meters.clone()),
            descriptions: Lineup::new("descriptions", descriptions, guard, meters.clone()),
            prices: Lineup::new("prices", prices, guard, meters.clone()),
        })
    }
}

pub(crate) fn site(plan: UpstreamPlan, around: &Surroundings) -> Result<Site, SetupError> {
    let UpstreamPlan { name, kind, url, key, per_minute } = plan;
    Site::new(SitePlan {
        name,
        url,
        key: key.map(|secret| kind.key(secret)),
        per_minute,
        time_limits: around.time_limits,
        answer_bytes_max: ANSWER_BYTES_MAX,
        retry: around.retry,
        rest: around.rest,
        random: Arc::clone(&around.random),
        meters: around.meters.clone(),
    })
}
