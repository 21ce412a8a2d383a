//! Response types of Best in Slot, with the fields that are used.

use bitcoin::OutPoint;
use engine::asset_index::InscriptionId;
use ordinals::{Rune, RuneId, SatPoint};
use serde::Deserialize;
use serde_json::Value;

use crate::parsing::decimal::Decimal;
use crate::parsing::text::Text;

/// The envelope of every response.
#[derive(Deserialize)]
pub(super) struct Envelope<T> {
    pub(super) data: T,
    pub(super) block_height: u32,
}

/// An element of `/brc20/wallet_balances`.
#[derive(Deserialize)]
pub(super) struct Balance {
    pub(super) ticker: String,
    #[serde(rename = "available_balance")]
    pub(super) available: Decimal,
    /// The misspelling is Best in Slot's; the right spelling is accepted too.
    #[serde(rename = "transferrable_balance", alias = "transferable_balance")]
    pub(super) transferable: Decimal,
}

/// `/brc20/single_info`.
#[derive(Deserialize)]
pub(super) struct SingleInfo {
    #[serde(rename = "transfer_info")]
    pub(super) transfer: Transfer,
}

/// The state of an inscription as a BRC-20 transfer.
#[derive(Deserialize)]
pub(super) struct Transfer {
    pub(super) is_valid: bool,
    pub(super) ticker: Option<String>,
    /// Whole tokens.
    pub(super) amount: Option<Decimal>,
    pub(super) is_used: Option<bool>,
}

/// An element of `/brc20/event_from_txid`.
#[derive(Deserialize)]
pub(super) struct Event {
    #[serde(rename = "inscription_id")]
    pub(super) inscription: Text<InscriptionId>,
    #[serde(rename = "event_type")]
    pub(super) kind: String,
    #[serde(rename = "event")]
    pub(super) details: EventDetails,
}

/// The details of an event.
#[derive(Deserialize)]
pub(super) struct EventDetails {
    #[serde(default)]
    pub(super) tick: String,
    /// Raw units.
    #[serde(default = "zero")]
    pub(super) amount: Decimal,
    /// The script that it was inscribed to, in hexadecimal.
    #[serde(default, rename = "source_pkScript")]
    pub(super) owner: Option<String>,
}

/// The default for events of other kinds, which have no amount.
fn zero() -> Decimal {
    Decimal::ZERO
}

/// `/inscription/single_info_id`.
#[derive(Deserialize)]
pub(super) struct Inscription {
    #[serde(rename = "inscription_id")]
    pub(super) id: Text<InscriptionId>,
    #[serde(default, rename = "inscription_number")]
    pub(super) number: Option<i64>,
    pub(super) satpoint: Text<SatPoint>,
    #[serde(default, rename = "output_value")]
    pub(super) output_sats: Option<u64>,
    #[serde(default, rename = "owner_wallet_addr")]
    pub(super) owner: Option<String>,
    #[serde(default)]
    pub(super) mime_type: Option<String>,
    #[serde(default)]
    pub(super) content_url: Option<String>,
    /// Its name in its collection, in a varying format.
    #[serde(default, rename = "inscription_name")]
    pub(super) name: Value,
    #[serde(default, alias = "collection_slug")]
    pub(super) slug: Option<String>,
    #[serde(default)]
    pub(super) collection_name: Value,
}

/// `/runes/output_info`; `{}` of an output without runes.
#[derive(Deserialize)]
pub(super) struct RuneOutput {
    #[serde(default)]
    pub(super) output: Option<Text<OutPoint>>,
    #[serde(default)]
    pub(super) rune_ids: Vec<Text<RuneId>>,
    /// In raw units, in the order of `rune_ids`.
    #[serde(default)]
    pub(super) balances: Vec<Decimal>,
    #[serde(default)]
    pub(super) spent: bool,
}

/// An element of `/runes/wallet_balances`.
#[derive(Deserialize)]
pub(super) struct RuneSum {
    #[serde(rename = "rune_name")]
    pub(super) rune: Text<Rune>,
    /// In raw units.
    #[serde(rename = "total_balance")]
    pub(super) amount: Decimal,
}
