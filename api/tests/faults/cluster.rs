//! The processes of a run: nodes, databases, a NATS server and the vault signer.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::account::{PORT, base};
use super::databases::Databases;
use super::enclosure;
use super::host_process::HostProcess;
use super::market::{DOMAIN, PLATFORM, SignerFiles};
use super::network::{Host, NODES};
use super::record::{Record, count};

/// The pause before a node is started that has ended by itself, as a service manager makes it.
const RESTART_DELAY: Duration = Duration::from_millis(500);

/// The limit of every wait for a process. Reaching it fails the run.
const WAIT_MAX: Duration = Duration::from_mins(2);

const NATS_PORT: u16 = 4_222;

struct Node {
    process: Option<HostProcess>,
    /// Whether it is to run; then it is started again when it ends.
    is_wanted: bool,
}

/// The processes.
pub struct Cluster {
    pub databases: Databases,
    nodes: Vec<Mutex<Node>>,
    nats: Mutex<Option<HostProcess>>,
    signer: Mutex<Option<HostProcess>>,
    signer_files: SignerFiles,
    lienbook: PathBuf,
    record: Arc<Record>,
}

impl Cluster {
    /// Starts everything. `upstreams` are the configurations of the nodes.
    pub fn start(databases: Databases, upstreams: &[String], record: &Arc<Record>) -> Self {
        // A copy, so that a build meanwhile changes nothing.
        let lienbook = Path::new(enclosure::FOLDER).join("lienbook");
        fs::copy(env!("CARGO_BIN_EXE_lienbook"), &lienbook).unwrap();
        let cluster = Self {
            databases,
            nodes: (0..NODES).map(|_| Mutex::new(Node { process: None, is_wanted: false })).collect(),
            nats: Mutex::default(),
            signer: Mutex::default(),
            signer_files: SignerFiles::create(&lienbook),
            lienbook,
            record: Arc::clone(record),
        };
        cluster.start_nats();
        cluster.start_signer();
        wait_until("the signer listens", || cluster.signer_files.socket().exists());
        for (number, upstreams) in upstreams.iter().enumerate() {
            let folder = node_folder(number);
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join("lienbook.toml"), cluster.configuration(number, upstreams)).unwrap();
            cluster.start_node(number);
        }
        wait_until("a node decides", || cluster.writer().is_some());
        cluster
    }

    fn configuration(&self, number: usize, upstreams: &str) -> String {
        let (listen, folder) = (Host::Node(number).address(), node_folder(number));
        format!(
            "listen = \"{listen}:{PORT}\"\n\
             data = \"{}\"\n\
             node_name = \"node{number}\"\n\
             workers = 1\n\
             log = \"info\"\n\
             public_url = \"http://{DOMAIN}\"\n\
             nats_url = \"nats://{}:{NATS_PORT}\"\n\
             platform_address = \"{PLATFORM}\"\n\
             signer_socket = \"{}\"\n\
             [quotas]\n\
             writes_per_minute = 1000000\n\
             reads_per_minute = 1000000\n\
             lookups_per_minute = 1000000\n\
             sign_ins_per_minute = 1000000\n\
             {upstreams}",
            folder.display(),
            Host::Nats.address(),
            self.signer_files.socket().display(),
        )
    }

    /// Starts a node, and again whenever it ends by itself.
    pub fn start_node(&self, number: usize) {
        let mut node = self.nodes[number].lock().unwrap();
        node.is_wanted = true;
        node.process = Some(self.launch_node(number));
    }

    fn launch_node(&self, number: usize) -> HostProcess {
        let host = Host::Node(number);
        let mut command = host.command(&self.lienbook);
        command.arg("serve").arg("--config").arg(node_folder(number).join("lienbook.toml"));
        command.env("LIENBOOK_JOURNAL", self.databases.url()).env("LIENBOOK_SESSION_KEY", "7".repeat(64));
        HostProcess::start(&mut command, &host.name())
    }

    /// Kills a node, which is not started again until that is asked for.
    pub fn kill_node(&self, number: usize) {
        let mut node = self.nodes[number].lock().unwrap();
        node.is_wanted = false;
        // Dropping it kills it.
        node.process = None;
    }

    /// Asks a node to end, as a service manager does, and waits until it has; returns whether it has ended as it should.
    pub fn stop_node(&self, number: usize) -> bool {
        let mut asked = false;
        let (started_at, mut status) = (Instant::now(), None);
        while status.is_none() && started_at.elapsed() < WAIT_MAX {
            let mut node = self.nodes[number].lock().unwrap();
            node.is_wanted = false;
            let Some(process) = &mut node.process else { return true };
            if !asked {
                process.ask_to_end();
                asked = true;
            }
            status = process.ended();
            drop(node);
            thread::sleep(Duration::from_millis(20));
        }
        self.record.note(&format!("node{number} has ended after {:?}: {status:?}", started_at.elapsed()));
        self.nodes[number].lock().unwrap().process = None;
        status.is_some()
    }

    /// Does something to a node's process, if it runs.
    pub fn node(&self, number: usize, act: impl FnOnce(&HostProcess)) {
        if let Some(process) = &self.nodes[number].lock().unwrap().process {
            act(process);
        }
    }

    pub fn start_nats(&self) {
        let mut command = Host::Nats.command("nats-server");
        command.args(["-a", &Host::Nats.address().to_string(), "-p", &NATS_PORT.to_string()]);
        *self.nats.lock().unwrap() = Some(HostProcess::start(&mut command, "nats"));
    }

    pub fn kill_nats(&self) {
        *self.nats.lock().unwrap() = None;
    }

    pub fn signal_nats(&self, signal: Signal) {
        if let Some(nats) = self.nats.lock().unwrap().as_ref() {
            nats.signal(signal);
        }
    }

    pub fn start_signer(&self) {
        let mut command = self.signer_files.serve(Host::Signer.command(&self.lienbook));
        *self.signer.lock().unwrap() = Some(HostProcess::start(&mut command, "signer"));
    }

    pub fn kill_signer(&self) {
        *self.signer.lock().unwrap() = None;
    }

    /// The node that decides, if there is one and the database says so.
    pub fn writer(&self) -> Option<usize> {
        let holder = self.databases.try_sql("SELECT holder FROM lienbook_lease WHERE expires > clock_timestamp()")?;
        let number: usize = holder.strip_prefix("node")?.parse().ok()?;
        self.nodes[number].lock().unwrap().process.as_ref().map(|_| number)
    }

    /// Starts nodes again that have ended by themselves, until the run is over.
    pub fn supervise(&self) {
        while !self.record.is_over.load(Ordering::SeqCst) {
            for number in 0..NODES {
                let mut node = self.nodes[number].lock().unwrap();
                let ended = node.process.as_mut().and_then(HostProcess::ended);
                if let Some(status) = ended.filter(|_| node.is_wanted) {
                    count(&self.record.figures.left);
                    self.record.note(&format!("node{number} has left by itself: {status}"));
                    if status.code().is_none() {
                        self.record.violation(&format!("node{number} was ended by a signal: {status}"));
                    }
                    drop(node);
                    thread::sleep(RESTART_DELAY);
                    node = self.nodes[number].lock().unwrap();
                    if node.is_wanted {
                        node.process = Some(self.launch_node(number));
                    }
                }
            }
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits until every node serves.
    pub fn wait_until_served(&self) -> bool {
        let started_at = Instant::now();
        let is_up = |number: usize| std::net::TcpStream::connect((Host::Node(number).address(), PORT)).is_ok();
        while !(0..NODES).all(is_up) {
            if started_at.elapsed() > WAIT_MAX {
                self.record.violation(&format!("a node does not serve, such as {}", base(0)));
                return false;
            }
            thread::sleep(Duration::from_millis(50));
        }
        true
    }
}

fn node_folder(number: usize) -> PathBuf {
    Path::new(enclosure::FOLDER).join(Host::Node(number).name())
}

fn wait_until(condition: &str, mut holds: impl FnMut() -> bool) {
    let started_at = Instant::now();
    while !holds() {
        assert!(started_at.elapsed() < WAIT_MAX, "timed out waiting until {condition}");
        thread::sleep(Duration::from_millis(20));
    }
}
