//! A run: everything is started, faults come and go while users act, and all is compared.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use testkit::fake_server::FakeServer;
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;

use super::account::{Account, Request};
use super::audit::{Audit, differing_lines};
use super::borrower::Borrower;
use super::cluster::Cluster;
use super::databases::Databases;
use super::fault::Plan;
use super::feed_client::FeedClient;
use super::injector::Injector;
use super::market::{BORROWERS, DEPOSIT_SATS, Market, QUOTERS, VAULT_LENDERS, copy_journal};
use super::network::{Host, NODES};
use super::public_view::PublicView;
use super::quoter::Quoter;
use super::record::{Record, count};
use super::vault_lender::VaultLender;
use super::{enclosure, epochs, network, report};

/// The number of feed clients.
const FEED_CLIENTS: usize = 4;

/// The number of rounds between comparisons of all nodes.
const ROUNDS_PER_COMPARISON: usize = 4;

/// The limit for all nodes and clients to show the same after the last fault.
const AGREE_MAX: Duration = Duration::from_mins(2);

/// The limit of a takeover that no other fault hinders. A lease lasts 3 s; the rest is for a busy machine.
const TAKEOVER_MAX: Duration = Duration::from_secs(30);

const SHOW_EVERY: Duration = Duration::from_secs(1);

/// The distance between the principals of two lenders' first offers.
const PRINCIPALS_EACH: u64 = 60_000;

/// The end of a run.
#[derive(Clone, Copy, Debug)]
pub enum Length {
    /// The end of its time.
    Seconds(u64),
    /// The end of its plan.
    Plan,
}

/// A run.
pub struct Run {
    seed: u64,
    /// Whether the table is written into the page of results.
    pub writes_results: bool,
    record: Arc<Record>,
    audit: Arc<Audit>,
    cluster: Arc<Cluster>,
    runtime: Runtime,
    reader: Account,
    users: Vec<JoinHandle<()>>,
    _chain: Vec<FakeServer>,
}

impl Run {
    /// Starts all processes, signs the users in, and lets them act.
    pub fn start(seed: u64) -> Self {
        enclosure::mount();
        network::create();
        let record = Arc::new(Record::new());
        let folder = Path::new(enclosure::FOLDER).join("seed");
        let market = actix::System::new().block_on(Market::create(&folder));
        let databases = Databases::start(|url| copy_journal(&folder, url));
        let audit = Audit::new(&databases.url(), &record);
        let runtime = Runtime::new().unwrap();
        let entered = runtime.enter();
        let (chains, upstreams): (Vec<_>, Vec<_>) =
            (0..NODES).map(|number| market.serve_chain(Host::Node(number))).unzip();
        drop(entered);
        let cluster = Arc::new(Cluster::start(databases, &upstreams, &record));
        let mut run = Self {
            seed,
            writes_results: false,
            audit,
            cluster,
            reader: runtime.block_on(Account::sign_in(99, seed, &record)),
            runtime,
            record,
            users: Vec::new(),
            _chain: chains.into_iter().flatten().collect(),
        };
        run.start_threads();
        run.start_users(market);
        run
    }

    fn start_threads(&self) {
        let audit = Arc::clone(&self.audit);
        thread::spawn(move || audit.run());
        let cluster = Arc::clone(&self.cluster);
        thread::spawn(move || cluster.supervise());
    }

    /// Signs the users in, and lets them act.
    fn start_users(&mut self, market: Market) {
        let inscriptions = market.inscriptions.clone();
        let record = Arc::clone(&self.record);
        self.users.push(self.runtime.spawn(async move { market.mine(&record).await }));
        let mut principal = 20_000;
        let mut next = || {
            principal += PRINCIPALS_EACH;
            principal
        };
        for wallet in QUOTERS {
            let user = self.user(wallet);
            self.users.push(self.runtime.spawn(Quoter::new(user, next()).run()));
        }
        for wallet in VAULT_LENDERS {
            let user = self.user(wallet);
            let lender = self.runtime.block_on(VaultLender::open(user, next(), DEPOSIT_SATS));
            self.users.push(self.runtime.spawn(lender.run()));
        }
        for (wallet, own) in BORROWERS.zip(inscriptions) {
            let user = self.user(wallet);
            self.users.push(self.runtime.spawn(Borrower::new(user, own).run()));
        }
        for number in 0..FEED_CLIENTS {
            let seed = self.seed.wrapping_add(u64::try_from(1_000 + number).unwrap());
            self.users.push(self.runtime.spawn(FeedClient::new(number, seed, &self.record, &self.audit).run()));
        }
    }

    fn user(&self, wallet: u8) -> Account {
        self.runtime.block_on(Account::sign_in(wallet, self.seed.wrapping_add(u64::from(wallet)), &self.record))
    }

    /// Injects the faults of a plan, compares everything at the end, and fails if anything was found.
    pub fn finish(mut self, plan: Plan, length: Length) {
        let record = Arc::clone(&self.record);
        let (shown, until) = (
            Arc::clone(&record),
            match length {
                Length::Seconds(seconds) => Some(Duration::from_secs(seconds)),
                Length::Plan => None,
            },
        );
        let showing = thread::spawn(move || show(&shown, until));
        self.compare();
        record.is_calm.store(false, Ordering::SeqCst);
        self.inject(plan, until);
        if record.is_sound() {
            self.compare();
        }
        let mut lost = 0;
        if record.is_sound() {
            let before = record.violations().len();
            let replay = self.audit.replay_again();
            lost = record.violations().len() - before;
            self.check_the_rest();
            record.is_over.store(true, Ordering::SeqCst);
            showing.join().unwrap();
            let table = report::table((self.seed, until), &record, &replay, lost);
            println!("\n{table}");
            if self.writes_results && record.is_sound() {
                report::write(&table);
            }
        }
        record.is_over.store(true, Ordering::SeqCst);
        self.give_verdict(lost);
    }

    fn inject(&mut self, mut plan: Plan, until: Option<Duration>) {
        let injector = Injector::new(&self.cluster, &self.record);
        let planned = plan.kinds_to_come();
        let began_at = Instant::now();
        let mut rounds = 0;
        while until.is_none_or(|until| began_at.elapsed() < until) && self.record.is_sound() {
            let Some(faults) = plan.next() else { break };
            injector.round(&faults);
            thread::sleep(plan.pause());
            rounds += 1;
            if rounds % ROUNDS_PER_COMPARISON == 0 {
                self.compare();
                self.record.is_calm.store(false, Ordering::SeqCst);
            }
        }
        let injected = self.record.faults();
        for kind in planned.into_iter().filter(|kind| self.record.is_sound() && !injected.contains_key(kind.name())) {
            self.record.violation(&format!("the plan has \"{}\", and nothing was there for it", kind.name()));
        }
    }

    /// Has all users pause, and waits until every node and every feed client shows what the journal says.
    fn compare(&mut self) {
        self.record.is_calm.store(true, Ordering::SeqCst);
        let began_at = Instant::now();
        if self.users.iter().any(JoinHandle::is_finished) {
            return self.record.violation("a user has ended, for the reason that is printed above");
        }
        if !self.cluster.wait_until_served() || !self.cluster.databases.wait_for_standby() {
            return self.record.violation("the cluster is not whole again after the last fault");
        }
        let mut differing = "the journal is not read".to_owned();
        while self.record.is_sound() {
            if self.audit.wait_for_pass(AGREE_MAX) {
                match self.difference() {
                    None => break,
                    Some(difference) => differing = difference,
                }
            }
            if began_at.elapsed() > AGREE_MAX {
                self.record.violation(&format!("after {AGREE_MAX:?} without faults: {differing}"));
            }
        }
        if self.record.is_sound() {
            self.record.note(&format!("all nodes agree after {:?}", began_at.elapsed()));
            count(&self.record.figures.comparisons);
        }
    }

    /// The first difference between the journal and what is shown, if there is one now.
    fn difference(&self) -> Option<String> {
        let (sequence, view) = self.audit.latest();
        for node in 0..NODES {
            let request = Request::get("/api/v1/collections/g_1/orderbook");
            let answer = self.runtime.block_on(self.reader.attempt_at(node, &request));
            let shown = match answer {
                Some(answer) if answer.is_ok() => {
                    PublicView::of([&answer.body["manualOffers"], &answer.body["instantOrdinalOffers"]]).lines()
                }
                other => return Some(format!("node{node} answers {:?}", other.map(|it| (it.status, it.body)))),
            };
            if shown != view {
                return Some(format!("node{node} differs from the journal: {}", differing_lines(&shown, &view)));
            }
        }
        let late = self.audit.last_seen().into_iter().find(|(_, seen)| *seen != sequence);
        late.map(|(client, seen)| format!("feed client {client} is at {seen}, and the journal at {sequence}"))
    }

    /// Checks the database's own records, every block of the journal, takeovers, and the logs.
    fn check_the_rest(&self) {
        let (epochs, problems) = epochs::check(&self.cluster.databases);
        self.record.note(&format!("{epochs} epochs have commits"));
        for problem in problems {
            self.record.violation(&problem);
        }
        let verified = persistence::verify_postgres(&self.cluster.databases.url().parse().unwrap()).unwrap();
        for problem in verified.problems {
            self.record.violation(&format!("the journal is damaged: {problem}"));
        }
        for takeover in self.record.takeovers().iter().filter(|takeover| !takeover.is_hindered) {
            if takeover.took.is_none_or(|took| took > TAKEOVER_MAX) {
                self.record.violation(&format!("a takeover was too slow: {takeover:?}"));
            }
        }
        for entry in std::fs::read_dir(enclosure::logs()).unwrap().flatten() {
            let text = std::fs::read(entry.path()).unwrap();
            let text = String::from_utf8_lossy(&text);
            if let Some(line) = text.lines().find(|line| line.contains("panicked")) {
                self.record.violation(&format!("{}: {line}", entry.file_name().display()));
            }
        }
    }

    fn give_verdict(self, lost: usize) {
        let violations = self.record.violations();
        for user in &self.users {
            user.abort();
        }
        let notes = self.record.notes().join("\n");
        let folder = enclosure::kept(self.seed);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("faults.log"), &notes).unwrap();
        if violations.is_empty() {
            return;
        }
        enclosure::keep_logs(&folder);
        println!("\n{notes}\n\nseed: LIENBOOK_FAULT_SEED={}\nlogs: {}", self.seed, folder.display());
        panic!("{} violations, {lost} writes lost; the first: {}", violations.len(), violations[0]);
    }
}

fn show(record: &Record, until: Option<Duration>) {
    let mut ticks = 0_u32;
    while !record.is_over.load(Ordering::SeqCst) {
        report::progress(record, until, ticks.is_multiple_of(10));
        ticks += 1;
        thread::sleep(SHOW_EVERY);
    }
}
