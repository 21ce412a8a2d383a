//! A Bitcoin Core of one test, with a folder for the files of its users.

use std::path::PathBuf;

use bitcoin::consensus::encode::{deserialize_hex, serialize_hex};
use bitcoin::{Address, Network, ScriptBuf, Transaction, Txid};
use serde_json::json;
use testkit::bitcoind::Bitcoind;

pub struct Node {
    core: Bitcoind,
    folder: tempfile::TempDir,
}

impl Node {
    pub async fn start(now_seconds: u32) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let core = Bitcoind::start(folder.path(), now_seconds, None).await;
        Self { core, folder }
    }

    pub fn url(&self) -> String {
        self.core.url()
    }

    pub fn cookie(&self) -> PathBuf {
        self.core.cookie()
    }

    /// A file that is deleted with the node.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub async fn set_time(&self, unix_seconds: u32) {
        self.core.call("setmocktime", json!([unix_seconds])).await;
    }

    pub async fn mine(&self, blocks: u32, script: &ScriptBuf) {
        let address = Address::from_script(script, Network::Regtest).unwrap().to_string();
        self.core.call("generatetoaddress", json!([blocks, address])).await;
    }

    /// The coinbase of the best block.
    pub async fn coinbase(&self) -> Transaction {
        let best = self.core.call("getbestblockhash", json!([])).await;
        let block = self.core.call("getblock", json!([best, 2])).await;
        deserialize_hex(block["tx"][0]["hex"].as_str().unwrap()).unwrap()
    }

    pub async fn send(&self, transaction: &Transaction) {
        self.core.call("sendrawtransaction", json!([serialize_hex(transaction)])).await;
    }

    /// A transaction of the mempool.
    pub async fn mempool_transaction(&self, txid: Txid) -> Option<Transaction> {
        let mempool = self.core.call("getrawmempool", json!([])).await;
        if !mempool.as_array().unwrap().contains(&json!(txid.to_string())) {
            return None;
        }
        let found = self.core.call("getrawtransaction", json!([txid.to_string()])).await;
        Some(deserialize_hex(found.as_str().unwrap()).unwrap())
    }
}
