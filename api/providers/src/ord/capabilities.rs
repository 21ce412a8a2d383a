//! The capabilities of ord, with which it is one upstream among the others.

use std::collections::BTreeSet;

use bitcoin::{OutPoint, Script};
use engine::asset_index::{AssetIndex, Carried, InscriptionId, RuneEntry};
use engine::coin_index::CoinIndex;
use ordinals::{Rune, RuneId, SpacedRune};

use super::{NAME, OrdServer};
use crate::capability::{
    Addresses, AsOf, Assets, Heighted, Inscriptions, Named, RuneBalance, RuneBalances, Runes, Sighting, Told,
};

impl Named for OrdServer {
    fn name(&self) -> &'static str {
        NAME
    }

    fn is_ours(&self) -> bool {
        true
    }
}

impl Heighted for OrdServer {
    fn height(&self) -> Told<'_, u32> {
        Box::pin(async { Ok(AssetIndex::height(self).await?) })
    }
}

impl Addresses for OrdServer {
    fn outputs_of<'a>(&'a self, owner: &'a Script) -> Told<'a, Vec<OutPoint>> {
        Box::pin(async { Ok(CoinIndex::outputs_of(self, owner).await?) })
    }
}

impl Inscriptions for OrdServer {
    fn sighting(&self, inscription: InscriptionId) -> Told<'_, Option<Sighting>> {
        Box::pin(async move { Ok(self.sighting_of(inscription).await?) })
    }
}

impl Runes for OrdServer {
    fn runes_in(&self, outpoint: OutPoint) -> Told<'_, AsOf<Vec<(RuneId, u128)>>> {
        Box::pin(async move {
            let carried = AssetIndex::carried_by(self, outpoint).await?.unwrap_or_default();
            Ok(AsOf { height: None, value: carried.runes })
        })
    }
}

impl RuneBalances for OrdServer {
    fn rune_balances<'a>(&'a self, owner: &'a Script, wanted: &'a BTreeSet<Rune>) -> Told<'a, Vec<RuneBalance>> {
        Box::pin(async { Ok(self.sums(owner, wanted).await?) })
    }
}

impl Assets for OrdServer {
    fn carried_by(&self, outpoint: OutPoint) -> Told<'_, Option<Carried>> {
        Box::pin(async move { Ok(AssetIndex::carried_by(self, outpoint).await?) })
    }

    fn rune(&self, name: SpacedRune) -> Told<'_, Option<RuneEntry>> {
        Box::pin(async move { Ok(AssetIndex::rune(self, name).await?) })
    }
}
