//! The configured node, indexers and external services, combined into the chain and indexes of the market.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bitcoin::{Network, Script};
use engine::asset_index::{AssetError, InscriptionId};
use engine::chain::Chain as _;
use ordinals::{Rune, RuneId};
use providers::capability::{InscriptionDetails, Named as _, RecommendedFees, UpstreamFuture};
use providers::{AssetIndexers, OrdServer, Upstreams};
use tokio::sync::{Mutex, MutexGuard};

use super::block_reader::{BlockReader, new_reader};
use super::inscription_info::{Descriptions, InscriptionInfo};
use super::node_chain::NodeChain;
use crate::upstreams::MeteredUpstreams;

/// The lifetime of cached fee recommendations, which are the same for all callers.
const ADVICE_MAX_AGE: Duration = Duration::from_secs(20);

/// A node or explorers, and indexers of their blocks.
#[derive(Debug)]
pub struct RealNode {
    chain: NodeChain,
    /// A BRC-20 indexer in this process, for chains that are short enough: on regtest, in builds with the demo.
    blocks: Option<Mutex<BlockReader>>,
    metered: Arc<MeteredUpstreams>,
    advice: Mutex<Option<(Instant, RecommendedFees)>>,
    descriptions: Descriptions,
}

impl RealNode {
    pub(super) fn new(chain: NodeChain, metered: Arc<MeteredUpstreams>, network: Network) -> Self {
        let is_read = network == Network::Regtest && metered.upstreams.brc20.is_empty();
        let blocks = is_read.then(new_reader).flatten().map(Mutex::new);
        Self { chain, blocks, metered, advice: Mutex::default(), descriptions: Descriptions::default() }
    }

    /// Returns Bitcoin Core, or explorers in its place.
    #[must_use]
    pub const fn chain(&self) -> &NodeChain {
        &self.chain
    }

    /// Returns the sources of blocks, inscriptions and runes, as one line.
    #[must_use]
    pub fn describe_sources(&self) -> String {
        let blocks = match &self.chain {
            NodeChain::Core(core) => core.name().to_owned(),
            NodeChain::Explorers(explorers) => explorers.names().collect::<Vec<_>>().join(" and "),
        };
        let assets: Vec<&str> = self.assets().members().iter().map(|member| member.name()).collect();
        let assets = assets.join(", then ");
        format!("Blocks are read from {blocks}, inscriptions and runes from {assets}.")
    }

    /// Returns all other configured services.
    #[must_use]
    pub const fn metered_upstreams(&self) -> &Arc<MeteredUpstreams> {
        &self.metered
    }

    pub(super) fn upstreams(&self) -> &Upstreams {
        &self.metered.upstreams
    }

    /// Returns the indexers of inscriptions and runes.
    pub(super) fn assets(&self) -> &AssetIndexers {
        &self.upstreams().assets
    }

    fn ord(&self) -> Option<&OrdServer> {
        self.metered.own.ord.as_deref()
    }

    /// Returns the height of the best block, for indexers to be compared with.
    pub(super) async fn chain_height(&self) -> Result<u32, AssetError> {
        self.chain.tip().await.map(|tip| tip.height).map_err(|error| AssetError::Unreachable(error.to_string()))
    }

    /// Returns the in-process BRC-20 indexer at the last block, if there is one.
    pub(super) async fn reader(&self) -> Option<Result<MutexGuard<'_, BlockReader>, AssetError>> {
        let mut reader = self.blocks.as_ref()?.lock().await;
        let followed = reader.sync(&self.chain).await;
        Some(followed.map(|()| reader).map_err(|error| AssetError::Unreachable(error.to_string())))
    }

    /// Returns the recommendation of other services.
    pub(super) async fn advice(&self) -> Option<RecommendedFees> {
        let mut known = self.advice.lock().await;
        if let Some((at, advice)) = *known
            && at.elapsed() < ADVICE_MAX_AGE
        {
            return Some(advice);
        }
        // Failures are logged by the services' adapters.
        let advice = self.upstreams().fees.first_external(|member| member.fees()).await.ok()?;
        *known = Some((Instant::now(), advice));
        Some(advice)
    }

    /// Returns a script's balances of these runes from the first service that reports them, and the name of the
    /// service.
    pub(super) async fn rune_balances(
        &self,
        owner: &Script,
        runes: &BTreeMap<RuneId, Rune>,
    ) -> Result<(String, BTreeMap<RuneId, u128>), AssetError> {
        let wanted: BTreeSet<Rune> = runes.values().copied().collect();
        let reported = self.upstreams().rune_balances.first(|member| -> UpstreamFuture<'_, _> {
            let wanted = &wanted;
            Box::pin(async move { Ok((member.name().to_owned(), member.rune_balances(owner, wanted).await?)) })
        });
        let (provider, balances) = reported.await.map_err(|none| AssetError::Unreachable(none.to_string()))?;
        let sum_of = |rune: Rune| {
            let sums = balances.iter().filter(|balance| balance.rune == rune);
            sums.map(|balance| balance.raw).fold(0, u128::saturating_add)
        };
        let sums = runes.iter().map(|(id, rune)| (*id, sum_of(*rune)));
        Ok((provider, sums.filter(|(_, raw)| *raw > 0).collect()))
    }

    /// Returns the height of the first indexer that answers.
    pub(super) async fn indexer_height(&self) -> Option<u32> {
        self.assets().first_height().await
    }

    /// Returns the trusted indexer's description of an inscription, completed by other services when `is_described`;
    /// `None` when the indexer does not know it.
    pub(super) async fn inscription(
        &self,
        id: InscriptionId,
        is_described: bool,
    ) -> Result<Option<InscriptionInfo>, AssetError> {
        let Some((indexer, seen)) = self.assets().inscription(id).await? else { return Ok(None) };
        let described =
            if is_described { self.descriptions.of(id, &self.upstreams().descriptions).await } else { None };
        Ok(Some(InscriptionInfo::of(seen, &indexer, described)))
    }

    /// Returns descriptions of inscriptions known to the indexer: ord is asked for a hundred of them at a time, others
    /// for each.
    pub(super) async fn inscription_details(
        &self,
        ids: &[InscriptionId],
    ) -> Result<Vec<InscriptionDetails>, AssetError> {
        if let Some(ord) = self.ord()
            && let Ok(sightings) = ord.inscriptions(ids).await
        {
            return Ok(sightings);
        }
        let mut sightings = Vec::with_capacity(ids.len());
        for id in ids {
            sightings.extend(self.assets().inscription(*id).await?.map(|(_, seen)| seen));
        }
        Ok(sightings)
    }
}
