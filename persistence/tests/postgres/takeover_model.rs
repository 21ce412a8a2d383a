//! The model of takeovers, replayed on PostgreSQL: paths that take every step of its graph, with the rows compared after each.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use std::{panic, thread};

use domain::UnixMs;
use engine::journal::{Append, Batch, Journal as _, Position, SharedJournal as _};
use model::graph::{Graph, Step};
use model::takeover::database::Database;
use model::takeover::faults::Fault;
use model::takeover::node::{Node, Role};
use model::takeover::{Takeover, TakeoverAction, TakeoverState};
use persistence::{
    BeginError, Claim, Fence, PostgresJournal, Resolution, SynchronousStandbys, WholeJournal as _, WriterLease,
};

use crate::{
    form::{Form as _, LEASE_TTL, PostgresForm},
    load::{Failures, options},
    numbered::{Numbered, streams},
    sql_session::SqlSession,
};

const ALONE: SynchronousStandbys = SynchronousStandbys::NotRequired;
/// The most steps of a path: each begins with empty tables.
const PATH_LENGTH_MAX: usize = 200;
/// The threads that replay paths, each on tables of its own.
const THREADS: usize = 4;
/// The rows of a journal that was never written.
const EMPTY: &str = "DELETE FROM lienbook_block; UPDATE lienbook_writer SET epoch = 0, position = 0; \
    UPDATE lienbook_lease SET epoch = 0, holder = NULL, expires = clock_timestamp()";

/// The cluster in a state of the model.
struct Replay {
    place: PostgresForm,
    session: SqlSession,
    lease: WriterLease,
    /// The journal of each node that has used it since its process began.
    nodes: Vec<Option<Arc<PostgresJournal>>>,
    /// The batches that were sent and have not arrived, each with the journal of the process that sent it.
    sent: BTreeMap<u8, (Arc<PostgresJournal>, Batch)>,
    failures: Failures,
}

impl Replay {
    fn new(nodes: usize) -> Self {
        let (place, failures) = (PostgresForm::empty(), Failures::default());
        let lease = WriterLease::open(&place.address, ALONE, Duration::from_mins(1)).unwrap();
        let session = SqlSession::of(&place);
        Self { place, session, lease, nodes: vec![None; nodes], sent: BTreeMap::new(), failures }
    }

    /// Begins again with an empty journal.
    fn clear(&mut self) {
        self.sent.clear();
        self.nodes.fill(None);
        self.session.run(EMPTY);
    }

    fn node(&mut self, node: usize) -> Arc<PostgresJournal> {
        Arc::clone(self.nodes[node].get_or_insert_with(|| open(&self.place, &self.failures)))
    }

    fn restart(&mut self, node: usize) {
        self.nodes[node] = None;
    }

    /// Takes one step between two states of the model.
    fn take(&mut self, before: &TakeoverState, action: TakeoverAction, after: &TakeoverState) {
        match action {
            TakeoverAction::Expire => {
                let epoch = u64::from(before.database.lease_epoch);
                assert!(self.lease.renew(epoch, Duration::ZERO).unwrap());
            }
            TakeoverAction::Claim { node, .. } => {
                let claim = self.lease.claim(&format!("node-{node}"), "", LEASE_TTL).unwrap();
                let Role::Claimed { epoch, position } = after.nodes[node].role else { panic!("{after:?}") };
                assert_eq!(claim, Some(Claim { epoch: u64::from(epoch), position: u64::from(position) }));
            }
            TakeoverAction::Renew(node) => {
                let epoch = before.nodes[node].epoch().unwrap();
                let renewed = self.lease.renew(u64::from(epoch), LEASE_TTL).unwrap();
                assert_eq!(renewed, after.nodes[node].epoch() == Some(epoch));
                if !renewed {
                    self.restart(node);
                }
            }
            TakeoverAction::Read(node) => {
                let read = self.node(node).read_commits(&mut |_| {}).unwrap();
                assert_eq!(read, Position(u64::from(after.nodes[node].read)));
            }
            TakeoverAction::Begin(node) => {
                let epoch = u64::from(before.nodes[node].epoch().unwrap());
                let begun = self.node(node).begin_writing(epoch);
                if after.nodes[node].is_writing() {
                    begun.unwrap();
                } else {
                    assert!(matches!(begun, Err(BeginError::Deposed { .. })), "{begun:?}");
                    self.restart(node);
                }
            }
            TakeoverAction::Send(node) => {
                let number = before.sent;
                let event = Numbered { batch: u64::from(number), index: 0, total: 1 }.event(streams()[0]);
                let after = u64::from(before.nodes[node].read);
                let appends = vec![Append { stream: streams()[0], after, events: vec![event] }];
                let sender = self.node(node);
                self.sent.insert(number, (sender, Batch { at: UnixMs(1), appends }));
            }
            TakeoverAction::Arrive { number, .. } => self.arrive(before, number, after),
            TakeoverAction::Resolve(node) => self.resolve(before, node, &after.nodes[node]),
            TakeoverAction::Release(node) => {
                let epoch = u64::from(before.nodes[node].epoch().unwrap());
                let is_own = before.database.lease_epoch == before.nodes[node].epoch().unwrap();
                assert_eq!(self.lease.release(epoch, None).unwrap(), is_own);
                self.restart(node);
            }
            TakeoverAction::Crash(node) => self.restart(node),
            TakeoverAction::AskSigner(_) => {}
            TakeoverAction::Replicate | TakeoverAction::Promote => panic!("there is no standby"),
        }
    }

    fn arrive(&mut self, before: &TakeoverState, number: u8, after: &TakeoverState) {
        let (journal, batch) = self.sent.remove(&number).unwrap();
        let answer = journal.append(batch).blocking_recv();
        let is_appended = after.database.commits.len() > before.database.commits.len();
        match answer {
            Ok(Ok(Position(position))) => {
                assert!(is_appended, "PostgreSQL appends this: {before:?}");
                assert_eq!(position, u64::from(after.database.position()));
            }
            Ok(Err(_)) | Err(_) => assert!(!is_appended, "PostgreSQL does not append this: {before:?}"),
        }
    }

    /// The outcome of a commit without an answer, as the writer's row decides it.
    fn resolve(&mut self, before: &TakeoverState, node: usize, after: &Node) {
        let (row, waiting) = (self.lease.observe().unwrap(), before.nodes[node].waiting.unwrap());
        let is_own = row.epoch == u64::from(waiting.commit.epoch);
        let fence = if is_own { Fence::Held(row.position) } else { Fence::Lost };
        let resolution = Resolution::of(u64::from(waiting.after) + 1, fence);
        match resolution {
            Resolution::Committed => assert_eq!(after.waiting, None),
            Resolution::SendAgain => assert_eq!(after.waiting, Some(waiting)),
            Resolution::Elsewhere { .. } | Resolution::Deposed => {
                assert_eq!(*after, Node::default(), "{resolution:?}");
                self.restart(node);
            }
        }
    }

    fn compare(&self, expected: &Database) {
        let row = self.lease.observe().unwrap();
        let found = (row.epoch, row.holder.is_some(), !row.is_expired(), row.position);
        let Database { lease_epoch, holder, is_valid, commits, .. } = expected;
        assert_eq!(
            found,
            (u64::from(*lease_epoch), holder.is_some(), *is_valid, u64::try_from(commits.len()).unwrap())
        );
    }

    /// The numbers of the commits in the journal, in order.
    fn commits(&self) -> Vec<u64> {
        let mut numbers = Vec::new();
        let journal = open(&self.place, &self.failures);
        let read = journal.read_events(streams()[0], 0, u64::MAX, &mut |recorded| {
            numbers.push(Numbered::of(&recorded.event).batch);
        });
        read.unwrap();
        numbers
    }
}

fn open(place: &PostgresForm, failures: &Failures) -> Arc<PostgresJournal> {
    Arc::new(PostgresJournal::open(&place.address, options(ALONE, failures)).unwrap())
}

const MODEL: Takeover =
    Takeover { nodes: 2, epochs_max: 2, commits_max: 2, is_lossy: false, crashes: false, signs: false, fault: None };

#[test]
fn postgresql_takes_every_step_of_takeovers_between_two_nodes() {
    replay(&MODEL);
    replay(&Takeover { epochs_max: 1, commits_max: 1, crashes: true, ..MODEL });
}

#[test]
#[should_panic(expected = "PostgreSQL does not append")]
fn a_model_without_the_fence_is_not_postgresql() {
    replay(&Takeover { commits_max: 1, fault: Some(Fault::AppendsIgnoreEpochs), ..MODEL });
}

fn replay(model: &Takeover) {
    let graph = Graph::explore(model);
    let paths = graph.covering_paths(PATH_LENGTH_MAX);
    // Most of the time is spent waiting for the disk.
    thread::scope(|scope| {
        let parts = paths.chunks(paths.len().div_ceil(THREADS));
        let running: Vec<_> = parts.map(|part| scope.spawn(|| replay_paths(&graph, model.nodes, part))).collect();
        for thread in running {
            thread.join().unwrap_or_else(|panicked| panic::resume_unwind(panicked));
        }
    });
    println!(
        "takeover: {} states, {} steps, all taken on PostgreSQL by {} paths of {} steps",
        graph.states_count(),
        graph.steps_count(),
        paths.len(),
        paths.iter().map(Vec::len).sum::<usize>()
    );
}

fn replay_paths(graph: &Graph<Takeover>, nodes: usize, paths: &[Vec<Step<TakeoverAction>>]) {
    let mut replay = Replay::new(nodes);
    for path in paths {
        replay.clear();
        let mut at = 0;
        for (place, Step { action, to }) in path.iter().enumerate() {
            let _shown = Shown(path[..=place].iter().map(|step| step.action).collect());
            replay.take(graph.state(at), *action, graph.state(*to));
            replay.compare(&graph.state(*to).database);
            at = *to;
        }
        let expected: Vec<u64> = graph.state(at).database.commits.iter().map(|it| u64::from(it.number)).collect();
        assert_eq!(replay.commits(), expected, "{path:?}");
    }
}

/// The path so far, printed when a comparison fails.
struct Shown(Vec<TakeoverAction>);

impl Drop for Shown {
    fn drop(&mut self) {
        if thread::panicking() {
            println!("after {:?}", self.0);
        }
    }
}
