//! The capabilities of ord, with which it is one upstream among the others.

use std::collections::BTreeSet;

use bitcoin::{OutPoint, Script};
use engine::asset_index::{AssetIndex, InscriptionId, OutputAssets, RuneEntry};
use engine::coin_index::CoinIndex;
use ordinals::{Rune, RuneId, SpacedRune};

use super::{NAME, OrdServer};
use crate::capability::{
    Addresses, AsOf, Assets, HasHeight, InscriptionDetails, Inscriptions, Named, RuneBalance, RuneBalances, Runes,
    UpstreamFuture,
};

impl Named for OrdServer {
    fn name(&self) -> &'static str {
        NAME
    }

    fn is_self_hosted(&self) -> bool {
        true
    }
}

impl HasHeight for OrdServer {
    fn height(&self) -> UpstreamFuture<'_, u32> {
        Box::pin(async { Ok(AssetIndex::height(self).await?) })
    }
}

impl Addresses for OrdServer {
    fn outputs_of<'a>(&'a self, owner: &'a Script) -> UpstreamFuture<'a, Vec<OutPoint>> {
        Box::pin(async { Ok(CoinIndex::outputs_of(self, owner).await?) })
    }
}

impl Inscriptions for OrdServer {
    fn inscription(&self, inscription: InscriptionId) -> UpstreamFuture<'_, Option<InscriptionDetails>> {
        Box::pin(async move { Ok(self.inscription_details(inscription).await?) })
    }
}

impl Runes for OrdServer {
    fn runes_in(&self, outpoint: OutPoint) -> UpstreamFuture<'_, AsOf<Vec<(RuneId, u128)>>> {
        Box::pin(async move {
            let carried = AssetIndex::assets_in(self, outpoint).await?.unwrap_or_default();
            Ok(AsOf { height: None, value: carried.runes })
        })
    }
}

impl RuneBalances for OrdServer {
    fn rune_balances<'a>(
        &'a self,
        owner: &'a Script,
        wanted: &'a BTreeSet<Rune>,
    ) -> UpstreamFuture<'a, Vec<RuneBalance>> {
        Box::pin(async { Ok(self.address_rune_balances(owner, wanted).await?) })
    }
}

impl Assets for OrdServer {
    fn carried_by(&self, outpoint: OutPoint) -> UpstreamFuture<'_, Option<OutputAssets>> {
        Box::pin(async move { Ok(AssetIndex::assets_in(self, outpoint).await?) })
    }

    fn rune(&self, name: SpacedRune) -> UpstreamFuture<'_, Option<RuneEntry>> {
        Box::pin(async move { Ok(AssetIndex::rune(self, name).await?) })
    }
}
