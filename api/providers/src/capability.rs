//! Capabilities of upstreams: a trait each, so that any upstream that has one can replace another.

mod upstream_error;

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;

use bitcoin::{FeeRate, OutPoint, Script, ScriptBuf};
use engine::asset_index::{Brc20Balance, InscriptionId, OutputAssets, RuneEntry, TransferInscription};
use engine::wire::Volumes;
use ordinals::{Rune, RuneId, SpacedRune};

pub use upstream_error::UpstreamError;

/// The future of an upstream's answer.
pub type UpstreamFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, UpstreamError>> + Send + 'a>>;

/// An upstream with a name.
pub trait Named: Send + Sync {
    /// Returns its name in the configuration.
    fn name(&self) -> &str;

    /// Whether it is a program that we run. It reads the blocks of our own node, and callers that need a block wait for
    /// that block, so its height is not compared with the node's again.
    fn is_self_hosted(&self) -> bool {
        false
    }
}

/// An upstream that reads blocks.
pub trait HasHeight: Named {
    /// Returns the height of the last block it has read.
    fn height(&self) -> UpstreamFuture<'_, u32>;
}

/// Fee rates in thousandths of a sat per virtual byte, as an explorer recommends them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecommendedFees {
    /// For confirmation in the next block.
    pub fastest_milli: u64,
    /// For confirmation within three blocks.
    pub half_hour_milli: u64,
    /// For confirmation within six blocks.
    pub hour_milli: u64,
    /// The minimum that is relayed.
    pub minimum_milli: u64,
}

impl RecommendedFees {
    /// Returns the fee rate for a confirmation within `within_blocks`, rounded up.
    #[must_use]
    pub const fn for_blocks(&self, within_blocks: u16) -> FeeRate {
        let milli = match within_blocks {
            0..=1 => self.fastest_milli,
            2..=3 => self.half_hour_milli,
            4..=6 => self.hour_milli,
            _ => self.minimum_milli,
        };
        // A thousandth of a sat per virtual byte is a quarter of a sat per 1,000 weight units.
        FeeRate::from_sat_per_kwu(milli.div_ceil(4))
    }
}

/// A source of fee rates.
pub trait Fees: Named {
    /// Returns its current recommendation.
    fn fees(&self) -> UpstreamFuture<'_, RecommendedFees>;
}

/// An indexer of addresses.
pub trait Addresses: HasHeight {
    /// Returns the unspent outputs in blocks that pay to a script, by outpoint. The list is a hint and proves nothing.
    fn outputs_of<'a>(&'a self, owner: &'a Script) -> UpstreamFuture<'a, Vec<OutPoint>>;
}

/// An answer, with the block that it is of where the upstream reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AsOf<T> {
    /// The height.
    pub height: Option<u32>,
    /// The answer.
    pub value: T,
}

/// An indexer of BRC-20.
pub trait Brc20: HasHeight {
    /// Returns the balance of a script in a ticker.
    fn balance<'a>(&'a self, owner: &'a ScriptBuf, ticker: &'a str) -> UpstreamFuture<'a, AsOf<Brc20Balance>>;

    /// Returns the transfer that an inscription is, if it is a valid one.
    fn note(&self, inscription: InscriptionId) -> UpstreamFuture<'_, AsOf<Option<TransferInscription>>>;
}

/// The balance of a script in one rune.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuneBalance {
    /// The rune by its letters: not every upstream reports ids.
    pub rune: Rune,
    /// The balance in raw units.
    pub raw: u128,
}

/// An upstream that sums the runes of a script. The sums are for display and prove nothing.
pub trait RuneBalances: Named {
    /// Returns the balance of a script in each of these runes; others may be included.
    fn rune_balances<'a>(
        &'a self,
        owner: &'a Script,
        wanted: &'a BTreeSet<Rune>,
    ) -> UpstreamFuture<'a, Vec<RuneBalance>>;
}

/// An indexer of runes, authoritative for the content of outputs.
pub trait Runes: HasHeight {
    /// Returns the raw units of each rune in an unspent output, by id; empty for an output that it does not know.
    fn runes_in(&self, outpoint: OutPoint) -> UpstreamFuture<'_, AsOf<Vec<(RuneId, u128)>>>;
}

/// An asset that a marketplace trades.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TradedAsset {
    /// A collection of inscriptions, by the marketplace's own slug.
    Collection(String),
    /// A rune, by its name without spacers.
    Rune(String),
    /// A BRC-20 token, by its ticker.
    Brc20(String),
}

/// A marketplace's current quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quote {
    /// The floor price, or the price of a whole unit, in hundred-millionths of a sat; above 0.
    pub price_scaled: u64,
    /// The traded volumes, where the marketplace reports them.
    pub volumes: Option<Volumes>,
}

/// A marketplace.
pub trait Prices: Named {
    /// Returns the price of an asset; `None` when it is not traded there.
    fn quote<'a>(&'a self, traded: &'a TradedAsset) -> UpstreamFuture<'a, Option<Quote>>;
}

/// An inscription as an indexer or marketplace describes it, with the fields that it reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InscriptionDetails {
    /// Its id.
    pub id: InscriptionId,
    /// The output that holds it.
    pub outpoint: OutPoint,
    /// The number of the output's sats before it, where reported.
    pub offset_sats: Option<u64>,
    /// The script that owns it, where reported as an address of our network.
    pub owner: Option<ScriptBuf>,
    /// Its number.
    pub number: Option<i64>,
    /// The value of the output, in sats.
    pub output_sats: Option<u64>,
    /// Its content type with parameters.
    pub content_type: Option<String>,
    /// The address of its content.
    pub content_uri: Option<String>,
    /// Its name there.
    pub name: Option<String>,
    /// The collection that it is reported to belong to, by the upstream's slug.
    pub collection_slug: Option<String>,
    /// The collection's display name.
    pub collection_name: Option<String>,
    /// Its reported attributes.
    pub attributes: Vec<Attribute>,
}

/// A trait of an inscription, as a collection lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// The name: `Background`.
    pub name: String,
    /// The value: `Moss`.
    pub value: String,
}

impl InscriptionDetails {
    /// Returns whether it has a name or attributes, beyond location and content.
    #[must_use]
    pub fn has_metadata(&self) -> bool {
        self.name.is_some() || !self.attributes.is_empty()
    }

    /// Returns its sat point, with `?` for an unknown offset.
    #[must_use]
    pub fn satpoint(&self) -> String {
        let offset = self.offset_sats.map_or_else(|| "?".to_owned(), |offset| offset.to_string());
        format!("{}:{offset}", self.outpoint)
    }

    /// Creates a description of which only the location is known.
    #[must_use]
    pub const fn at(id: InscriptionId, outpoint: OutPoint) -> Self {
        Self {
            id,
            outpoint,
            offset_sats: None,
            owner: None,
            number: None,
            output_sats: None,
            content_type: None,
            content_uri: None,
            name: None,
            collection_slug: None,
            collection_name: None,
            attributes: Vec::new(),
        }
    }
}

/// An upstream that describes inscriptions.
pub trait Inscriptions: Named {
    /// Returns the location and description of an inscription; `None` when it is unknown.
    fn inscription(&self, inscription: InscriptionId) -> UpstreamFuture<'_, Option<InscriptionDetails>>;
}

/// An indexer of inscriptions with a known height, authoritative for their locations.
pub trait InscriptionIndex: HasHeight + Inscriptions {}

impl<T: HasHeight + Inscriptions> InscriptionIndex for T {}

/// An indexer of everything that an output can carry.
pub trait Assets: InscriptionIndex {
    /// Returns what an unspent, confirmed output carries; `None` for one that is unknown or spent in a block.
    fn carried_by(&self, outpoint: OutPoint) -> UpstreamFuture<'_, Option<OutputAssets>>;

    /// Returns a rune by its name.
    fn rune(&self, name: SpacedRune) -> UpstreamFuture<'_, Option<RuneEntry>>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_advice_for_the_confirmation_target_is_used() {
        let advice =
            RecommendedFees { fastest_milli: 12_001, half_hour_milli: 4_500, hour_milli: 2_000, minimum_milli: 100 };
        for (blocks, per_kwu) in [(0, 3_001), (1, 3_001), (2, 1_125), (3, 1_125), (6, 500), (7, 25), (1_008, 25)] {
            assert_eq!(advice.for_blocks(blocks), FeeRate::from_sat_per_kwu(per_kwu), "{blocks}");
        }
    }
}
