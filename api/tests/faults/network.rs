//! The network of a run: a namespace for each host, joined by a bridge that can drop, lose and delay what it forwards.
//!
//! The harness itself is at the bridge and always reaches every host.

use std::fs::File;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::AsFd as _;
use std::process::{Command, Stdio};
use std::thread;

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

/// The number of nodes.
pub const NODES: usize = 3;
/// The number of database servers.
pub const DATABASES: usize = 2;

/// A host of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Host {
    Node(usize),
    Database(usize),
    Nats,
    Signer,
}

impl Host {
    /// All hosts.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..NODES).map(Self::Node).chain((0..DATABASES).map(Self::Database)).chain([Self::Nats, Self::Signer])
    }

    /// Its name, which is that of its namespace.
    pub fn name(self) -> String {
        match self {
            Self::Node(number) => format!("node{number}"),
            Self::Database(number) => format!("database{number}"),
            Self::Nats => "nats".to_owned(),
            Self::Signer => "signer".to_owned(),
        }
    }

    /// Its address.
    pub fn address(self) -> Ipv4Addr {
        let (base, number) = match self {
            Self::Node(number) => (10, number),
            Self::Database(number) => (20, number),
            Self::Nats => (30, 0),
            Self::Signer => (40, 0),
        };
        Ipv4Addr::new(10, 77, 0, base + u8::try_from(number).unwrap())
    }

    /// The bridge's port to it.
    fn port(self) -> String {
        format!("p-{}", self.name())
    }

    /// Returns the command for a program that runs on this host.
    pub fn command(self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new("nsenter");
        command.arg(format!("--net={}", self.namespace())).arg("--").arg(program).stdin(Stdio::null());
        command
    }

    fn namespace(self) -> String {
        format!("/run/netns/{}", self.name())
    }

    /// A listener on this host's loopback.
    pub fn listen_on_loopback(self) -> TcpListener {
        // A socket stays in the namespace in which it was made, whatever thread uses it.
        let made = thread::spawn(move || {
            let namespace = File::open(self.namespace()).unwrap();
            move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network)).unwrap();
            TcpListener::bind("127.0.0.1:0").unwrap()
        });
        made.join().unwrap()
    }
}

/// The rules of the bridge. Address resolution passes: a cut is silence, not an absent host.
const RULES: &str = "
table bridge faults {
  set cuts { type ifname . ifname; }
  set losses { type ifname . ifname; }
  chain forwarded {
    type filter hook forward priority 0; policy accept;
    ether type ip iifname . oifname @cuts drop
    ether type ip iifname . oifname @losses numgen random mod 100 < 15 drop
  }
}";

/// Creates the hosts, the bridge and its rules.
pub fn create() {
    let hosts = Host::all().map(|host| {
        let (name, port, address) = (host.name(), host.port(), host.address());
        format!(
            "ip netns add {name}\n\
             ip link add dev {port} type veth peer name eth0 netns {name}\n\
             ip link set {port} master bridge0 up\n\
             ip -n {name} addr add {address}/24 dev eth0\n\
             ip -n {name} link set eth0 up\n\
             ip -n {name} link set lo up\n"
        )
    });
    let script = format!(
        "ip link set lo up\n\
         ip link add bridge0 type bridge\n\
         ip addr add 10.77.0.1/24 dev bridge0\n\
         ip link set bridge0 up\n\
         {}\
         nft -f - <<'rules'{RULES}\nrules\n",
        hosts.collect::<String>()
    );
    let made = Command::new("sh").args(["-euc", &script]).output().unwrap();
    assert!(made.status.success(), "the network cannot be made: {}", String::from_utf8_lossy(&made.stderr));
}

/// A condition of the way from one host to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Nothing arrives.
    Cut,
    /// Of a hundred packets, fifteen are lost.
    Lossy,
}

impl Condition {
    /// Imposes it on what one host sends to another.
    pub fn impose(self, from: Host, to: Host) {
        self.change("add", from, to);
    }

    /// Lifts it.
    pub fn lift(self, from: Host, to: Host) {
        self.change("delete", from, to);
    }

    fn change(self, verb: &str, from: Host, to: Host) {
        let set = match self {
            Self::Cut => "cuts",
            Self::Lossy => "losses",
        };
        let element = format!("{{ {} . {} }}", from.port(), to.port());
        let changed = Command::new("nft").args([verb, "element", "bridge", "faults", set, &element]).output().unwrap();
        assert!(changed.status.success(), "{verb} {element}: {}", String::from_utf8_lossy(&changed.stderr));
    }
}

/// Slows everything that a host receives down: by a delay, or by little bandwidth where the kernel has no `netem`.
/// Returns the way in which it is slow.
pub fn slow_down(host: Host) -> &'static str {
    let port = host.port();
    let add = |discipline: &[&str]| {
        let mut command = Command::new("tc");
        command.args(["qdisc", "replace", "dev", &port, "root"]).args(discipline).stderr(Stdio::null());
        command.status().unwrap().success()
    };
    if add(&["netem", "delay", "60ms", "30ms", "loss", "2%"]) {
        return "60±30 ms, 2 % lost";
    }
    assert!(add(&["tbf", "rate", "384kbit", "burst", "4kb", "latency", "500ms"]), "tc cannot slow a link down");
    "384 kbit/s"
}

/// Ends that.
pub fn speed_up(host: Host) {
    let ended = Command::new("tc").args(["qdisc", "del", "dev", &host.port(), "root"]).status().unwrap();
    assert!(ended.success(), "tc cannot reset the link to {}", host.name());
}
