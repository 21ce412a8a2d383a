//! The injection of faults: each in a thread of its own, which ends once the fault is over and repaired.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::cluster::Cluster;
use super::fault::{Direction, Fault, Kind};
use super::host_process::HostProcess;
use super::network::{self, Condition, Host, NODES};
use super::record::Record;

/// The time for which a fault waits for its subject, such as a writer, or a process that another fault concerns: a
/// promotion takes as long as a new standby.
const SUBJECT_MAX: Duration = Duration::from_mins(4);

/// The time after a fault within which its effects can still delay a takeover: a lease, and a node's start.
const AFTERMATH: Duration = Duration::from_secs(4);

/// The injector.
pub struct Injector {
    cluster: Arc<Cluster>,
    record: Arc<Record>,
    /// Hosts whose process a fault concerns.
    busy: Mutex<HashSet<Host>>,
    /// Hosts that are slow.
    slow: Mutex<HashSet<Host>>,
    /// The ways of the network with a condition, and the number of faults that impose it.
    ways: Mutex<HashMap<(&'static str, Host, Host), usize>>,
    hindering: AtomicUsize,
    hindered_until: Mutex<Instant>,
}

/// A host that is busy until this is dropped.
struct Busy<'a>(&'a Injector, Vec<Host>);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        let mut busy = self.0.busy.lock().unwrap();
        for host in &self.1 {
            busy.remove(host);
        }
    }
}

impl Injector {
    pub fn new(cluster: &Arc<Cluster>, record: &Arc<Record>) -> Self {
        Self {
            cluster: Arc::clone(cluster),
            record: Arc::clone(record),
            busy: Mutex::default(),
            slow: Mutex::default(),
            ways: Mutex::default(),
            hindering: AtomicUsize::new(0),
            hindered_until: Mutex::new(Instant::now()),
        }
    }

    /// Injects the faults of a round, and returns when all are over.
    pub fn round(&self, faults: &[Fault]) {
        thread::scope(|scope| {
            for fault in faults {
                scope.spawn(|| {
                    thread::sleep(fault.after);
                    self.inject(fault);
                });
            }
        });
    }

    fn inject(&self, fault: &Fault) {
        let Some((subject, _busy)) = self.subject(fault) else {
            return self.record.note(&format!("{}: there is no subject for it", fault.kind.name()));
        };
        let names: Vec<String> = subject.iter().map(|host| host.name()).collect();
        let what = format!("{} ({}, {:?}, {:?})", fault.kind.name(), names.join(", "), fault.lasts, fault.direction);
        self.record.note(&format!("+ {what}"));
        self.record.count_fault(fault.kind.name());
        let is_hindered =
            self.hindering.load(Ordering::SeqCst) > 0 || Instant::now() < *self.hindered_until.lock().unwrap();
        if fault.kind.hinders_takeovers() {
            self.record.hinder_takeovers();
            self.hindering.fetch_add(1, Ordering::SeqCst);
        }
        if fault.kind.loses_writer() {
            self.record.lose_writer(fault.kind.name(), is_hindered);
        }
        self.impose(fault, &subject);
        if fault.kind.hinders_takeovers() {
            self.hindering.fetch_sub(1, Ordering::SeqCst);
            *self.hindered_until.lock().unwrap() = Instant::now() + AFTERMATH;
        }
        self.record.note(&format!("- {what}"));
    }

    /// The hosts that a fault concerns: those whose process it concerns are busy until the second part is dropped.
    fn subject(&self, fault: &Fault) -> Option<(Vec<Host>, Busy<'_>)> {
        let began_at = Instant::now();
        while began_at.elapsed() < SUBJECT_MAX {
            let hosts = self.candidates(fault);
            let claimed = match fault.kind {
                // The roles of the two servers stay as they are.
                Kind::KillPrimary
                | Kind::FreezePrimary
                | Kind::PromoteStandby
                | Kind::KillStandby
                | Kind::FreezeStandby => vec![Host::Database(0), Host::Database(1)],
                Kind::KillWriter
                | Kind::KillFollower
                | Kind::FreezeWriter
                | Kind::FreezeFollower
                | Kind::StopWriter
                | Kind::StopFollower
                | Kind::KillNats
                | Kind::FreezeNats
                | Kind::KillSigner => hosts.clone(),
                _ => Vec::new(),
            };
            let mut busy = self.busy.lock().unwrap();
            if !hosts.is_empty() && !claimed.iter().any(|host| busy.contains(host)) {
                busy.extend(claimed.iter().copied());
                return Some((hosts, Busy(self, claimed)));
            }
            drop(busy);
            thread::sleep(Duration::from_millis(50));
        }
        None
    }

    fn candidates(&self, fault: &Fault) -> Vec<Host> {
        let databases = &self.cluster.databases;
        let pick = |count: usize| usize::try_from(fault.choice % u64::try_from(count).unwrap()).unwrap();
        let (any, writer) = (pick(NODES), self.cluster.writer());
        let follower = writer.map(|writer| (writer + 1 + pick(NODES - 1)) % NODES);
        let one = |node: Option<usize>| node.map(Host::Node).into_iter().collect::<Vec<_>>();
        match fault.kind {
            Kind::KillWriter | Kind::FreezeWriter | Kind::StopWriter | Kind::CutWriterFromDatabases => one(writer),
            Kind::KillFollower | Kind::FreezeFollower | Kind::StopFollower | Kind::CutFollowerFromDatabases => {
                one(follower)
            }
            Kind::KillNats | Kind::FreezeNats => vec![Host::Nats],
            Kind::KillSigner => vec![Host::Signer],
            Kind::KillPrimary | Kind::FreezePrimary | Kind::PromoteStandby => vec![databases.primary()],
            Kind::KillStandby | Kind::FreezeStandby => vec![databases.standby()],
            Kind::CutNodeFromNats => vec![Host::Node(any)],
            Kind::CutNodes => vec![Host::Node(any), Host::Node((any + 1) % NODES)],
            Kind::CutDatabases => vec![Host::Database(0), Host::Database(1)],
            Kind::SlowHost => {
                // The signer has no link that anything uses: its socket is a file.
                let hosts: Vec<Host> = Host::all().filter(|host| *host != Host::Signer).collect();
                vec![hosts[pick(hosts.len())]]
            }
            Kind::LossyLink => vec![Host::Node(any), databases.primary()],
        }
    }

    fn impose(&self, fault: &Fault, subject: &[Host]) {
        let (cluster, databases) = (&self.cluster, &self.cluster.databases);
        let wait = || thread::sleep(fault.lasts);
        match (fault.kind, subject) {
            (Kind::KillWriter | Kind::KillFollower, [Host::Node(node)]) => {
                cluster.kill_node(*node);
                wait();
                cluster.start_node(*node);
            }
            (Kind::FreezeWriter | Kind::FreezeFollower, [Host::Node(node)]) => {
                cluster.node(*node, HostProcess::freeze);
                wait();
                cluster.node(*node, HostProcess::thaw);
            }
            (Kind::StopWriter | Kind::StopFollower, [Host::Node(node)]) => {
                if !cluster.stop_node(*node) {
                    self.record.violation(&format!("node{node} does not stop"));
                }
                wait();
                cluster.start_node(*node);
            }
            (Kind::KillNats, _) => {
                cluster.kill_nats();
                wait();
                cluster.start_nats();
            }
            (Kind::FreezeNats, _) => {
                cluster.signal_nats(Signal::STOP);
                wait();
                cluster.signal_nats(Signal::CONT);
            }
            (Kind::KillSigner, _) => {
                cluster.kill_signer();
                wait();
                cluster.start_signer();
            }
            (Kind::KillPrimary | Kind::KillStandby, [host]) => {
                databases.process(*host, HostProcess::kill);
                wait();
                databases.restart(*host);
            }
            (Kind::FreezePrimary | Kind::FreezeStandby, [host]) => {
                databases.process(*host, |process| process.freeze());
                wait();
                databases.process(*host, |process| process.thaw());
            }
            (Kind::PromoteStandby, [host]) => self.promote(fault, *host),
            (Kind::CutWriterFromDatabases | Kind::CutFollowerFromDatabases, [node]) => {
                let cut = [(*node, Host::Database(0)), (*node, Host::Database(1))];
                self.with_condition(Condition::Cut, fault, &cut);
            }
            (Kind::CutNodeFromNats, [node]) => self.with_condition(Condition::Cut, fault, &[(*node, Host::Nats)]),
            (Kind::CutNodes | Kind::CutDatabases, [one, other]) => {
                self.with_condition(Condition::Cut, fault, &[(*one, *other)]);
            }
            (Kind::LossyLink, [one, other]) => self.with_condition(Condition::Lossy, fault, &[(*one, *other)]),
            (Kind::SlowHost, [host]) => {
                if self.slow.lock().unwrap().insert(*host) {
                    self.record.note(&format!("{} is slow: {}", host.name(), network::slow_down(*host)));
                    wait();
                    network::speed_up(*host);
                    self.slow.lock().unwrap().remove(host);
                }
            }
            (kind, subject) => panic!("{kind:?} cannot concern {subject:?}"),
        }
    }

    /// Kills the primary, and has the standby take its place; then makes a new standby.
    fn promote(&self, fault: &Fault, primary: Host) {
        let databases = &self.cluster.databases;
        // What the primary answered before is on the standby, and what it showed: an operator promotes no other one.
        if !databases.wait_for_standby() {
            return self.record.note("the standby does not follow, so it is not promoted");
        }
        databases.process(primary, HostProcess::kill);
        thread::sleep(fault.lasts);
        databases.promote_standby();
        databases.rebuild_standby();
    }

    fn with_condition(&self, condition: Condition, fault: &Fault, links: &[(Host, Host)]) {
        let mut ways = Vec::new();
        for (one, other) in links {
            if fault.direction != Direction::Back {
                ways.push((*one, *other));
            }
            if fault.direction != Direction::There {
                ways.push((*other, *one));
            }
        }
        let name = if condition == Condition::Cut { "cut" } else { "lossy" };
        for (from, to) in &ways {
            let mut conditions = self.ways.lock().unwrap();
            let count = conditions.entry((name, *from, *to)).or_default();
            *count += 1;
            if *count == 1 {
                condition.impose(*from, *to);
            }
        }
        thread::sleep(fault.lasts);
        for (from, to) in &ways {
            let mut conditions = self.ways.lock().unwrap();
            let count = conditions.entry((name, *from, *to)).or_default();
            *count -= 1;
            if *count == 0 {
                condition.lift(*from, *to);
            }
        }
    }
}
