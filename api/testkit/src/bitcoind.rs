//! A Bitcoin Core node on regtest, and its controls.

use std::path::{Path, PathBuf};

use bitcoin::Transaction;
use bitcoin::consensus::encode::serialize_hex;
use bitcoin::opcodes::all::OP_PUSHNUM_1;
use bitcoin::script::Builder;
use serde_json::{Value, json};

use super::process::{Process, STARTS_MAX, free_port};
use super::tools::Tools;

/// The RPC credentials of ord: a name, a password and their hash for the node. They need not be secret.
pub const USER: &str = "lienbook";
pub const PASSWORD: &str = "regtest";
const RPC_AUTH: &str = "lienbook:5a$312465fd0842f1aa2a269824e2906fc7e56ba7338d3994225a3638b9e618f255";

/// A separate node.
#[derive(Debug)]
pub struct Bitcoind {
    process: Option<Process>,
    folder: PathBuf,
    port: u16,
    http: reqwest::Client,
    clock_seconds: u32,
    blocks_mined: i64,
    /// The maximum weight of a block from the mempool; Core's default if absent.
    block_weight_max: Option<u32>,
}

impl Bitcoind {
    /// Starts a node with only the genesis block, and this clock.
    pub async fn start(folder: &Path, clock_seconds: u32, block_weight_max: Option<u32>) -> Self {
        let folder = folder.join("bitcoin");
        std::fs::create_dir(&folder).unwrap();
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        let (process, port, blocks_mined) = (None, free_port(), 0);
        let mut node = Self { process, folder, port, http, clock_seconds, blocks_mined, block_weight_max };
        for attempt in 1.. {
            match node.run().await {
                Ok(()) => break,
                Err(output) => assert!(attempt < STARTS_MAX, "bitcoind does not start: {output}"),
            }
            node.port = free_port();
        }
        node
    }

    /// Runs it with standard policy, no peers, and a mempool that is not persisted.
    async fn run(&mut self) -> Result<(), String> {
        let data = self.folder.display();
        let mut arguments = vec![
            "-regtest".to_owned(),
            format!("-datadir={data}"),
            format!("-rpcport={}", self.port),
            format!("-rpcauth={RPC_AUTH}"),
            format!("-mocktime={}", self.clock_seconds),
            "-rpcbind=127.0.0.1".to_owned(),
            "-rpcallowip=127.0.0.1".to_owned(),
            "-txindex=1".to_owned(),
            "-acceptnonstdtxn=0".to_owned(),
            "-persistmempool=0".to_owned(),
            "-listen=0".to_owned(),
            "-connect=0".to_owned(),
            "-par=1".to_owned(),
            "-dbcache=16".to_owned(),
        ];
        arguments.extend(self.block_weight_max.map(|weight| format!("-blockmaxweight={weight}")));
        let mut process = Process::start(&Tools::find().bitcoind, &arguments, self.folder.join("output.log"));
        let is_up = async || self.try_call("getblockcount", &json!([])).await.is_ok();
        process.until(is_up).await?;
        self.process = Some(process);
        Ok(())
    }

    /// Restarts the program: blocks stay, and the mempool is empty.
    pub async fn restart(&mut self) {
        self.stop().await;
        self.start_again().await;
    }

    /// Stops the program.
    pub async fn stop(&mut self) {
        self.call("stop", json!([])).await;
        if let Some(process) = self.process.take() {
            process.end().await;
        }
    }

    /// Starts it again with its data.
    pub async fn start_again(&mut self) {
        self.run().await.unwrap_or_else(|output| panic!("bitcoind does not start again: {output}"));
    }

    /// Makes it accept connections without answering, or answer again.
    pub fn set_frozen(&self, is_frozen: bool) {
        self.process.as_ref().expect("bitcoind does not run").set_frozen(is_frozen);
    }

    /// Mines a block, from the mempool or of exactly these transactions. Its reward can be spent without a signature.
    pub async fn mine(&mut self, transactions: Option<&[Transaction]>) {
        self.blocks_mined += 1;
        // No two blocks pay the same script, so that every block is unique, in this chain and all others.
        let number = i64::from(self.port) * 1_000_000 + self.blocks_mined;
        let miner = Builder::new().push_int(number).push_opcode(OP_PUSHNUM_1).into_script();
        let bare = format!("raw({})", miner.to_hex_string());
        let described = self.call("getdescriptorinfo", json!([bare])).await;
        let miner = &described["descriptor"];
        match transactions {
            None => self.call("generatetodescriptor", json!([1, miner])).await,
            Some(these) => {
                let these: Vec<String> = these.iter().map(serialize_hex).collect();
                self.call("generateblock", json!([miner, these])).await
            }
        };
    }

    /// Sets its clock.
    pub async fn set_time(&mut self, unix_seconds: u32) {
        self.call("setmocktime", json!([unix_seconds])).await;
        self.clock_seconds = unix_seconds;
    }

    /// Returns its URL.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Returns the path of its cookie file.
    pub fn cookie(&self) -> PathBuf {
        self.folder.join("regtest/.cookie")
    }

    /// Makes an RPC call.
    pub async fn call(&self, method: &str, params: Value) -> Value {
        self.try_call(method, &params).await.unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    async fn try_call(&self, method: &str, params: &Value) -> Result<Value, String> {
        let request = json!({ "jsonrpc": "2.0", "id": 0, "method": method, "params": params });
        // By its own cookie, so that the node of another test cannot answer.
        let cookie = std::fs::read_to_string(self.cookie()).map_err(|error| error.to_string())?;
        let (name, password) = cookie.split_once(':').unwrap_or_default();
        let sent = self.http.post(self.url()).basic_auth(name, Some(password)).json(&request).send().await;
        let mut answer: Value =
            sent.map_err(|error| error.to_string())?.json().await.map_err(|error| error.to_string())?;
        match answer.get("error") {
            Some(error) => Err(error.to_string()),
            None => Ok(answer["result"].take()),
        }
    }
}
