//! The demo's chain as the server's node and indexers, with the outages that a visitor simulates.

use std::collections::BTreeMap;

use bitcoin::{Amount, BlockHash, FeeRate, OutPoint, Script, ScriptBuf, Transaction, Txid};
use devchain::EmbeddedChain;
use engine::asset_index::{
    AssetError, AssetIndex, Brc20Balance, Brc20Index, InscriptionId, OutputAssets, RuneEntry, TransferInscription,
};
use engine::chain::{Chain, ChainError, KnownTransaction, Tip, Unspent};
use engine::coin_index::CoinIndex;
use ordinals::{Rune, RuneId, SpacedRune};
use providers::capability::InscriptionDetails;

use super::inscription_info::InscriptionInfo;
use crate::outage::{self, Part};

/// The name of the demo's own indexer.
const DEMO_INDEXER: &str = "demo";

/// A chain in this process, with all indexers. Clones are handles to the same one.
#[derive(Clone, Debug)]
pub struct EmbeddedNode(EmbeddedChain);

impl From<EmbeddedChain> for EmbeddedNode {
    fn from(chain: EmbeddedChain) -> Self {
        Self(chain)
    }
}

impl EmbeddedNode {
    /// Returns the chain, which has no outages.
    #[must_use]
    pub const fn chain(&self) -> &EmbeddedChain {
        &self.0
    }

    /// Returns the reason why the current request cannot use the node.
    pub(super) fn unavailability() -> Option<&'static str> {
        outage::is_unavailable(Part::Node).then_some(outage::REASON)
    }

    /// Returns whether the current request can use the indexer.
    pub(super) fn has_indexer() -> bool {
        !outage::is_unavailable(Part::Indexer)
    }

    /// Returns the chain as a node, unless the visitor has switched it off.
    fn node(&self) -> Result<&EmbeddedChain, ChainError> {
        match Self::unavailability() {
            Some(reason) => Err(ChainError::Unreachable(reason.to_owned())),
            None => Ok(&self.0),
        }
    }

    /// Returns the chain as an indexer, unless the visitor has switched it off.
    fn indexer(&self) -> Result<&EmbeddedChain, AssetError> {
        if Self::has_indexer() { Ok(&self.0) } else { Err(AssetError::Unreachable(outage::REASON.to_owned())) }
    }

    /// Returns the height of the indexer. An outage concerns one visitor only, and this answer is shared.
    pub(super) async fn indexer_height(&self) -> Option<u32> {
        AssetIndex::height(&self.0).await.ok()
    }

    pub(super) async fn inscription(
        &self,
        id: InscriptionId,
        _is_described: bool,
    ) -> Result<Option<InscriptionInfo>, AssetError> {
        let seen = seen_in(self.indexer()?, id).await?;
        Ok(seen.map(|seen| InscriptionInfo::of(seen, DEMO_INDEXER, None)))
    }

    pub(super) async fn rune_balances(
        &self,
        owner: &Script,
        runes: &BTreeMap<RuneId, Rune>,
    ) -> Result<(String, BTreeMap<RuneId, u128>), AssetError> {
        let chain = self.indexer()?;
        let mut sums = BTreeMap::new();
        for outpoint in chain.outputs_of(owner).await? {
            for (id, raw) in chain.assets_in(outpoint).await?.unwrap_or_default().runes {
                let sum: &mut u128 = sums.entry(id).or_default();
                *sum = sum.saturating_add(raw);
            }
        }
        sums.retain(|id, _| runes.contains_key(id));
        Ok((DEMO_INDEXER.to_owned(), sums))
    }

    pub(super) async fn inscription_details(
        &self,
        ids: &[InscriptionId],
    ) -> Result<Vec<InscriptionDetails>, AssetError> {
        let chain = self.indexer()?;
        let mut sightings = Vec::with_capacity(ids.len());
        for id in ids {
            sightings.extend(seen_in(chain, *id).await?);
        }
        Ok(sightings)
    }
}

/// Returns an inscription of the chain.
async fn seen_in(chain: &EmbeddedChain, id: InscriptionId) -> Result<Option<InscriptionDetails>, AssetError> {
    let Some((outpoint, offset)) = chain.sat_point(id).await? else { return Ok(None) };
    let output = chain.confirmed_unspent(outpoint).await.ok().flatten().map(|unspent| unspent.output);
    Ok(Some(InscriptionDetails {
        offset_sats: Some(offset.to_sat()),
        output_sats: output.as_ref().map(|output| output.value.to_sat()),
        owner: output.map(|output| output.script_pubkey),
        content_type: chain.content_type_of(id),
        number: chain.inscription_number(id).await?,
        ..InscriptionDetails::at(id, outpoint)
    }))
}

impl Chain for EmbeddedNode {
    async fn tip(&self) -> Result<Tip, ChainError> {
        self.node()?.tip().await
    }

    async fn block_hash(&self, height: u32) -> Result<Option<BlockHash>, ChainError> {
        self.node()?.block_hash(height).await
    }

    async fn unspent(&self, outpoint: OutPoint) -> Result<Option<Unspent>, ChainError> {
        self.node()?.unspent(outpoint).await
    }

    async fn confirmed_unspent(&self, outpoint: OutPoint) -> Result<Option<Unspent>, ChainError> {
        self.node()?.confirmed_unspent(outpoint).await
    }

    async fn median_time(&self, block: BlockHash) -> Result<Option<u32>, ChainError> {
        self.node()?.median_time(block).await
    }

    async fn block_transactions(&self, block: BlockHash) -> Result<Option<Vec<Transaction>>, ChainError> {
        self.node()?.block_transactions(block).await
    }

    async fn transaction(&self, txid: Txid) -> Result<Option<KnownTransaction>, ChainError> {
        self.node()?.transaction(txid).await
    }

    async fn test_accept(&self, package: &[Transaction]) -> Result<(), ChainError> {
        self.node()?.test_accept(package).await
    }

    async fn broadcast(&self, package: &[Transaction]) -> Result<(), ChainError> {
        self.node()?.broadcast(package).await
    }

    async fn fee_rate(&self, within_blocks: u16) -> Result<FeeRate, ChainError> {
        self.node()?.fee_rate(within_blocks).await
    }
}

impl AssetIndex for EmbeddedNode {
    async fn height(&self) -> Result<u32, AssetError> {
        self.indexer()?.height().await
    }

    async fn assets_in(&self, outpoint: OutPoint) -> Result<Option<OutputAssets>, AssetError> {
        self.indexer()?.assets_in(outpoint).await
    }

    async fn sat_point(&self, inscription: InscriptionId) -> Result<Option<(OutPoint, Amount)>, AssetError> {
        self.indexer()?.sat_point(inscription).await
    }

    async fn inscription_number(&self, inscription: InscriptionId) -> Result<Option<i64>, AssetError> {
        self.indexer()?.inscription_number(inscription).await
    }

    async fn rune(&self, name: SpacedRune) -> Result<Option<RuneEntry>, AssetError> {
        self.indexer()?.rune(name).await
    }

    /// Passes: there is no independent indexer of this chain.
    async fn cross_check(&self, _outpoint: OutPoint, _carried: &OutputAssets) -> Result<(), AssetError> {
        Ok(())
    }
}

impl Brc20Index for EmbeddedNode {
    async fn brc20_height(&self) -> Result<u32, AssetError> {
        self.indexer()?.brc20_height().await
    }

    async fn balance(&self, owner: &ScriptBuf, ticker: &str) -> Result<Brc20Balance, AssetError> {
        self.indexer()?.balance(owner, ticker).await
    }

    async fn transfer_inscription(
        &self,
        inscription: InscriptionId,
    ) -> Result<Option<TransferInscription>, AssetError> {
        self.indexer()?.transfer_inscription(inscription).await
    }
}

impl CoinIndex for EmbeddedNode {
    async fn outputs_of(&self, owner: &Script) -> Result<Vec<OutPoint>, AssetError> {
        self.indexer()?.outputs_of(owner).await
    }
}
