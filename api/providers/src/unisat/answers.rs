//! The parts of `UniSat`'s answers that are used.

use bitcoin::Txid;
use engine::asset_index::InscriptionId;
use ordinals::{RuneId, SpacedRune};
use serde::Deserialize;

use crate::exact::Exact;
use crate::text::Text;

/// Around every answer.
#[derive(Deserialize)]
pub(super) struct Envelope<T> {
    /// 0 when all is well.
    pub(super) code: i64,
    #[serde(default)]
    pub(super) msg: Option<String>,
    #[serde(default = "Option::default")]
    pub(super) data: Option<T>,
}

/// `/v1/indexer/blockchain/info`.
#[derive(Deserialize)]
pub(super) struct Chain {
    pub(super) chain: String,
    /// The height of the last one.
    #[serde(default)]
    pub(super) blocks: Option<u32>,
}

/// `/v1/indexer/brc20/bestheight`.
#[derive(Deserialize)]
pub(super) struct BestHeight {
    pub(super) height: u32,
}

/// `/v1/indexer/address/{address}/brc20/{ticker}/info`.
#[derive(Deserialize)]
pub(super) struct Balance {
    #[serde(default)]
    pub(super) ticker: Option<String>,
    #[serde(rename = "availableBalance")]
    pub(super) available: Exact,
    /// Without what waits for a block, where it is told.
    #[serde(default, rename = "availableBalanceSafe")]
    pub(super) available_safe: Option<Exact>,
    #[serde(rename = "transferableBalance")]
    pub(super) transferable: Exact,
}

/// `/v1/indexer/inscription/info/{id}`.
#[derive(Deserialize)]
pub(super) struct Info {
    #[serde(rename = "inscriptionId")]
    pub(super) inscription: Text<InscriptionId>,
    #[serde(default, rename = "inscriptionNumber")]
    pub(super) number: Option<i64>,
    #[serde(default)]
    pub(super) address: Option<String>,
    /// How many of the output's sats come before it.
    #[serde(default)]
    pub(super) offset: Option<u64>,
    #[serde(default, rename = "contentType")]
    pub(super) content_type: Option<String>,
    #[serde(default)]
    pub(super) utxo: Option<Output>,
    /// What it says of BRC-20, valid or not.
    #[serde(default)]
    pub(super) brc20: Option<Said>,
}

/// The output of an inscription.
#[derive(Deserialize)]
pub(super) struct Output {
    pub(super) txid: Text<Txid>,
    pub(super) vout: u32,
    #[serde(rename = "satoshi")]
    pub(super) sats: u64,
}

/// What an inscription says.
#[derive(Deserialize)]
pub(super) struct Said {
    pub(super) op: String,
    pub(super) tick: String,
}

/// `/v1/indexer/brc20/{ticker}/tx/{txid}/history`.
#[derive(Deserialize)]
pub(super) struct History {
    pub(super) detail: Vec<Event>,
}

/// What a transaction did.
#[derive(Deserialize)]
pub(super) struct Event {
    pub(super) ticker: String,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) valid: bool,
    #[serde(rename = "inscriptionId")]
    pub(super) inscription: Text<InscriptionId>,
    /// The address that it was inscribed to.
    pub(super) to: String,
    pub(super) amount: Exact,
}

/// `/v1/indexer/address/{address}/brc20/{ticker}/transferable-inscriptions`.
#[derive(Deserialize)]
pub(super) struct Transferable {
    pub(super) detail: Vec<Unused>,
}

/// A note that can be moved.
#[derive(Deserialize)]
pub(super) struct Unused {
    #[serde(rename = "inscriptionId")]
    pub(super) inscription: Text<InscriptionId>,
    pub(super) data: UnusedData,
}

/// What it moves.
#[derive(Deserialize)]
pub(super) struct UnusedData {
    #[serde(rename = "amt")]
    pub(super) amount: Exact,
}

/// `/v3/market/collection/auction/collection_statistic`.
#[derive(Deserialize)]
pub(super) struct Statistic {
    /// In sats; 0 or absent when nothing is listed.
    #[serde(default, rename = "floorPrice")]
    pub(super) floor_price: Option<Exact>,
}

/// `/v3/market/{brc20,runes}/auction/…_types_specified`.
#[derive(Deserialize)]
pub(super) struct Market {
    /// Sats for a whole token.
    #[serde(default, rename = "curPrice")]
    pub(super) price: Option<Exact>,
}

/// `/v1/indexer/runes/status`.
#[derive(Deserialize)]
pub(super) struct RunesStatus {
    #[serde(rename = "bestHeight")]
    pub(super) height: u32,
}

/// `/v1/indexer/utxo/{txid}/{index}`.
#[derive(Deserialize)]
pub(super) struct Unspent {
    pub(super) txid: Text<Txid>,
    pub(super) vout: u32,
    #[serde(rename = "satoshi")]
    pub(super) sats: u64,
    /// Of its block; beyond all blocks while it waits for one.
    pub(super) height: u32,
    #[serde(default, rename = "isSpent")]
    pub(super) is_spent: bool,
    pub(super) inscriptions: Vec<Standing>,
}

/// An inscription of an output.
#[derive(Deserialize)]
pub(super) struct Standing {
    #[serde(rename = "inscriptionId")]
    pub(super) inscription: Text<InscriptionId>,
    /// How many of the output's sats come before it.
    pub(super) offset: u64,
}

/// An amount of a rune: one of `/v1/indexer/runes/utxo/{txid}/{index}/balance`, and of a list of balances.
#[derive(Deserialize)]
pub(super) struct Pile {
    #[serde(rename = "runeid")]
    pub(super) id: Text<RuneId>,
    #[serde(rename = "spacedRune")]
    pub(super) name: Text<SpacedRune>,
    /// In raw units.
    pub(super) amount: Exact,
}

/// `/v1/indexer/address/{address}/runes/balance-list`.
#[derive(Deserialize)]
pub(super) struct Piles {
    pub(super) detail: Vec<Pile>,
}

/// `/v1/indexer/runes/info-list`.
#[derive(Deserialize)]
pub(super) struct Etchings {
    pub(super) detail: Vec<Etching>,
}

/// How a rune was etched.
#[derive(Deserialize)]
pub(super) struct Etching {
    #[serde(rename = "runeid")]
    pub(super) id: Text<RuneId>,
    #[serde(rename = "spacedRune")]
    pub(super) name: Text<SpacedRune>,
    pub(super) divisibility: u8,
}
