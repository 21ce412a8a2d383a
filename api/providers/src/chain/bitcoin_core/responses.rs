//! Response types of Bitcoin Core, with the fields that are used.

use bitcoin::BlockHash;
use serde::Deserialize;

use super::btc::Btc;
use crate::parsing::text::Text;

/// The result of `getblockchaininfo`.
#[derive(Deserialize)]
pub(super) struct ChainInfo {
    pub(super) blocks: u32,
    #[serde(rename = "bestblockhash")]
    pub(super) best_block: Text<BlockHash>,
    #[serde(rename = "mediantime")]
    pub(super) median_time_seconds: u32,
}

/// The result of `getblockheader`.
#[derive(Deserialize)]
pub(super) struct Header {
    pub(super) hash: Text<BlockHash>,
    pub(super) height: u32,
    /// -1 for a block that is not on the best chain.
    pub(super) confirmations: i64,
    #[serde(rename = "mediantime")]
    pub(super) median_time_seconds: u32,
}

/// The result of `gettxout`.
#[derive(Deserialize)]
pub(super) struct Output {
    pub(super) confirmations: u32,
    pub(super) value: Btc,
    #[serde(rename = "scriptPubKey")]
    pub(super) script: Script,
    pub(super) coinbase: bool,
}

/// A script in hexadecimal.
#[derive(Deserialize)]
pub(super) struct Script {
    pub(super) hex: String,
}

/// The result of `getrawtransaction`.
#[derive(Deserialize)]
pub(super) struct RawTransaction {
    pub(super) hex: String,
    /// Absent while it is in the mempool.
    #[serde(rename = "blockhash")]
    pub(super) block: Option<Text<BlockHash>>,
}

/// The result of `estimatesmartfee`.
#[derive(Deserialize)]
pub(super) struct Estimate {
    /// Per 1,000 virtual bytes; absent while the node has seen too few transactions.
    #[serde(rename = "feerate")]
    pub(super) fee_rate: Option<Btc>,
}

/// The result of `getmempoolinfo`.
#[derive(Deserialize)]
pub(super) struct MempoolInfo {
    /// Per 1,000 virtual bytes: the current minimum of the mempool.
    #[serde(rename = "mempoolminfee")]
    pub(super) min_fee_rate: Btc,
    /// Per 1,000 virtual bytes: the minimum for relay.
    #[serde(rename = "minrelaytxfee")]
    pub(super) min_relay_fee_rate: Btc,
}
