//! The parts of ord's answers that are used.

use std::collections::BTreeMap;

use bitcoin::OutPoint;
use engine::asset_index::InscriptionId;
use ordinals::{RuneId, SatPoint, SpacedRune};
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::exact::Exact;
use crate::text::Text;

/// `/status`.
#[derive(Deserialize)]
pub(super) struct Status {
    /// In ord's own words: `mainnet`.
    pub(super) chain: String,
    pub(super) inscription_index: bool,
    pub(super) rune_index: bool,
    pub(super) address_index: bool,
}

/// `/address/{address}`.
#[derive(Deserialize)]
pub(super) struct Holder {
    /// Unspent, of blocks.
    pub(super) outputs: Vec<Text<OutPoint>>,
    /// `null` when the server keeps none.
    #[serde(default, rename = "runes_balances")]
    pub(super) runes: Option<Vec<Sum>>,
}

/// A rune, how many whole units an address has of it, and its sign.
#[derive(Deserialize)]
pub(super) struct Sum(pub(super) Text<SpacedRune>, pub(super) Exact, pub(super) IgnoredAny);

/// `/output/{outpoint}`.
#[derive(Deserialize)]
pub(super) struct Output {
    pub(super) outpoint: Text<OutPoint>,
    /// In sats.
    pub(super) value: u64,
    /// Whether a block that was read created it, and none has spent it.
    pub(super) indexed: bool,
    /// `null` when the server keeps none.
    pub(super) inscriptions: Option<Vec<Text<InscriptionId>>>,
    /// `null` when the server keeps none.
    pub(super) runes: Option<BTreeMap<Text<SpacedRune>, Pile>>,
}

/// An amount of a rune.
#[derive(Deserialize)]
pub(super) struct Pile {
    /// In raw units.
    pub(super) amount: u128,
    pub(super) divisibility: u8,
}

/// `/inscription/{id}`, and each of `/inscriptions`.
#[derive(Deserialize)]
pub(super) struct Inscription {
    pub(super) id: Text<InscriptionId>,
    #[serde(rename = "satpoint")]
    pub(super) sat_point: Text<SatPoint>,
    #[serde(default)]
    pub(super) number: Option<i64>,
    #[serde(default)]
    pub(super) content_type: Option<String>,
    /// Of the owner, where the output has one.
    #[serde(default)]
    pub(super) address: Option<String>,
    /// What the output holds, in sats.
    #[serde(default)]
    pub(super) value: Option<u64>,
}

/// `/rune/{name}`.
#[derive(Deserialize)]
pub(super) struct Rune {
    pub(super) id: Text<RuneId>,
    pub(super) entry: Entry,
}

/// How a rune was etched.
#[derive(Deserialize)]
pub(super) struct Entry {
    #[serde(rename = "spaced_rune")]
    pub(super) name: Text<SpacedRune>,
    pub(super) divisibility: u8,
}
