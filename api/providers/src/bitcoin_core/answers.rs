//! The parts of Bitcoin Core's answers that are used.

use bitcoin::BlockHash;
use serde::Deserialize;

use super::btc::Btc;
use crate::text::Text;

/// `getblockchaininfo`.
#[derive(Deserialize)]
pub(super) struct ChainInfo {
    pub(super) blocks: u32,
    #[serde(rename = "bestblockhash")]
    pub(super) best_block: Text<BlockHash>,
    #[serde(rename = "mediantime")]
    pub(super) median_time_seconds: u32,
}

/// `getblockheader`.
#[derive(Deserialize)]
pub(super) struct Header {
    pub(super) hash: Text<BlockHash>,
    pub(super) height: u32,
    /// -1 off the best chain.
    pub(super) confirmations: i64,
    #[serde(rename = "mediantime")]
    pub(super) median_time_seconds: u32,
}

/// `gettxout`.
#[derive(Deserialize)]
pub(super) struct Output {
    pub(super) confirmations: u32,
    pub(super) value: Btc,
    #[serde(rename = "scriptPubKey")]
    pub(super) script: Script,
    pub(super) coinbase: bool,
}

/// A script.
#[derive(Deserialize)]
pub(super) struct Script {
    pub(super) hex: String,
}

/// `getrawtransaction`.
#[derive(Deserialize)]
pub(super) struct Raw {
    pub(super) hex: String,
    /// Absent while it waits for a block.
    #[serde(rename = "blockhash")]
    pub(super) block: Option<Text<BlockHash>>,
}

/// `estimatesmartfee`.
#[derive(Deserialize)]
pub(super) struct Estimate {
    /// Per 1,000 virtual bytes; absent while the node has seen too little.
    #[serde(rename = "feerate")]
    pub(super) fee_rate: Option<Btc>,
}

/// `getmempoolinfo`.
#[derive(Deserialize)]
pub(super) struct MempoolInfo {
    /// Per 1,000 virtual bytes: what the mempool takes now.
    #[serde(rename = "mempoolminfee")]
    pub(super) min_fee_rate: Btc,
    /// Per 1,000 virtual bytes: what the node relays at all.
    #[serde(rename = "minrelaytxfee")]
    pub(super) min_relay_fee_rate: Btc,
}
