//! The content of outputs as `UniSat` indexes it: inscriptions by one of its indexers, runes by another.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::Arc;

use bitcoin::{OutPoint, Script};
use engine::asset_index::{Carried, Inscribed, InscriptionId, RuneEntry};
use ordinals::{Rune, RuneId, SpacedRune};

use super::Unisat;
use super::answers::{Chain, Etchings, Pile, Piles, RunesStatus, Unspent};
use crate::capability::{
    AsOf, Assets, Heighted, Inscriptions, Named, RuneBalance, RuneBalances, Runes, Sighting, Told,
};
use crate::fallback::{BATCH, Trouble, each_page};
use crate::https::{Patience, Question};
use crate::ord::{DIVISIBILITY_MAX, INSCRIPTIONS_MAX};
use crate::rune_amount;

/// The height of unconfirmed outputs.
const NO_BLOCK: u32 = 0x3f_ffff;
/// The maximum number of runes of one address that are summed.
const RUNES_MAX: usize = 2_000;

/// `UniSat` as an indexer of outputs, whose height is the lower one of its two indexers.
pub(crate) struct UnisatOutputs(pub(crate) Arc<Unisat>);

impl Unisat {
    async fn output(&self, outpoint: OutPoint) -> Result<Option<Carried>, Trouble> {
        self.check_network().await?;
        let OutPoint { txid, vout } = outpoint;
        let found: Option<Unspent> = self.read(Question::get(format!("/v1/indexer/utxo/{txid}/{vout}"))).await?;
        let Some(found) = found.filter(|found| !found.is_spent && found.height < NO_BLOCK) else { return Ok(None) };
        if (found.txid.0, found.vout) != (txid, vout) {
            return Err(self.nonsense("the response is for another output"));
        }
        if found.inscriptions.len() > INSCRIPTIONS_MAX {
            return Err(self.nonsense("an output with thousands of inscriptions"));
        }
        let mut inscriptions = Vec::with_capacity(found.inscriptions.len());
        for standing in found.inscriptions {
            if standing.offset >= found.sats {
                return Err(self.nonsense("an inscription beyond its output"));
            }
            let offset = bitcoin::Amount::from_sat(standing.offset);
            inscriptions.push(Inscribed { id: standing.inscription.0, offset });
        }
        inscriptions.sort_by_key(|inscribed| inscribed.offset);
        let runes = self.piles(outpoint).await?;
        // An output that the rune indexer has not read yet looks as empty as a plain coin.
        let height = self.runes_height().await?;
        if height < found.height {
            return Err(Trouble::Behind { height, wanted: found.height });
        }
        Ok(Some(Carried { inscriptions, runes }))
    }

    async fn piles(&self, outpoint: OutPoint) -> Result<Vec<(RuneId, u128)>, Trouble> {
        self.check_network().await?;
        let OutPoint { txid, vout } = outpoint;
        let path = format!("/v1/indexer/runes/utxo/{txid}/{vout}/balance");
        let found: Option<Vec<Pile>> = self.read(Question::get(path)).await?;
        // An output that it does not know is not an output without runes.
        let found = found.ok_or_else(|| Trouble::Unknown(format!("the runes of {outpoint}")))?;
        let mut piles = Vec::with_capacity(found.len());
        for pile in &found {
            piles.push((pile.id.0, self.amount(pile)?));
        }
        piles.sort_unstable();
        Ok(piles)
    }

    fn amount(&self, pile: &Pile) -> Result<u128, Trouble> {
        rune_amount::raw(&pile.amount).ok_or_else(|| self.nonsense("an amount of runes that is no whole number"))
    }

    async fn sums(&self, owner: &Script) -> Result<Vec<RuneBalance>, Trouble> {
        self.check_network().await?;
        let list = format!("/v1/indexer/address/{}/runes/balance-list", self.address(owner)?);
        let sums = each_page(BATCH, RUNES_MAX, |begin| {
            let request = Question::get(format!("{list}?start={begin}&limit={BATCH}"));
            async move { Ok(self.read::<Piles>(request).await?.map_or_else(Vec::new, |found| found.detail)) }
        });
        let sums = sums.await?;
        sums.iter().map(|sum| Ok(RuneBalance { rune: sum.name.0.rune, raw: self.amount(sum)? })).collect()
    }

    async fn etching(&self, wanted: Rune) -> Result<Option<RuneEntry>, Trouble> {
        self.check_network().await?;
        let path = format!("/v1/indexer/runes/info-list?rune={wanted}&start=0&limit={BATCH}");
        let found: Option<Etchings> = self.read(Question::get(path)).await?;
        // The search matches parts of names.
        let mut etchings = found.map_or_else(Vec::new, |found| found.detail).into_iter();
        let Some(etching) = etchings.find(|etching| etching.name.0.rune == wanted) else { return Ok(None) };
        if etching.divisibility > DIVISIBILITY_MAX {
            return Err(self.nonsense("a rune of more decimals than there are"));
        }
        Ok(Some(RuneEntry { id: etching.id.0, name: etching.name.0, divisibility: etching.divisibility }))
    }

    async fn runes_height(&self) -> Result<u32, Trouble> {
        let status = Question::get("/v1/indexer/runes/status").with(Patience::Short);
        Ok(self.known::<RunesStatus>(status).await?.height)
    }

    async fn outputs_height(&self) -> Result<u32, Trouble> {
        self.check_network().await?;
        let info = Question::get("/v1/indexer/blockchain/info").with(Patience::Short);
        let blocks = self.known::<Chain>(info).await?.blocks.ok_or_else(|| self.nonsense("it names no block"))?;
        Ok(blocks.min(self.runes_height().await?))
    }
}

impl Named for UnisatOutputs {
    fn name(&self) -> &str {
        self.0.name()
    }
}

impl Heighted for UnisatOutputs {
    fn height(&self) -> Told<'_, u32> {
        Box::pin(self.0.outputs_height())
    }
}

impl Inscriptions for UnisatOutputs {
    fn sighting(&self, inscription: InscriptionId) -> Told<'_, Option<Sighting>> {
        self.0.sighting(inscription)
    }
}

impl Runes for UnisatOutputs {
    fn runes_in(&self, outpoint: OutPoint) -> Told<'_, AsOf<Vec<(RuneId, u128)>>> {
        Box::pin(async move { Ok(AsOf { height: None, value: self.0.piles(outpoint).await? }) })
    }
}

impl RuneBalances for UnisatOutputs {
    fn rune_balances<'a>(&'a self, owner: &'a Script, _: &'a BTreeSet<Rune>) -> Told<'a, Vec<RuneBalance>> {
        Box::pin(self.0.sums(owner))
    }
}

impl Assets for UnisatOutputs {
    fn carried_by(&self, outpoint: OutPoint) -> Told<'_, Option<Carried>> {
        Box::pin(self.0.output(outpoint))
    }

    fn rune(&self, name: SpacedRune) -> Told<'_, Option<RuneEntry>> {
        Box::pin(self.0.etching(name.rune))
    }
}
