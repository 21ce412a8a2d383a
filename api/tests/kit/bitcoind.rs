//! A real Bitcoin Core on regtest with its own clock, killed when it is dropped.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use bitcoin::consensus::encode::{deserialize_hex, serialize_hex};
use bitcoin::{Address, Network, ScriptBuf, Transaction, Txid};
use serde_json::{Value, json};

const TIMEOUT: Duration = Duration::from_mins(1);

pub struct Bitcoind {
    child: Child,
    folder: tempfile::TempDir,
    pub url: String,
}

impl Bitcoind {
    pub async fn start(now_seconds: u32) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let child = Command::new(program())
            .args(["-regtest", "-listen=0", "-connect=0", "-persistmempool=0", "-par=1", "-dbcache=16"])
            .args([format!("-datadir={}", folder.path().display()), format!("-rpcport={port}")])
            .arg(format!("-mocktime={now_seconds}"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let node = Self { child, folder, url: format!("http://127.0.0.1:{port}") };
        let begun = Instant::now();
        while node.try_call("getblockcount", json!([])).await.is_err() {
            assert!(begun.elapsed() < TIMEOUT, "bitcoind did not start in time");
            thread::sleep(Duration::from_millis(50));
        }
        node
    }

    pub fn cookie(&self) -> PathBuf {
        self.folder.path().join("regtest/.cookie")
    }

    /// A file in the node's temporary folder, deleted with the node.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub async fn set_time(&self, unix_seconds: u32) {
        self.call("setmocktime", json!([unix_seconds])).await;
    }

    pub async fn mine(&self, blocks: u32, script: &ScriptBuf) {
        let address = Address::from_script(script, Network::Regtest).unwrap().to_string();
        self.call("generatetoaddress", json!([blocks, address])).await;
    }

    /// The coinbase of the best block.
    pub async fn coinbase(&self) -> Transaction {
        let best = self.call("getbestblockhash", json!([])).await;
        let block = self.call("getblock", json!([best, 2])).await;
        deserialize_hex(block["tx"][0]["hex"].as_str().unwrap()).unwrap()
    }

    pub async fn send(&self, transaction: &Transaction) {
        self.call("sendrawtransaction", json!([serialize_hex(transaction)])).await;
    }

    /// A mempool transaction.
    pub async fn mempool_transaction(&self, txid: Txid) -> Option<Transaction> {
        let found = self.try_call("getrawtransaction", json!([txid.to_string()])).await.ok()?;
        Some(deserialize_hex(found.as_str()?).unwrap())
    }

    async fn call(&self, method: &str, params: Value) -> Value {
        self.try_call(method, params).await.unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    async fn try_call(&self, method: &str, params: Value) -> Result<Value, String> {
        let cookie = fs::read_to_string(self.cookie()).map_err(|error| error.to_string())?;
        let (name, password) = cookie.split_once(':').unwrap();
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let request = json!({ "jsonrpc": "2.0", "id": 0, "method": method, "params": params });
        let sent = client.post(&self.url).basic_auth(name, Some(password)).json(&request).send().await;
        let answer: Value = sent.map_err(|error| error.to_string())?.json().await.map_err(|error| error.to_string())?;
        match answer.get("error") {
            Some(error) if !error.is_null() => Err(error.to_string()),
            _ => Ok(answer["result"].clone()),
        }
    }
}

impl Drop for Bitcoind {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The path of bitcoind; a test without it fails, none is skipped.
fn program() -> PathBuf {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.ci/regtest-tools");
    let found = Command::new(script).arg("where").output().unwrap();
    assert!(found.status.success(), "{}", String::from_utf8_lossy(&found.stderr));
    String::from_utf8(found.stdout).unwrap().lines().next().unwrap().into()
}
