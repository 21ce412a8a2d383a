//! Response types of `UniSat`, with the fields that are used.

use bitcoin::Txid;
use engine::asset_index::InscriptionId;
use ordinals::{RuneId, SpacedRune};
use serde::Deserialize;

use crate::parsing::decimal::Decimal;
use crate::parsing::text::Text;

/// The envelope of every response.
#[derive(Deserialize)]
pub(super) struct Envelope<T> {
    /// 0 on success.
    pub(super) code: i64,
    #[serde(default)]
    pub(super) msg: Option<String>,
    #[serde(default = "Option::default")]
    pub(super) data: Option<T>,
}

/// The response of `/v1/indexer/blockchain/info`.
#[derive(Deserialize)]
pub(super) struct Chain {
    pub(super) chain: String,
    /// The height of the last block.
    #[serde(default)]
    pub(super) blocks: Option<u32>,
}

/// The response of `/v1/indexer/brc20/bestheight`.
#[derive(Deserialize)]
pub(super) struct BestHeight {
    pub(super) height: u32,
}

/// The response of `/v1/indexer/address/{address}/brc20/{ticker}/info`.
#[derive(Deserialize)]
pub(super) struct Balance {
    #[serde(default)]
    pub(super) ticker: Option<String>,
    #[serde(rename = "availableBalance")]
    pub(super) available: Decimal,
    /// Without unconfirmed amounts, where reported.
    #[serde(default, rename = "availableBalanceSafe")]
    pub(super) available_safe: Option<Decimal>,
    #[serde(rename = "transferableBalance")]
    pub(super) transferable: Decimal,
}

/// The response of `/v1/indexer/inscription/info/{id}`.
#[derive(Deserialize)]
pub(super) struct Info {
    #[serde(rename = "inscriptionId")]
    pub(super) inscription: Text<InscriptionId>,
    #[serde(default, rename = "inscriptionNumber")]
    pub(super) number: Option<i64>,
    #[serde(default)]
    pub(super) address: Option<String>,
    /// The number of the output's sats before it.
    #[serde(default)]
    pub(super) offset: Option<u64>,
    #[serde(default, rename = "contentType")]
    pub(super) content_type: Option<String>,
    #[serde(default)]
    pub(super) utxo: Option<Output>,
    /// Its BRC-20 content, valid or not.
    #[serde(default)]
    pub(super) brc20: Option<Brc20Content>,
}

/// The output of an inscription.
#[derive(Deserialize)]
pub(super) struct Output {
    pub(super) txid: Text<Txid>,
    pub(super) vout: u32,
    #[serde(rename = "satoshi")]
    pub(super) sats: u64,
}

/// The BRC-20 content of an inscription.
#[derive(Deserialize)]
pub(super) struct Brc20Content {
    pub(super) op: String,
    pub(super) tick: String,
}

/// The response of `/v1/indexer/brc20/{ticker}/tx/{txid}/history`.
#[derive(Deserialize)]
pub(super) struct History {
    pub(super) detail: Vec<Event>,
}

/// An effect of a transaction.
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
    pub(super) amount: Decimal,
}

/// The response of `/v1/indexer/address/{address}/brc20/{ticker}/transferable-inscriptions`.
#[derive(Deserialize)]
pub(super) struct Transferable {
    pub(super) detail: Vec<UnusedTransfer>,
}

/// An unused transfer inscription.
#[derive(Deserialize)]
pub(super) struct UnusedTransfer {
    #[serde(rename = "inscriptionId")]
    pub(super) inscription: Text<InscriptionId>,
    pub(super) data: TransferData,
}

/// The amount that it transfers.
#[derive(Deserialize)]
pub(super) struct TransferData {
    #[serde(rename = "amt")]
    pub(super) amount: Decimal,
}

/// The response of `/v1/indexer/runes/status`.
#[derive(Deserialize)]
pub(super) struct RunesStatus {
    #[serde(rename = "bestHeight")]
    pub(super) height: u32,
}

/// The response of `/v1/indexer/utxo/{txid}/{index}`.
#[derive(Deserialize)]
pub(super) struct Unspent {
    pub(super) txid: Text<Txid>,
    pub(super) vout: u32,
    #[serde(rename = "satoshi")]
    pub(super) sats: u64,
    /// The height of its block; a value above all blocks while it is unconfirmed.
    pub(super) height: u32,
    #[serde(default, rename = "isSpent")]
    pub(super) is_spent: bool,
    pub(super) inscriptions: Vec<OutputInscription>,
}

/// An inscription of an output.
#[derive(Deserialize)]
pub(super) struct OutputInscription {
    #[serde(rename = "inscriptionId")]
    pub(super) inscription: Text<InscriptionId>,
    /// The number of the output's sats before it.
    pub(super) offset: u64,
}

/// A rune balance: an element of `/v1/indexer/runes/utxo/{txid}/{index}/balance`, and of a list of balances.
#[derive(Deserialize)]
pub(super) struct RuneBalanceEntry {
    #[serde(rename = "runeid")]
    pub(super) id: Text<RuneId>,
    #[serde(rename = "spacedRune")]
    pub(super) name: Text<SpacedRune>,
    /// In raw units.
    pub(super) amount: Decimal,
}

/// The response of `/v1/indexer/address/{address}/runes/balance-list`.
#[derive(Deserialize)]
pub(super) struct RuneBalanceList {
    pub(super) detail: Vec<RuneBalanceEntry>,
}

/// The response of `/v1/indexer/runes/info-list`.
#[derive(Deserialize)]
pub(super) struct Etchings {
    pub(super) detail: Vec<Etching>,
}

/// The etching of a rune.
#[derive(Deserialize)]
pub(super) struct Etching {
    #[serde(rename = "runeid")]
    pub(super) id: Text<RuneId>,
    #[serde(rename = "spacedRune")]
    pub(super) name: Text<SpacedRune>,
    pub(super) divisibility: u8,
}
