//! The audit: it reads the journal over a connection of its own, and compares it with what was acknowledged and shown.

use std::collections::{HashMap, VecDeque};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use engine::journal::SharedJournal as _;
use persistence::{PostgresAddress, PostgresJournal, PostgresOptions, WholeJournal as _};

use super::record::{Record, count};
use super::replay::Replay;

/// The maximum number of views that wait for the journal.
const SEEN_MAX: usize = 20_000;

const AUDIT_EVERY: Duration = Duration::from_millis(150);

/// The book as a client saw it.
#[derive(Clone, Debug)]
pub struct Seen {
    pub client: usize,
    pub node: usize,
    pub sequence: u64,
    pub view: String,
}

/// The audit. It runs in a thread of its own until the run is over.
pub struct Audit {
    record: Arc<Record>,
    url: String,
    replay: Mutex<Replay>,
    seen: Mutex<VecDeque<Seen>>,
    /// The last sequence that each client has seen.
    last_seen: Mutex<HashMap<usize, u64>>,
    /// The number of complete passes.
    passes: AtomicU64,
}

impl Audit {
    pub fn new(url: &str, record: &Arc<Record>) -> Arc<Self> {
        Arc::new(Self {
            record: Arc::clone(record),
            url: url.to_owned(),
            replay: Mutex::default(),
            seen: Mutex::default(),
            last_seen: Mutex::default(),
            passes: AtomicU64::new(0),
        })
    }

    fn open(&self) -> PostgresJournal {
        let address: PostgresAddress = self.url.parse().unwrap();
        PostgresJournal::open_existing(&address, PostgresOptions::default()).unwrap()
    }

    /// Takes the view of a client.
    pub fn see(&self, seen: Seen) {
        self.last_seen.lock().unwrap().insert(seen.client, seen.sequence);
        let mut waiting = self.seen.lock().unwrap();
        if waiting.len() < SEEN_MAX {
            waiting.push_back(seen);
        }
    }

    /// Reads and compares until the run is over.
    pub fn run(&self) {
        let journal = self.open();
        let begun = journal.replay_whole(&mut |stream, recorded| {
            self.take(stream, &recorded);
            ControlFlow::Continue(())
        });
        if let Err(error) = begun {
            return self.record.violation(&format!("the journal cannot be read: {error}"));
        }
        let mut checked = 0;
        while !self.record.is_over.load(Ordering::SeqCst) {
            let outcomes = self.record.outcomes_from(checked);
            let read = journal.read_commits(&mut |commit| {
                for append in commit.appends {
                    for recorded in &append.events {
                        self.take(append.stream, recorded);
                    }
                }
            });
            match read {
                Ok(_) => {
                    let replay = self.replay.lock().unwrap();
                    for problem in outcomes.iter().filter_map(|outcome| replay.check_outcome(outcome).err()) {
                        self.record.violation(&problem);
                    }
                    if let Err(problem) = replay.check_book() {
                        self.record.violation(&problem);
                    }
                    checked += outcomes.len();
                    drop(replay);
                    self.compare_views();
                    self.passes.fetch_add(1, Ordering::SeqCst);
                }
                // The database is away.
                Err(engine::journal::ReplayError::Storage(_)) => {}
                Err(damaged) => return self.record.violation(&format!("the journal is damaged: {damaged}")),
            }
            thread::sleep(AUDIT_EVERY);
        }
    }

    fn take(&self, stream: domain::Stream, recorded: &engine::journal::Recorded) {
        if let Err(problem) = self.replay.lock().unwrap().apply(stream, recorded) {
            self.record.violation(&format!("{problem} ({stream:?} {})", recorded.sequence));
        }
    }

    /// Compares the views of clients with the replay at the same sequence. A view from after it is that of a commit that
    /// was made meanwhile.
    fn compare_views(&self) {
        let replay = self.replay.lock().unwrap();
        let mut waiting = self.seen.lock().unwrap();
        let mut early = VecDeque::new();
        while let Some(seen) = waiting.pop_front() {
            if seen.sequence > replay.book_sequence() {
                early.push_back(seen);
            } else if let Some(view) = replay.view_at(seen.sequence) {
                count(&self.record.figures.views);
                if seen.view != view {
                    let Seen { client, node, sequence, view: shown } = seen;
                    let differing = differing_lines(&shown, view);
                    self.record.violation(&format!(
                        "feed client {client} at node{node} differs from the journal at {sequence}: {differing}"
                    ));
                }
            }
        }
        *waiting = early;
    }

    /// Waits for a pass that began after this call; returns whether there was one in time.
    pub fn wait_for_pass(&self, limit: Duration) -> bool {
        let (before, started_at) = (self.passes.load(Ordering::SeqCst), Instant::now());
        while self.passes.load(Ordering::SeqCst) < before + 2 {
            if started_at.elapsed() > limit || !self.record.is_sound() {
                return false;
            }
            thread::sleep(Duration::from_millis(20));
        }
        true
    }

    /// The view of the book at the end of the journal, and its sequence.
    pub fn latest(&self) -> (u64, String) {
        let replay = self.replay.lock().unwrap();
        let sequence = replay.book_sequence();
        (sequence, replay.view_at(sequence).unwrap_or_default().to_owned())
    }

    /// The last sequence that each client has seen.
    pub fn last_seen(&self) -> HashMap<usize, u64> {
        self.last_seen.lock().unwrap().clone()
    }

    /// Replays the whole journal again, and checks every outcome against it; returns the replay.
    pub fn replay_again(&self) -> Replay {
        let (outcomes, (sequence, view)) = (self.record.outcomes_from(0), self.latest());
        let (journal, mut replay) = (self.open(), Replay::default());
        let mut problems = Vec::new();
        let read = journal.replay_whole(&mut |stream, recorded| {
            // The order of streams is not that of the commits, so only what a stream has by itself is checked.
            if matches!(stream, domain::Stream::Listings | domain::Stream::Book(_) | domain::Stream::Loan(_)) {
                problems.extend(replay.apply_alone(stream, &recorded).err());
            }
            ControlFlow::Continue(())
        });
        problems.extend(read.err().map(|error| error.to_string()));
        problems.extend(outcomes.iter().filter_map(|outcome| replay.check_outcome(outcome).err()));
        if replay.view_at(sequence) != Some(view.as_str()) {
            problems.push("a replay from the first event differs from the one that followed the journal".to_owned());
        }
        for problem in problems {
            self.record.violation(&problem);
        }
        replay
    }
}

/// The lines that only one of two texts has.
pub fn differing_lines(shown: &str, expected: &str) -> String {
    let only = |one: &str, other: &str| -> Vec<String> {
        let other: std::collections::HashSet<&str> = other.lines().collect();
        one.lines().filter(|line| !other.contains(line)).take(5).map(str::to_owned).collect()
    };
    format!("shown {:?}, expected {:?}", only(shown, expected), only(expected, shown))
}
