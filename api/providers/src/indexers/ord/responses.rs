//! Response types of ord, with the fields that are used.

use std::collections::BTreeMap;

use bitcoin::OutPoint;
use engine::asset_index::InscriptionId;
use ordinals::{RuneId, SatPoint, SpacedRune};
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::parsing::decimal::Decimal;
use crate::parsing::text::Text;

/// The response of `/status`.
#[derive(Deserialize)]
pub(super) struct Status {
    /// The network's name in ord, such as `mainnet`.
    pub(super) chain: String,
    pub(super) inscription_index: bool,
    pub(super) rune_index: bool,
    pub(super) address_index: bool,
}

/// The response of `/address/{address}`.
#[derive(Deserialize)]
pub(super) struct AddressInfo {
    /// Unspent and confirmed.
    pub(super) outputs: Vec<Text<OutPoint>>,
    /// `null` when the server does not index runes.
    #[serde(default, rename = "runes_balances")]
    pub(super) runes: Option<Vec<AddressRune>>,
}

/// A rune, the balance of an address in whole units, and its symbol.
#[derive(Deserialize)]
pub(super) struct AddressRune(pub(super) Text<SpacedRune>, pub(super) Decimal, pub(super) IgnoredAny);

/// The response of `/output/{outpoint}`.
#[derive(Deserialize)]
pub(super) struct Output {
    pub(super) outpoint: Text<OutPoint>,
    /// In sats.
    pub(super) value: u64,
    /// Whether it is confirmed and unspent in the blocks that were read.
    pub(super) indexed: bool,
    /// `null` when the server does not index inscriptions.
    pub(super) inscriptions: Option<Vec<Text<InscriptionId>>>,
    /// `null` when the server does not index runes.
    pub(super) runes: Option<BTreeMap<Text<SpacedRune>, RuneAmount>>,
}

/// An amount of a rune.
#[derive(Deserialize)]
pub(super) struct RuneAmount {
    /// In raw units.
    pub(super) amount: u128,
    pub(super) divisibility: u8,
}

/// The response of `/inscription/{id}`, and an element of `/inscriptions`.
#[derive(Deserialize)]
pub(super) struct Inscription {
    pub(super) id: Text<InscriptionId>,
    #[serde(rename = "satpoint")]
    pub(super) sat_point: Text<SatPoint>,
    #[serde(default)]
    pub(super) number: Option<i64>,
    #[serde(default)]
    pub(super) content_type: Option<String>,
    /// The owner's address, where the output has one.
    #[serde(default)]
    pub(super) address: Option<String>,
    /// The value of the output, in sats.
    #[serde(default)]
    pub(super) value: Option<u64>,
}

/// The response of `/rune/{name}`.
#[derive(Deserialize)]
pub(super) struct Rune {
    pub(super) id: Text<RuneId>,
    pub(super) entry: Entry,
}

/// The etching of a rune.
#[derive(Deserialize)]
pub(super) struct Entry {
    #[serde(rename = "spaced_rune")]
    pub(super) name: Text<SpacedRune>,
    pub(super) divisibility: u8,
}
