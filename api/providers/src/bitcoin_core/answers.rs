//! The parts of Bitcoin Core's answers that are used.

use std::collections::HashMap;

use bitcoin::{BlockHash, Txid, Wtxid};
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

/// `testmempoolaccept`, of one transaction.
#[derive(Deserialize)]
pub(super) struct Verdict {
    pub(super) txid: Text<Txid>,
    /// Absent when another transaction's failure made it moot.
    pub(super) allowed: Option<bool>,
    #[serde(rename = "reject-reason")]
    pub(super) reject_reason: Option<String>,
    #[serde(rename = "package-error")]
    pub(super) package_error: Option<String>,
}

/// `submitpackage`.
#[derive(Deserialize)]
pub(super) struct Submitted {
    #[serde(rename = "package_msg")]
    pub(super) message: String,
    #[serde(rename = "tx-results")]
    pub(super) results: HashMap<Text<Wtxid>, SubmittedOne>,
}

/// `submitpackage`, of one transaction.
#[derive(Deserialize)]
pub(super) struct SubmittedOne {
    pub(super) error: Option<String>,
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
