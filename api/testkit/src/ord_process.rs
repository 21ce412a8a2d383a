//! An ord process for a node.

use std::path::{Path, PathBuf};

use super::bitcoind::{Bitcoind, PASSWORD, USER};
use super::process::{Process, STARTS_MAX, free_port};
use super::tools::Tools;

/// A separate indexer.
#[derive(Debug)]
pub struct OrdProcess {
    process: Option<Process>,
    arguments: Vec<String>,
    log: PathBuf,
    port: u16,
    http: reqwest::Client,
}

impl OrdProcess {
    /// Starts an indexer of this node's blocks, on another port when its own is taken.
    pub async fn start(folder: &Path, node: &Bitcoind) -> Self {
        for attempt in 1.. {
            let mut indexer = Self::run(&folder.join(format!("ord-{attempt}")), folder, node);
            match indexer.try_until_read(node).await {
                Ok(()) => return indexer,
                Err(output) => assert!(attempt < STARTS_MAX, "ord does not start: {output}"),
            }
        }
        unreachable!("it started, or the last attempt failed");
    }

    fn run(data: &Path, folder: &Path, node: &Bitcoind) -> Self {
        let port = free_port();
        std::fs::create_dir(data).unwrap();
        let arguments = vec![
            "--regtest".to_owned(),
            "--index-runes".to_owned(),
            "--index-addresses".to_owned(),
            "--index-cache-size=8000000".to_owned(),
            format!("--data-dir={}", data.display()),
            format!("--bitcoin-data-dir={}", folder.join("bitcoin").display()),
            format!("--bitcoin-rpc-url={}", node.url()),
            format!("--bitcoin-rpc-username={USER}"),
            format!("--bitcoin-rpc-password={PASSWORD}"),
            "server".to_owned(),
            "--address=127.0.0.1".to_owned(),
            format!("--http-port={port}"),
            "--polling-interval=10ms".to_owned(),
        ];
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        let mut indexer = Self { process: None, arguments, log: data.join("output.log"), port, http };
        indexer.start_again();
        indexer
    }

    /// Stops the program.
    pub fn stop(&mut self) {
        self.process = None;
    }

    /// Starts it again with its data.
    pub fn start_again(&mut self) {
        self.process = Some(Process::start(&Tools::find().ord, &self.arguments, self.log.clone()));
    }

    /// Makes it accept connections without answering, or answer again.
    pub fn set_frozen(&self, is_frozen: bool) {
        self.process.as_ref().expect("ord does not run").set_frozen(is_frozen);
    }

    /// Waits until it has read the node's tip.
    pub async fn wait_until_indexed(&mut self, node: &Bitcoind) {
        self.try_until_read(node).await.unwrap_or_else(|output| panic!("ord does not index the best block: {output}"));
    }

    async fn try_until_read(&mut self, node: &Bitcoind) -> Result<(), String> {
        let best = node.call("getbestblockhash", serde_json::json!([])).await;
        let (url, http) = (self.url(), self.http.clone());
        let has_read = async || {
            let answer = http.get(format!("{url}/blockhash")).send().await;
            match answer {
                Ok(answer) => answer.text().await.is_ok_and(|hash| best == hash),
                Err(_) => false,
            }
        };
        self.process.as_mut().expect("ord does not run").until(has_read).await
    }

    /// Returns its URL.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}
