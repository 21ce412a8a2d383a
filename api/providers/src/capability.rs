//! What upstreams can be asked: a trait for each capability, so that whoever has it can stand in for another.

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;

use bitcoin::{FeeRate, OutPoint, Script, ScriptBuf};
use engine::asset_index::{Brc20Balance, Carried, InscriptionId, RuneEntry, TransferNote};
use engine::wire::Volumes;
use ordinals::{Rune, RuneId, SpacedRune};

use crate::fallback::Trouble;

/// What an upstream will have said.
pub type Told<'a, T> = Pin<Box<dyn Future<Output = Result<T, Trouble>> + Send + 'a>>;

/// Somebody with a name.
pub trait Named: Send + Sync {
    /// How the configuration calls it.
    fn name(&self) -> &str;

    /// Whether it is a program of our own. Such a one reads the blocks of our own node, and whoever needs a block of it
    /// waits for that block: it is not held against the node once more.
    fn is_ours(&self) -> bool {
        false
    }
}

/// Somebody who reads blocks.
pub trait Heighted: Named {
    /// The height of the last block it has read.
    fn height(&self) -> Told<'_, u32>;
}

/// Fee rates in thousandths of a sat for each virtual byte, as an explorer recommends them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeeAdvice {
    /// To be in the next block.
    pub fastest_milli: u64,
    /// To be confirmed within three blocks.
    pub half_hour_milli: u64,
    /// To be confirmed within six blocks.
    pub hour_milli: u64,
    /// The least that is relayed.
    pub minimum_milli: u64,
}

impl FeeAdvice {
    /// What to pay to be confirmed within so many blocks, rounded up.
    #[must_use]
    pub const fn for_blocks(&self, within_blocks: u16) -> FeeRate {
        let milli = match within_blocks {
            0..=1 => self.fastest_milli,
            2..=3 => self.half_hour_milli,
            4..=6 => self.hour_milli,
            _ => self.minimum_milli,
        };
        // A thousandth of a sat for a virtual byte is a quarter of a sat for 1,000 weight units.
        FeeRate::from_sat_per_kwu(milli.div_ceil(4))
    }
}

/// An adviser on fees.
pub trait Fees: Named {
    /// What it recommends now.
    fn fees(&self) -> Told<'_, FeeAdvice>;
}

/// An indexer of addresses.
pub trait Addresses: Heighted {
    /// The unspent outputs of blocks that pay to a script, by outpoint. A list is where to look and proves nothing.
    fn outputs_of<'a>(&'a self, owner: &'a Script) -> Told<'a, Vec<OutPoint>>;
}

/// An answer, and the last block that it knows where the upstream says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AsOf<T> {
    /// The height.
    pub height: Option<u32>,
    /// What was asked for.
    pub value: T,
}

/// An indexer of BRC-20.
pub trait Brc20: Heighted {
    /// What a script owns of a ticker.
    fn balance<'a>(&'a self, owner: &'a ScriptBuf, ticker: &'a str) -> Told<'a, AsOf<Brc20Balance>>;

    /// The transfer note that an inscription is, if it is a valid one.
    fn note(&self, inscription: InscriptionId) -> Told<'_, AsOf<Option<TransferNote>>>;
}

/// What a script holds of a rune.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuneBalance {
    /// Which, by its letters: not everybody tells ids.
    pub rune: Rune,
    /// How much, in raw units.
    pub raw: u128,
}

/// Somebody who adds up the runes of a script. A sum is to be looked at and proves nothing.
pub trait RuneBalances: Named {
    /// What a script holds of each of these runes; others may be told too.
    fn rune_balances<'a>(&'a self, owner: &'a Script, wanted: &'a BTreeSet<Rune>) -> Told<'a, Vec<RuneBalance>>;
}

/// An indexer of runes: its word on what an output holds counts.
pub trait Runes: Heighted {
    /// What an unspent output holds of each rune in raw units, by id; nothing for one that it does not know.
    fn runes_in(&self, outpoint: OutPoint) -> Told<'_, AsOf<Vec<(RuneId, u128)>>>;
}

/// Something that a marketplace trades.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Traded {
    /// A collection of inscriptions, by the marketplace's own name of it.
    Collection(String),
    /// A rune, by its name without spacers.
    Rune(String),
    /// A BRC-20 token, by its ticker.
    Brc20(String),
}

/// What a marketplace says of it now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quote {
    /// The floor, or the price of a whole unit, in hundred-millionths of a sat; above 0.
    pub price_scaled: u64,
    /// What was traded, where it says so.
    pub volumes: Option<Volumes>,
}

/// A marketplace.
pub trait Prices: Named {
    /// What something costs; `None` when it is not traded there.
    fn quote<'a>(&'a self, traded: &'a Traded) -> Told<'a, Option<Quote>>;
}

/// An inscription as an indexer or marketplace shows it (SPEC section 3), where it says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// Which.
    pub id: InscriptionId,
    /// The output that holds it.
    pub outpoint: OutPoint,
    /// How many of the output's sats come before it, where it is told.
    pub offset_sats: Option<u64>,
    /// The script that owns it, where it is told as an address of our network.
    pub owner: Option<ScriptBuf>,
    /// Its number.
    pub number: Option<i64>,
    /// What the output holds, in sats.
    pub output_sats: Option<u64>,
    /// Its content type with parameters.
    pub content_type: Option<String>,
    /// Where its content is shown.
    pub content_uri: Option<String>,
    /// How it is called there.
    pub name: Option<String>,
    /// The collection that it is said to belong to, by the upstream's own name of it.
    pub collection_slug: Option<String>,
    /// The same as people call it.
    pub collection_name: Option<String>,
    /// What it is said to have.
    pub attributes: Vec<Attribute>,
}

/// A trait of an inscription, as a collection lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Which: `Background`.
    pub name: String,
    /// What it is there: `Moss`.
    pub value: String,
}

impl Sighting {
    /// Whether it says more than where something is and what its content is.
    #[must_use]
    pub fn is_described(&self) -> bool {
        self.name.is_some() || !self.attributes.is_empty()
    }

    /// The sat that it stands on, as far as it is told.
    #[must_use]
    pub fn satpoint(&self) -> String {
        let offset = self.offset_sats.map_or_else(|| "?".to_owned(), |offset| offset.to_string());
        format!("{}:{offset}", self.outpoint)
    }

    /// An inscription of which nothing is known but where it is.
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

/// Somebody who shows inscriptions.
pub trait Inscriptions: Named {
    /// Where an inscription is, and what it is; `None` when it knows none.
    fn sighting(&self, inscription: InscriptionId) -> Told<'_, Option<Sighting>>;
}

/// An indexer of inscriptions, of which it is known how far it has read: its word on where one is counts.
pub trait InscriptionIndex: Heighted + Inscriptions {}

impl<T: Heighted + Inscriptions> InscriptionIndex for T {}

/// An indexer of all that an output can carry.
pub trait Assets: InscriptionIndex {
    /// What an unspent output of a block carries; `None` for one that it does not know, or that a block has spent.
    fn carried_by(&self, outpoint: OutPoint) -> Told<'_, Option<Carried>>;

    /// A rune by its name.
    fn rune(&self, name: SpacedRune) -> Told<'_, Option<RuneEntry>>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_is_taken_for_the_blocks_that_it_is_of() {
        let advice = FeeAdvice { fastest_milli: 12_001, half_hour_milli: 4_500, hour_milli: 2_000, minimum_milli: 100 };
        for (blocks, per_kwu) in [(0, 3_001), (1, 3_001), (2, 1_125), (3, 1_125), (6, 500), (7, 25), (1_008, 25)] {
            assert_eq!(advice.for_blocks(blocks), FeeRate::from_sat_per_kwu(per_kwu), "{blocks}");
        }
    }
}
