//! Lookup of a user's own coins with nothing but a node.

use std::time::Duration;

use bitcoin::{OutPoint, Script, ScriptBuf, TxOut, Txid};
use engine::chain::{ChainError, Unspent};
use serde::Deserialize;
use serde_json::json;

use super::btc::Btc;
use super::rpc::RpcError;
use super::{BitcoinCore, call_error};
use crate::chain::acceptance::code;
use crate::parsing::text::{Text, excerpt};

/// A node reads its whole UTXO set for this, which takes minutes on mainnet.
const SCAN_TIME_LIMIT: Duration = Duration::from_hours(1);
/// The interval between progress requests: a node answers other calls during a scan.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// The result of `scantxoutset`.
#[derive(Deserialize)]
struct Scan {
    success: bool,
    height: u32,
    unspents: Vec<ScannedOutput>,
}

#[derive(Deserialize)]
struct ScannedOutput {
    txid: Text<Txid>,
    vout: u32,
    #[serde(rename = "scriptPubKey")]
    script: String,
    amount: Btc,
    coinbase: bool,
    height: u32,
}

/// The progress of a scan, in percent.
#[derive(Deserialize)]
struct Progress {
    progress: u8,
}

/// An element of `gettxspendingprevout`.
#[derive(Deserialize)]
struct Spending {
    #[serde(rename = "spendingtxid")]
    spender: Option<Text<Txid>>,
}

impl BitcoinCore {
    /// Returns all outputs of a script that are unspent in blocks (`scantxoutset`); `at` receives the progress in
    /// percent.
    ///
    /// # Errors
    /// Also when the node is busy with a scan of another client.
    pub async fn outputs_of(
        &self,
        script: &Script,
        mut at: impl FnMut(u8),
    ) -> Result<Vec<(OutPoint, Unspent)>, ChainError> {
        let wanted = json!(["start", [{ "desc": format!("raw({})", script.to_hex_string()) }]]);
        let scan = self.rpc.call_within::<Scan>("scantxoutset", wanted, SCAN_TIME_LIMIT);
        tokio::pin!(scan);
        let scan = loop {
            tokio::select! {
                scanned = &mut scan => break scanned,
                () = tokio::time::sleep(POLL_INTERVAL) => {
                    // The caller waits for progress; a node that reports none is waited for all the same.
                    let status = self.rpc.call::<Option<Progress>>("scantxoutset", json!(["status"])).await;
                    if let Ok(Some(Progress { progress })) = status {
                        at(progress);
                    }
                }
            }
        };
        let scan = match scan {
            Err(RpcError::ErrorResponse { code: code::INVALID_PARAMETER, message })
                if message.contains("in progress") =>
            {
                return Err(ChainError::Unreachable("it is busy with another scan: try again later".to_owned()));
            }
            other => other.map_err(call_error)?,
        };
        if !scan.success {
            return Err(ChainError::Unreachable("its scan was stopped".to_owned()));
        }
        scan.unspents.into_iter().map(|found| found.checked(script, scan.height)).collect()
    }

    /// Returns the mempool transaction that spends an output, if there is one (`gettxspendingprevout`).
    pub async fn mempool_spender(&self, outpoint: OutPoint) -> Result<Option<Txid>, ChainError> {
        let asked = json!([[{ "txid": outpoint.txid.to_string(), "vout": outpoint.vout }]]);
        let found: Vec<Spending> = self.rpc.call("gettxspendingprevout", asked).await.map_err(call_error)?;
        match found.as_slice() {
            [Spending { spender }] => Ok(spender.map(|Text(txid)| txid)),
            _ => Err(ChainError::InvalidResponse("it does not answer for the one output".to_owned())),
        }
    }
}

impl ScannedOutput {
    /// Returns the output that was found, checked against the wanted script.
    fn checked(self, wanted: &Script, tip: u32) -> Result<(OutPoint, Unspent), ChainError> {
        let script = ScriptBuf::from_hex(&self.script)
            .map_err(|error| ChainError::InvalidResponse(excerpt(&error.to_string())))?;
        let confirmations = tip.checked_sub(self.height).and_then(|above| above.checked_add(1));
        let (true, Some(confirmations)) = (script.as_script() == wanted, confirmations) else {
            return Err(ChainError::InvalidResponse(format!(
                "{}:{} does not pay to the wanted script",
                self.txid.0, self.vout
            )));
        };
        let output = TxOut { value: self.amount.0, script_pubkey: script };
        let unspent = Unspent { output, confirmations, is_coinbase: self.coinbase };
        Ok((OutPoint::new(self.txid.0, self.vout), unspent))
    }
}
