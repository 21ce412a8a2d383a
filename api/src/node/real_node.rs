//! Bitcoin Core and ord, with public upstreams for what these two do not answer.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bitcoin::{Amount, FeeRate, Network, OutPoint, Script, ScriptBuf, Transaction};
use devnet::chain::Brc20Reader;
use engine::asset_index::{AssetError, AssetIndex as _, Brc20Balance, InscriptionId, TransferNote};
use engine::chain::{Chain as _, ChainError};
use engine::coin_index::{CoinIndex as _, LISTED_MAX};
use providers::capability::{FeeAdvice, Named as _};
use providers::{BitcoinCore, FeeEstimate, OrdServer};
use tokio::sync::{Mutex, MutexGuard};

use super::inscription_info::{Descriptions, InscriptionInfo};
use crate::upstreams::MeteredUpstreams;

/// How long advice on fees is good for: everybody pays for the same blocks.
const ADVICE_FRESH: Duration = Duration::from_secs(20);

/// Bitcoin Core and ord, and who else is asked.
#[derive(Debug)]
pub struct RealNode {
    core: BitcoinCore,
    ord: OrdServer,
    /// Reads the blocks for BRC-20 where they are few enough for that: on regtest.
    blocks: Option<Mutex<Brc20Reader>>,
    others: Arc<MeteredUpstreams>,
    advice: Mutex<Option<(Instant, FeeAdvice)>>,
    descriptions: Descriptions,
}

impl RealNode {
    pub(super) fn new(core: BitcoinCore, ord: OrdServer, others: Arc<MeteredUpstreams>, network: Network) -> Self {
        let is_read = network == Network::Regtest && others.upstreams.brc20.is_empty();
        let blocks = is_read.then(Mutex::default);
        Self { core, ord, blocks, others, advice: Mutex::default(), descriptions: Descriptions::default() }
    }

    /// Bitcoin Core.
    #[must_use]
    pub const fn core(&self) -> &BitcoinCore {
        &self.core
    }

    /// ord.
    #[must_use]
    pub const fn ord(&self) -> &OrdServer {
        &self.ord
    }

    /// Who is asked beside the node.
    #[must_use]
    pub const fn others(&self) -> &Arc<MeteredUpstreams> {
        &self.others
    }

    async fn tip(&self) -> Result<u32, AssetError> {
        self.core.tip().await.map(|tip| tip.height).map_err(|error| AssetError::Unreachable(error.to_string()))
    }

    /// BRC-20 after the last block, where the blocks are read.
    async fn reader(&self) -> Option<Result<MutexGuard<'_, Brc20Reader>, AssetError>> {
        let mut reader = self.blocks.as_ref()?.lock().await;
        let followed = reader.follow(&self.core).await;
        Some(followed.map(|()| reader).map_err(|error| AssetError::Unreachable(error.to_string())))
    }

    pub(super) async fn brc20_height(&self) -> Result<u32, AssetError> {
        match self.reader().await {
            Some(reader) => Ok(reader?.height()),
            None => self.others.upstreams.brc20.height(self.tip().await?).await,
        }
    }

    pub(super) async fn balance(&self, owner: &ScriptBuf, ticker: &str) -> Result<Brc20Balance, AssetError> {
        match self.reader().await {
            Some(reader) => Ok(reader?.balance(owner, ticker)),
            None => self.others.upstreams.brc20.balance(self.tip().await?, owner, ticker).await,
        }
    }

    pub(super) async fn note(&self, inscription: InscriptionId) -> Result<Option<TransferNote>, AssetError> {
        match self.reader().await {
            Some(reader) => Ok(reader?.note(inscription)),
            None => self.others.upstreams.brc20.note(self.tip().await?, inscription).await,
        }
    }

    /// What the node estimates; what an upstream advises where it has seen too little to.
    pub(super) async fn fee_rate(&self, within_blocks: u16) -> Result<FeeRate, ChainError> {
        let estimate = self.core.fee_estimate(within_blocks).await;
        let least = match estimate {
            Ok(FeeEstimate { estimate: Some(rate), least }) => return Ok(rate.max(least)),
            Ok(FeeEstimate { estimate: None, least }) => Ok(least),
            Err(error) => Err(error),
        };
        if self.others.upstreams.fees.is_empty() {
            return least;
        }
        match (self.advice().await, least) {
            (Some(advice), Ok(least)) => Ok(advised(&advice, within_blocks).max(least)),
            (Some(advice), Err(ChainError::Unreachable(_))) => Ok(advised(&advice, within_blocks)),
            (_, least) => least,
        }
    }

    async fn advice(&self) -> Option<FeeAdvice> {
        let mut known = self.advice.lock().await;
        if let Some((at, advice)) = *known
            && at.elapsed() < ADVICE_FRESH
        {
            return Some(advice);
        }
        // Who does not help is in the log already.
        let advice = self.others.upstreams.fees.first(|member| member.fees()).await.ok()?;
        *known = Some((Instant::now(), advice));
        Some(advice)
    }

    /// Sends on by the node; a single transaction by an explorer while the node is away.
    pub(super) async fn broadcast(&self, package: &[Transaction]) -> Result<(), ChainError> {
        let sent = self.core.broadcast(package).await;
        let (Err(ChainError::Unreachable(_)), [transaction]) = (&sent, package) else { return sent };
        let coins = &self.others.upstreams.coins;
        match coins.first(|member| member.broadcast(transaction)).await {
            Ok(()) => Ok(()),
            // What an explorer thinks of it is no proof: the chain says what became of it.
            Err(_) => sent,
        }
    }

    /// Lists the outputs of a script by ord, else by an explorer that is not behind the node.
    pub(super) async fn outputs_of(&self, owner: &Script) -> Result<Vec<OutPoint>, AssetError> {
        let coins = &self.others.upstreams.coins;
        let listed = self.ord.outputs_of(owner).await;
        if listed.is_ok() || coins.is_empty() {
            return listed;
        }
        let tip = self.tip().await?;
        match coins.first_in_step(tip, 0, |member| member.outputs_of(owner)).await {
            Ok(mut outputs) => {
                outputs.sort_unstable();
                outputs.dedup();
                outputs.truncate(LISTED_MAX);
                Ok(outputs)
            }
            Err(_) => listed,
        }
    }

    /// What ord says of an inscription, and when `is_described` those who describe them; `None` when ord knows none.
    pub(super) async fn inscription(
        &self,
        id: InscriptionId,
        is_described: bool,
    ) -> Result<Option<InscriptionInfo>, AssetError> {
        let Some(seen) = self.ord.sighting_of(id).await? else { return Ok(None) };
        let describers = &self.others.upstreams.descriptions;
        let described = if is_described { self.descriptions.of(id, describers).await } else { None };
        Ok(Some(InscriptionInfo::of(seen, self.ord.name(), described)))
    }

    /// Where ord sees an inscription, which must be where others see it that have read the node's last block.
    pub(super) async fn place_of(&self, inscription: InscriptionId) -> Result<Option<(OutPoint, Amount)>, AssetError> {
        let place = self.ord.place_of(inscription).await?;
        let others = &self.others.upstreams.inscriptions;
        let Some((outpoint, _)) = place else { return Ok(None) };
        if others.is_empty() {
            return Ok(place);
        }
        let tip = self.tip().await?;
        // Nobody else helps: ord's word is what there is.
        let Ok(seen) = others.first_in_step(tip, tip, |member| member.sighting(inscription)).await else {
            return Ok(place);
        };
        if seen.as_ref().is_some_and(|seen| seen.outpoint == outpoint) {
            return Ok(place);
        }
        let elsewhere = seen.map_or_else(|| "nowhere".to_owned(), |seen| format!("at {}", seen.outpoint));
        tracing::error!(%inscription, %outpoint, elsewhere, "indexers disagree, and nobody is believed");
        let why = format!("ord has inscription {inscription} at {outpoint}, and another indexer {elsewhere}");
        Err(AssetError::Nonsense(why))
    }
}

/// What is advised for so many blocks, rounded up.
fn advised(advice: &FeeAdvice, within_blocks: u16) -> FeeRate {
    let milli = match within_blocks {
        0..=1 => advice.fastest_milli,
        2..=3 => advice.half_hour_milli,
        4..=6 => advice.hour_milli,
        _ => advice.minimum_milli,
    };
    // A thousandth of a sat for a virtual byte is a quarter of a sat for 1,000 weight units.
    FeeRate::from_sat_per_kwu(milli.div_ceil(4))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_is_taken_for_the_blocks_that_it_is_of() {
        let advice = FeeAdvice { fastest_milli: 12_001, half_hour_milli: 4_500, hour_milli: 2_000, minimum_milli: 100 };
        for (blocks, per_kwu) in [(0, 3_001), (1, 3_001), (2, 1_125), (3, 1_125), (6, 500), (7, 25), (1_008, 25)] {
            assert_eq!(advised(&advice, blocks), FeeRate::from_sat_per_kwu(per_kwu), "{blocks}");
        }
    }
}
