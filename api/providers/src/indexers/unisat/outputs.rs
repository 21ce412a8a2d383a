//! The content of outputs as `UniSat` indexes it: inscriptions by one of its indexers, runes by another.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::Arc;

use bitcoin::{OutPoint, Script};
use engine::asset_index::{Inscribed, InscriptionId, OutputAssets, RuneEntry};
use ordinals::{Rune, RuneId, SpacedRune};

use super::Unisat;
use super::responses::{Chain, Etchings, RuneBalanceEntry, RuneBalanceList, RunesStatus, Unspent};
use crate::capability::{
    AsOf, Assets, HasHeight, InscriptionDetails, Inscriptions, Named, RuneBalance, RuneBalances, Runes, UpstreamError,
    UpstreamFuture,
};
use crate::http::{HttpRequest, TimeoutClass};
use crate::indexers::ord::{DIVISIBILITY_MAX, INSCRIPTIONS_MAX};
use crate::parsing::rune_amount;
use crate::resilience::{BATCH, fetch_all_pages};

/// The height of unconfirmed outputs.
const NO_BLOCK: u32 = 0x3f_ffff;
/// The maximum number of runes of one address that are summed.
const RUNES_MAX: usize = 2_000;

/// `UniSat` as an indexer of outputs, whose height is the lower one of its two indexers.
pub(crate) struct UnisatOutputs(pub(crate) Arc<Unisat>);

impl Unisat {
    async fn output(&self, outpoint: OutPoint) -> Result<Option<OutputAssets>, UpstreamError> {
        self.check_network().await?;
        let OutPoint { txid, vout } = outpoint;
        let found: Option<Unspent> = self.read(HttpRequest::get(format!("/v1/indexer/utxo/{txid}/{vout}"))).await?;
        let Some(found) = found.filter(|found| !found.is_spent && found.height < NO_BLOCK) else { return Ok(None) };
        if (found.txid.0, found.vout) != (txid, vout) {
            return Err(self.invalid_response("the response is for another output"));
        }
        if found.inscriptions.len() > INSCRIPTIONS_MAX {
            return Err(self.invalid_response("an output with thousands of inscriptions"));
        }
        let mut inscriptions = Vec::with_capacity(found.inscriptions.len());
        for standing in found.inscriptions {
            if standing.offset >= found.sats {
                return Err(self.invalid_response("an inscription beyond its output"));
            }
            let offset = bitcoin::Amount::from_sat(standing.offset);
            inscriptions.push(Inscribed { id: standing.inscription.0, offset });
        }
        inscriptions.sort_by_key(|inscribed| inscribed.offset);
        let runes = self.runes_of_output(outpoint).await?;
        // An output that the rune indexer has not read yet looks as empty as a plain coin.
        let height = self.runes_height().await?;
        if height < found.height {
            return Err(UpstreamError::Behind { height, wanted: found.height });
        }
        Ok(Some(OutputAssets { inscriptions, runes }))
    }

    async fn runes_of_output(&self, outpoint: OutPoint) -> Result<Vec<(RuneId, u128)>, UpstreamError> {
        self.check_network().await?;
        let OutPoint { txid, vout } = outpoint;
        let path = format!("/v1/indexer/runes/utxo/{txid}/{vout}/balance");
        let found: Option<Vec<RuneBalanceEntry>> = self.read(HttpRequest::get(path)).await?;
        // An output that it does not know is not an output without runes.
        let found = found.ok_or_else(|| UpstreamError::Unknown(format!("the runes of {outpoint}")))?;
        let mut piles = Vec::with_capacity(found.len());
        for pile in &found {
            piles.push((pile.id.0, self.amount(pile)?));
        }
        piles.sort_unstable();
        Ok(piles)
    }

    fn amount(&self, pile: &RuneBalanceEntry) -> Result<u128, UpstreamError> {
        rune_amount::raw(&pile.amount)
            .ok_or_else(|| self.invalid_response("an amount of runes that is no whole number"))
    }

    async fn address_rune_balances(&self, owner: &Script) -> Result<Vec<RuneBalance>, UpstreamError> {
        self.check_network().await?;
        let list = format!("/v1/indexer/address/{}/runes/balance-list", self.address(owner)?);
        let sums = fetch_all_pages(BATCH, RUNES_MAX, |begin| {
            let request = HttpRequest::get(format!("{list}?start={begin}&limit={BATCH}"));
            async move { Ok(self.read::<RuneBalanceList>(request).await?.map_or_else(Vec::new, |found| found.detail)) }
        });
        let sums = sums.await?;
        sums.iter().map(|sum| Ok(RuneBalance { rune: sum.name.0.rune, raw: self.amount(sum)? })).collect()
    }

    async fn etching(&self, wanted: Rune) -> Result<Option<RuneEntry>, UpstreamError> {
        self.check_network().await?;
        let path = format!("/v1/indexer/runes/info-list?rune={wanted}&start=0&limit={BATCH}");
        let found: Option<Etchings> = self.read(HttpRequest::get(path)).await?;
        // The search matches parts of names.
        let mut etchings = found.map_or_else(Vec::new, |found| found.detail).into_iter();
        let Some(etching) = etchings.find(|etching| etching.name.0.rune == wanted) else { return Ok(None) };
        if etching.divisibility > DIVISIBILITY_MAX {
            return Err(self.invalid_response("a rune of more decimals than there are"));
        }
        Ok(Some(RuneEntry { id: etching.id.0, name: etching.name.0, divisibility: etching.divisibility }))
    }

    async fn runes_height(&self) -> Result<u32, UpstreamError> {
        let status = HttpRequest::get("/v1/indexer/runes/status").with_timeout(TimeoutClass::Short);
        Ok(self.read_required::<RunesStatus>(status).await?.height)
    }

    async fn outputs_height(&self) -> Result<u32, UpstreamError> {
        self.check_network().await?;
        let info = HttpRequest::get("/v1/indexer/blockchain/info").with_timeout(TimeoutClass::Short);
        let blocks = self
            .read_required::<Chain>(info)
            .await?
            .blocks
            .ok_or_else(|| self.invalid_response("it names no block"))?;
        Ok(blocks.min(self.runes_height().await?))
    }
}

impl Named for UnisatOutputs {
    fn name(&self) -> &str {
        self.0.name()
    }
}

impl HasHeight for UnisatOutputs {
    fn height(&self) -> UpstreamFuture<'_, u32> {
        Box::pin(self.0.outputs_height())
    }
}

impl Inscriptions for UnisatOutputs {
    fn inscription(&self, inscription: InscriptionId) -> UpstreamFuture<'_, Option<InscriptionDetails>> {
        self.0.inscription(inscription)
    }
}

impl Runes for UnisatOutputs {
    fn runes_in(&self, outpoint: OutPoint) -> UpstreamFuture<'_, AsOf<Vec<(RuneId, u128)>>> {
        Box::pin(async move { Ok(AsOf { height: None, value: self.0.runes_of_output(outpoint).await? }) })
    }
}

impl RuneBalances for UnisatOutputs {
    fn rune_balances<'a>(&'a self, owner: &'a Script, _: &'a BTreeSet<Rune>) -> UpstreamFuture<'a, Vec<RuneBalance>> {
        Box::pin(self.0.address_rune_balances(owner))
    }
}

impl Assets for UnisatOutputs {
    fn carried_by(&self, outpoint: OutPoint) -> UpstreamFuture<'_, Option<OutputAssets>> {
        Box::pin(self.0.output(outpoint))
    }

    fn rune(&self, name: SpacedRune) -> UpstreamFuture<'_, Option<RuneEntry>> {
        Box::pin(self.0.etching(name.rune))
    }
}
