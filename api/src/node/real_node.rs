//! The configured node, indexers and external services, combined into the chain and indexes of the market.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bitcoin::{FeeRate, Network, OutPoint, Script, ScriptBuf, Transaction};
use devchain::Brc20Reader;
use engine::asset_index::{AssetError, Brc20Balance, InscriptionId, OutputAssets, TransferInscription};
use engine::chain::{Chain as _, ChainError};
use engine::coin_index::LISTED_MAX;
use ordinals::{Rune, RuneId};
use providers::capability::{InscriptionDetails, Named as _, RecommendedFees, UpstreamFuture};
use providers::{AssetIndexers, FeeEstimate, OrdServer, Upstreams};
use tokio::sync::{Mutex, MutexGuard};

use super::inscription_info::{Descriptions, InscriptionInfo};
use super::node_chain::NodeChain;
use crate::upstreams::MeteredUpstreams;

/// The lifetime of cached fee recommendations, which are the same for all callers.
const ADVICE_MAX_AGE: Duration = Duration::from_secs(20);

/// A node or explorers, and indexers of their blocks.
#[derive(Debug)]
pub struct RealNode {
    chain: NodeChain,
    /// A BRC-20 indexer in this process, for chains that are short enough: on regtest.
    blocks: Option<Mutex<Brc20Reader>>,
    metered: Arc<MeteredUpstreams>,
    advice: Mutex<Option<(Instant, RecommendedFees)>>,
    descriptions: Descriptions,
}

impl RealNode {
    pub(super) fn new(chain: NodeChain, metered: Arc<MeteredUpstreams>, network: Network) -> Self {
        let is_read = network == Network::Regtest && metered.upstreams.brc20.is_empty();
        let blocks = is_read.then(Mutex::default);
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

    fn upstreams(&self) -> &Upstreams {
        &self.metered.upstreams
    }

    /// Returns the indexers of inscriptions and runes.
    pub(super) fn assets(&self) -> &AssetIndexers {
        &self.upstreams().assets
    }

    fn ord(&self) -> Option<&OrdServer> {
        self.metered.own.ord.as_deref()
    }

    async fn tip(&self) -> Result<u32, AssetError> {
        self.chain.tip().await.map(|tip| tip.height).map_err(|error| AssetError::Unreachable(error.to_string()))
    }

    /// Returns the in-process BRC-20 indexer at the last block, if there is one.
    async fn reader(&self) -> Option<Result<MutexGuard<'_, Brc20Reader>, AssetError>> {
        let mut reader = self.blocks.as_ref()?.lock().await;
        let followed = reader.sync(&self.chain).await;
        Some(followed.map(|()| reader).map_err(|error| AssetError::Unreachable(error.to_string())))
    }

    pub(super) async fn brc20_height(&self) -> Result<u32, AssetError> {
        match self.reader().await {
            Some(reader) => Ok(reader?.height()),
            None => self.upstreams().brc20.height(self.tip().await?).await,
        }
    }

    pub(super) async fn balance(&self, owner: &ScriptBuf, ticker: &str) -> Result<Brc20Balance, AssetError> {
        match self.reader().await {
            Some(reader) => Ok(reader?.balance(owner, ticker)),
            None => self.upstreams().brc20.balance(self.tip().await?, owner, ticker).await,
        }
    }

    pub(super) async fn note(&self, inscription: InscriptionId) -> Result<Option<TransferInscription>, AssetError> {
        match self.reader().await {
            Some(reader) => Ok(reader?.note(inscription)),
            None => self.upstreams().brc20.note(self.tip().await?, inscription).await,
        }
    }

    /// Returns the node's estimate, or the recommendation of other services if the node has too little data or does not
    /// answer.
    pub(super) async fn fee_rate(&self, within_blocks: u16) -> Result<FeeRate, ChainError> {
        let own = match &self.chain {
            NodeChain::Core(core) => core.fee_estimate(within_blocks).await,
            NodeChain::Explorers(_) => Err(ChainError::Unreachable("no explorer advises on fees".to_owned())),
        };
        let least = match own {
            Ok(FeeEstimate { estimate: Some(rate), minimum }) => return Ok(rate.max(minimum)),
            Ok(FeeEstimate { estimate: None, minimum }) => Ok(minimum),
            Err(error) => Err(error),
        };
        match (self.advice().await, least) {
            (Some(advice), Ok(least)) => Ok(advice.for_blocks(within_blocks).max(least)),
            (Some(advice), Err(ChainError::Unreachable(_))) => Ok(advice.for_blocks(within_blocks)),
            (_, least) => least,
        }
    }

    /// Returns the recommendation of other services.
    async fn advice(&self) -> Option<RecommendedFees> {
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

    /// Broadcasts by the node, or by explorers while the node is unavailable.
    pub(super) async fn broadcast(&self, package: &[Transaction]) -> Result<(), ChainError> {
        let sent = self.chain.broadcast(package).await;
        let (Err(ChainError::Unreachable(_)), NodeChain::Core(_)) = (&sent, &self.chain) else { return sent };
        let explorers = &self.upstreams().chain;
        if explorers.is_empty() {
            return sent;
        }
        match explorers.broadcast(package).await {
            Ok(()) => Ok(()),
            // An explorer's refusal is not conclusive; the chain will show whether the package is known.
            Err(_) => sent,
        }
    }

    /// Lists the outputs of a script by ord, else by an explorer that is not behind the node.
    pub(super) async fn outputs_of(&self, owner: &Script) -> Result<Vec<OutPoint>, AssetError> {
        let addresses = &self.upstreams().addresses;
        let own = match addresses.self_hosted() {
            Some(ord) => match ord.outputs_of(owner).await {
                Ok(listed) => return Ok(listed),
                Err(trouble) => {
                    addresses.count_fallback(ord.as_ref(), &trouble);
                    Some(AssetError::from(trouble))
                }
            },
            None => None,
        };
        let tip = match self.tip().await {
            Ok(tip) => tip,
            Err(error) => return Err(own.unwrap_or(error)),
        };
        match addresses.first_synced((tip, 0), |member| member.outputs_of(owner)).await {
            Ok(mut outputs) => {
                outputs.sort_unstable();
                outputs.dedup();
                outputs.truncate(LISTED_MAX);
                Ok(outputs)
            }
            Err(none) => Err(own.unwrap_or_else(|| AssetError::Unreachable(none.to_string()))),
        }
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

    /// Cross-checks what is to be pledged against independent indexers, if any are configured.
    pub(super) async fn cross_check(&self, outpoint: OutPoint, carried: &OutputAssets) -> Result<(), AssetError> {
        if !self.assets().can_cross_check() {
            return Ok(());
        }
        self.assets().cross_check(self.tip().await?, outpoint, carried).await
    }

    pub(super) async fn asset_height(&self) -> Result<u32, AssetError> {
        self.assets().height(|| self.tip()).await
    }
}
