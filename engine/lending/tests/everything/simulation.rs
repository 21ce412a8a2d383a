//! The randomized run: concurrent clients, and the server that they use.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use bitcoin::hashes::{Hash as _, HashEngine as _, sha256};
use engine::chain::Chain as _;
use engine::clock::Clock as _;
use lending::chain_watch::loan_watch::LoanWatchState;
use lending::instant_offers::reconcile::ReconcilePass;
use lending::instant_offers::service::InstantOfferState;
use lending::vaults::vault_watch::VaultWatch;
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;
use tokio::task::JoinHandle;

use crate::event_counts::EventCounts;
use crate::kit::faults::{Faults, FlakyCalls};
use crate::kit::ports::WorldPorts;
use crate::kit::randomness::Randomness;
use crate::kit::world::{START_S, World};
use crate::memory::{Fact, LastingAnswer, Memory};
use crate::participants::Participants;
use crate::plan::{Element, Plan};
use crate::request::{Answer, Request};

/// The number of concurrent clients.
const CLIENTS: usize = 10;
/// Of the calls to a port that fail in the worst phases, those that do in phases that take turns, in percent.
const FLAKY_PERCENT: [u16; 4] = [0, 25, 5, 100];
/// The parts of a phase that draw from generators of their own, beside the clients.
const OF_THE_PHASE: u64 = u64::MAX;
const OF_THE_DISK: u64 = u64::MAX - 1;
/// The average number of actions between two interruptions.
const ACTS_PER_PHASE: u64 = 220;

/// The server's process: all state that is lost in a crash.
pub(crate) struct Server {
    pub(crate) world: World,
    pub(crate) watch_state: LoanWatchState,
    pub(crate) vaults: VaultWatch<WorldPorts>,
    pub(crate) quotes: InstantOfferState,
}

impl Server {
    pub(crate) fn of(world: World) -> Rc<Self> {
        let vaults = VaultWatch::new(world.service.clone());
        Rc::new(Self { world, watch_state: LoanWatchState::default(), vaults, quotes: InstantOfferState::default() })
    }
}

/// State shared by all clients.
pub(crate) struct SharedState {
    pub(crate) participants: Participants,
    pub(crate) memory: RefCell<Memory>,
    pub(crate) event_counts: RefCell<EventCounts>,
    pub(crate) plan: Rc<Plan>,
    server: RefCell<Rc<Server>>,
    /// The unanswered request of each client.
    asking: RefCell<Vec<Option<Request>>>,
    done: Cell<u64>,
    /// Whether clients begin nothing new.
    is_pausing: Cell<bool>,
}

/// A run.
pub(crate) struct Simulation {
    pub(crate) shared: Rc<SharedState>,
    pub(crate) rng: ChaCha8Rng,
    phases: u64,
    clients: Vec<JoinHandle<()>>,
    disk: Option<JoinHandle<()>>,
}

impl SharedState {
    pub(crate) fn server(&self) -> Rc<Server> {
        Rc::clone(&self.server.borrow())
    }

    pub(crate) fn replace_server(&self, server: Rc<Server>) -> Rc<Server> {
        self.server.replace(server)
    }

    pub(crate) fn count(&self, what: impl Into<String>) {
        self.event_counts.borrow_mut().count(what);
    }

    /// Counts an action. A run of which parts are left out prints what remains.
    #[allow(clippy::print_stdout, reason = "what remains of a shrunk run is read by people")]
    pub(crate) fn did(&self, what: impl Into<String>) {
        let what = what.into();
        if self.plan.is_part() {
            println!("{what}");
        }
        self.count(what);
        self.did_nothing();
    }

    /// Counts an action that is left out.
    fn did_nothing(&self) {
        self.done.set(self.done.get() + 1);
    }

    /// The number of actions so far.
    pub(crate) fn done(&self) -> u64 {
        self.done.get()
    }

    pub(crate) fn unanswered(&self, client: usize) -> Option<Request> {
        self.asking.borrow_mut()[client].take()
    }

    /// Sends a request. If the client is aborted meanwhile, the request stays recorded as unanswered.
    pub(crate) async fn ask(&self, client: usize, request: Request) -> Option<Answer> {
        let (server, name) = (self.server(), request.name());
        self.asking.borrow_mut()[client] = Some(request.clone());
        let answer = request.clone().send(&server.world, &server.quotes, &self.participants).await;
        self.asking.borrow_mut()[client] = None;
        match answer {
            Ok(answer) => {
                self.did(format!("{name}: done"));
                self.note(request, &answer);
                Some(answer)
            }
            Err(why) => {
                self.did(format!("{name}: {why}"));
                None
            }
        }
    }

    /// Records an acknowledged answer.
    fn note(&self, request: Request, answer: &Answer) {
        let mut memory = self.memory.borrow_mut();
        let facts = facts(&request, answer);
        memory.facts.extend(facts);
        memory.remember(request, answer.lasting());
    }

    /// Repeats a request that was answered before.
    pub(crate) async fn ask_again(&self, client: usize, request: Request, before: Option<LastingAnswer>) {
        let name = request.name();
        let answer = self.ask(client, request).await;
        self.count(format!("again {name}: {}", if answer.is_some() { "done" } else { "refused" }));
        // A message is used once: what is repeated may be refused, and never has a second effect.
        if let (Some(now), Some(before)) = (answer.and_then(|answer| answer.lasting()), before) {
            assert_eq!(now, before, "the same {name} has another answer");
        }
    }
}

/// Returns the permanent facts in an answer.
fn facts(request: &Request, answer: &Answer) -> Vec<Fact> {
    match (request, answer) {
        (Request::Quote { replaces, .. }, Answer::Offer(id)) => {
            let gone = replaces.map(Fact::Cancelled);
            gone.into_iter().chain([Fact::Quoted(*id)]).collect()
        }
        (Request::Cancel { offer, .. }, Answer::Done) => vec![Fact::Cancelled(*offer)],
        (Request::Prepare { .. }, Answer::Handout(handout)) => vec![Fact::Prepared(handout.loan)],
        (Request::Sign { loan, is_instant: false, .. }, Answer::Sent(_)) => vec![Fact::Accepted(*loan)],
        (Request::Sign { loan, .. } | Request::Countersign { loan, .. }, Answer::Sent(txid)) => {
            vec![Fact::Originated(*loan, *txid)]
        }
        (Request::GiveUp { loan, .. } | Request::Refuse { loan, .. }, Answer::Done) => vec![Fact::GivenUp(*loan)],
        (Request::Repay { loans, .. }, Answer::Sent(txid)) => {
            loans.iter().map(|loan| Fact::Ending(*loan, *txid)).collect()
        }
        (Request::Claim { loan, .. }, Answer::Sent(txid)) => vec![Fact::Ending(*loan, *txid)],
        (Request::Withdraw { order, .. }, Answer::Sent(txid)) => vec![Fact::Withdrawn(order.nonce_use.nonce, *txid)],
        _ => Vec::new(),
    }
}

impl Simulation {
    pub(crate) async fn new(plan: Rc<Plan>) -> Self {
        let seed = plan.seed;
        // Every other seed has vaults that several signers share.
        let signers = if seed.is_multiple_of(2) { (1, 1) } else { (2, 3) };
        let (world, participants) = Participants::assemble(signers, seed).await;
        let server = Server::of(world);
        server.vaults.round().await.unwrap();
        let shared = SharedState {
            participants,
            memory: RefCell::default(),
            event_counts: RefCell::default(),
            plan: Rc::clone(&plan),
            server: RefCell::new(server),
            asking: RefCell::new(vec![None; CLIENTS]),
            done: Cell::new(0),
            is_pausing: Cell::new(false),
        };
        let rng = plan.rng(0, OF_THE_PHASE, 0);
        Self { shared: Rc::new(shared), rng, phases: 0, clients: Vec::new(), disk: None }
    }

    /// Returns the number of calls with a random fault, and the simulated time in hours.
    pub(crate) fn faults_and_hours(&self) -> (u64, u64) {
        let world = &self.shared.server().world;
        let since_ms = world.clock.now().0 - u64::from(START_S) * 1_000;
        (world.faults.injected(), since_ms / 3_600_000)
    }

    /// Returns a hash of everything that was decided and mined.
    pub(crate) async fn fingerprint(&self) -> sha256::Hash {
        let world = &self.shared.server().world;
        let mut engine = sha256::Hash::engine();
        world.journal.each_batch(|batch| engine.input(format!("{batch:?}").as_bytes()));
        engine.input(world.chain.tip().await.unwrap().hash.as_byte_array());
        sha256::Hash::from_engine(engine)
    }

    pub(crate) fn event_counts(&self) -> EventCounts {
        self.shared.event_counts.borrow().clone()
    }

    /// Runs clients until enough actions are done, with crashes and checks in between.
    pub(crate) async fn run(&mut self) {
        let plan = Rc::clone(&self.shared.plan);
        while self.shared.done() < plan.acts {
            self.begin_phase();
            let until = self.shared.done() + self.rng.random_range(ACTS_PER_PHASE / 2..ACTS_PER_PHASE * 3 / 2);
            self.until(until.min(plan.acts)).await;
            // In turns, so that both happen often enough.
            if !self.phases.is_multiple_of(3) && plan.includes(Element::Crash { phase: self.phases }) {
                self.crash().await;
            } else {
                self.pause().await;
                self.check().await;
            }
        }
        self.settle().await;
        self.end_all_loans().await;
    }

    fn begin_phase(&mut self) {
        self.phases += 1;
        let (plan, phase) = (Rc::clone(&self.shared.plan), self.phases);
        self.rng = plan.rng(phase, OF_THE_PHASE, 0);
        self.shared.is_pausing.set(false);
        let world = &self.shared.server().world;
        world.journal.hold();
        // In some phases any call may fail, in some of these many do.
        let percent = FLAKY_PERCENT[usize::try_from(phase).unwrap() % FLAKY_PERCENT.len()];
        let per_mille = u16::try_from(u32::from(plan.flaky_per_mille) * u32::from(percent) / 100).unwrap();
        if per_mille == 0 || plan.includes(Element::FlakyCalls { phase }) {
            let randomness = Randomness::of(plan.seed.rotate_left(32) ^ phase);
            world.faults.lock().flaky = Some(FlakyCalls { randomness, per_mille });
        }
        self.clients.clear();
        for client in 0..CLIENTS {
            self.clients.push(actix::spawn(act_on(Rc::clone(&self.shared), phase, client)));
        }
        let (journal, mut rng) = (world.journal.clone(), plan.rng(phase, OF_THE_DISK, 0));
        self.disk = Some(actix::spawn(async move {
            loop {
                let waiting = journal.waiting();
                if waiting > 0 {
                    journal.let_go(rng.random_range(1..=waiting));
                }
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        }));
    }

    /// Waits until this number of actions is done.
    async fn until(&mut self, acts: u64) {
        let mut idle = 0;
        let mut before = self.shared.done();
        while self.shared.done() < acts && idle < 10_000 {
            tokio::time::sleep(Duration::from_millis(1)).await;
            let now = self.shared.done();
            idle = if now == before { idle + 1 } else { 0 };
            before = now;
            // A panic of a client ends the run.
            for client in &mut self.clients {
                if client.is_finished() {
                    client.await.unwrap();
                    panic!("a client left");
                }
            }
        }
        assert!(idle < 10_000, "all clients are stuck: {:?}", self.shared.asking.borrow());
    }

    /// Lets all clients finish their action, and writes the whole journal.
    pub(crate) async fn pause(&mut self) {
        self.shared.is_pausing.set(true);
        *self.shared.server().world.faults.lock() = Faults::default();
        for client in self.clients.drain(..) {
            client.await.unwrap();
        }
        self.stop_disk();
        self.shared.server().world.journal.let_all_go();
    }

    /// Stops making batches durable.
    pub(crate) fn stop_disk(&mut self) {
        if let Some(disk) = self.disk.take() {
            disk.abort();
        }
    }

    /// Aborts all clients wherever they are.
    pub(crate) async fn abort_clients(&mut self) {
        self.stop_disk();
        for client in &self.clients {
            client.abort();
        }
        for client in self.clients.drain(..) {
            let ended = client.await;
            assert!(ended.is_err_and(|error| error.is_cancelled()), "a client ended by itself");
        }
    }

    /// Runs the server's watches until nothing changes any more.
    pub(crate) async fn run_watches(&self) {
        let server = self.shared.server();
        for _ in 0..12 {
            let before = server.world.journal.durable();
            let unclear = server.world.service.watch_loans_once(&server.watch_state).await.unwrap();
            assert!(unclear.is_empty(), "{unclear:?}");
            let round = server.vaults.round().await.unwrap();
            assert_eq!(round.failed, []);
            // One that continued a round which ended early has seen a part of the vaults only.
            if server.world.journal.durable() == before && !round.is_continued {
                return;
            }
        }
        panic!("the watches never settle");
    }

    /// Runs the startup reconciliation.
    pub(crate) async fn reconcile(&self) {
        let server = self.shared.server();
        let (market, signer) =
            (&server.world.service.market, lending::lookups::ports::Ports::signer(&*server.world.service.ports));
        let quotes = lending::instant_offers::service::InstantOffers { market, signer, state: &server.quotes };
        let repaired = quotes.reconcile(ReconcilePass::Startup).await.unwrap();
        for one in repaired {
            self.shared.count(format!("reconciled: {:?}", one.repair));
        }
    }
}

/// A client: repeats its unanswered request, then performs one action after another.
async fn act_on(shared: Rc<SharedState>, phase: u64, client: usize) {
    if let Some(request) = shared.unanswered(client) {
        shared.count("asked again after a crash");
        shared.ask(client, request).await;
    }
    for number in 0.. {
        if shared.is_pausing.get() {
            return;
        }
        let place = u64::try_from(client).unwrap();
        let mut rng = shared.plan.rng(phase, place, number);
        let rests_ms = rng.random_range(1..4);
        if shared.plan.includes(Element::Action { phase, client: place, number }) {
            shared.act(client, &mut rng).await;
        } else {
            shared.did_nothing();
        }
        // Virtual time passes only while all tasks wait.
        tokio::time::sleep(Duration::from_millis(rests_ms)).await;
    }
}
