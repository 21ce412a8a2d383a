//! A cluster of real processes: nodes, a database server with a synchronous standby, and a NATS server.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use persistence::{Options, PostgresOptions, SledJournal, export, restore_postgres};
use postgres_testkit::ReplicatedServer;
use reqwest::StatusCode;
use tempfile::TempDir;

use super::process::{Served, lienbook, prepare};

/// The key that all nodes share.
pub const SESSION_KEY: &str = "7777777777777777777777777777777777777777777777777777777777777777";

/// The limit of every wait. Reaching it fails the test.
const WAIT_MAX: Duration = Duration::from_secs(90);

/// A node, and its data folder.
pub struct Node {
    folder: TempDir,
    port: u16,
    metrics_port: u16,
    served: Option<Served>,
}

/// The processes of a cluster.
pub struct ClusterRig {
    pub database: ReplicatedServer,
    pub nodes: Vec<Node>,
    nats: Option<Child>,
    nats_port: u16,
    /// Flags of all nodes beside those of the rig.
    flags: Vec<String>,
}

impl ClusterRig {
    /// Starts a cluster of nodes on a journal with one collection.
    pub async fn start(nodes: usize) -> Self {
        Self::start_with(nodes, &[]).await
    }

    /// Does the same with further flags for all nodes.
    pub async fn start_with(nodes: usize, flags: &[&str]) -> Self {
        let database = ReplicatedServer::start();
        let seed = tempfile::tempdir().unwrap();
        prepare(seed.path()).await;
        copy(seed.path(), &database.url());
        let (nats_port, flags) = (free_port(), flags.iter().map(|flag| (*flag).to_owned()).collect());
        let node = |_| Node {
            folder: tempfile::tempdir().unwrap(),
            port: free_port(),
            metrics_port: free_port(),
            served: None,
        };
        let mut rig = Self { database, nodes: (0..nodes).map(node).collect(), nats: None, nats_port, flags };
        rig.start_nats();
        for number in 0..nodes {
            rig.start_node(number);
        }
        rig.writer().await;
        rig
    }

    pub fn start_nats(&mut self) {
        let mut command = Command::new("nats-server");
        command.args(["-a", "127.0.0.1", "-p", &self.nats_port.to_string()]);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        self.nats = Some(child.expect("nats-server is installed by .ci/tools"));
    }

    pub fn kill_nats(&mut self) {
        if let Some(mut nats) = self.nats.take() {
            nats.kill().unwrap();
            nats.wait().unwrap();
        }
    }

    pub fn start_node(&mut self, number: usize) {
        let node = &mut self.nodes[number];
        let nats = format!("nats://127.0.0.1:{}", self.nats_port);
        let data = node.folder.path().to_str().unwrap();
        let address = format!("127.0.0.1:{}", node.port);
        let mut command = lienbook(&["serve", "--listen", &address, "--data", data, "--log", "error"]);
        command.args(["--public-url", "http://lienbook.test", "--nats-url", &nats]);
        command.args(["--metrics-listen", &format!("127.0.0.1:{}", node.metrics_port)]);
        command.args(["--set", "quotas.writes_per_minute=1000000", "--set", "quotas.sign_ins_per_minute=1000000"]);
        command.args(["--set", &format!("node_name=node{number}"), "--set", "workers=1"]);
        command.args(&self.flags);
        command.env("LIENBOOK_JOURNAL", self.database.url()).env("LIENBOOK_SESSION_KEY", SESSION_KEY);
        let mut served = Served::launch_command(&mut command, "Serving ").0;
        // It prints its public address.
        served.base = format!("http://{address}");
        node.served = Some(served);
    }

    /// The URL of a node that runs.
    pub fn base(&self, number: usize) -> Option<String> {
        self.nodes[number].served.as_ref().map(|served| served.base.clone())
    }

    /// The URLs of all nodes that run.
    pub fn bases(&self) -> Vec<String> {
        (0..self.nodes.len()).filter_map(|number| self.base(number)).collect()
    }

    /// The URLs of all nodes that run but one.
    pub fn bases_without(&self, left_out: usize) -> Vec<String> {
        (0..self.nodes.len()).filter(|number| *number != left_out).filter_map(|number| self.base(number)).collect()
    }

    pub fn kill_node(&mut self, number: usize) {
        if let Some(served) = self.nodes[number].served.take() {
            served.kill();
        }
    }

    /// The data folder of a node.
    pub fn data(&self, number: usize) -> &Path {
        self.nodes[number].folder.path()
    }

    /// Stops, continues or ends a node's process.
    pub fn signal_node(&self, number: usize, signal: &str) {
        let Some(served) = &self.nodes[number].served else { return };
        let id = served.child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    }

    /// Waits until a node has ended by itself; returns whether it has.
    pub async fn has_left(&mut self, number: usize) -> bool {
        let started_at = Instant::now();
        while started_at.elapsed() < WAIT_MAX {
            let served = self.nodes[number].served.as_mut().unwrap();
            if served.child.try_wait().unwrap().is_some() {
                self.nodes[number].served = None;
                return true;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        false
    }

    /// The node that decides, once there is one.
    pub async fn writer(&self) -> usize {
        let started_at = Instant::now();
        loop {
            let holder = self.database_sql("SELECT holder FROM lienbook_lease WHERE expires > clock_timestamp()");
            let number = holder.and_then(|holder| holder.trim().strip_prefix("node")?.parse::<usize>().ok());
            if let Some(number) = number.filter(|number| self.nodes[*number].served.is_some()) {
                return number;
            }
            assert!(started_at.elapsed() < WAIT_MAX, "no node decides");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// The node that decides, once it is another one.
    pub async fn writer_other_than(&self, former: usize) -> usize {
        let started_at = Instant::now();
        loop {
            let writer = self.writer().await;
            if writer != former {
                return writer;
            }
            assert!(started_at.elapsed() < WAIT_MAX, "no other node decides");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    fn database_sql(&self, sql: &str) -> Option<String> {
        self.database.primary.try_sql(sql).or_else(|| self.database.standby.try_sql(sql))
    }

    /// The page of a node's metrics; `None` if it does not answer.
    pub async fn metrics(&self, number: usize) -> Option<String> {
        /// The last part of the address that the next request comes from: each has a quota of its own.
        static FROM: AtomicU8 = AtomicU8::new(0);
        let from = Ipv4Addr::new(127, 0, 1, FROM.fetch_add(1, Ordering::Relaxed));
        let http = reqwest::Client::builder().no_proxy().local_address(Some(from.into())).build().unwrap();
        let url = format!("http://127.0.0.1:{}/metrics", self.nodes[number].metrics_port);
        let answer = http.get(url).timeout(WAIT_MAX).send().await.ok()?;
        assert_eq!(answer.status(), StatusCode::OK);
        answer.text().await.ok()
    }

    /// The public order book as a node shows it, once it answers.
    pub async fn book(&self, base: &str) -> serde_json::Value {
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        let started_at = Instant::now();
        loop {
            let asked = http.get(format!("{base}/api/v1/collections/g_1/orderbook")).send().await;
            match asked {
                Ok(answer) if answer.status() == StatusCode::OK => return answer.json().await.unwrap(),
                other => assert!(started_at.elapsed() < WAIT_MAX, "{base} shows no book: {other:?}"),
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

/// A port that nothing listens on, below those that Linux gives to outgoing connections: it stays free while a node is
/// away.
fn free_port() -> u16 {
    /// Those that were given out: they are not listened on yet.
    static TAKEN: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());
    let is_free = |port: &u16| TAKEN.lock().unwrap().insert(*port) && TcpListener::bind(("127.0.0.1", *port)).is_ok();
    std::iter::repeat_with(|| rand::random_range(12_000..32_000)).find(is_free).unwrap()
}

impl Drop for ClusterRig {
    fn drop(&mut self) {
        for node in &mut self.nodes {
            drop(node.served.take());
        }
        self.kill_nats();
    }
}

/// Copies the journal of a data folder into a database.
fn copy(data: &Path, url: &str) {
    let mut lines = Vec::new();
    let journal = SledJournal::open(data, Options::default()).unwrap();
    export(&journal, &mut lines).unwrap();
    let address = url.parse().unwrap();
    restore_postgres(&address, &PostgresOptions::default(), &mut lines.as_slice(), &mut |_| {}).unwrap();
}
