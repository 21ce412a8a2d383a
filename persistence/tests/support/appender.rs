//! A process that appends numbered batches from several threads, and prints the answers.

use std::{
    collections::{BTreeSet, HashMap, VecDeque},
    env,
    ffi::OsStr,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
    sync::Mutex,
    thread,
};

use domain::{Stream, UnixMs};
use engine::journal::{Append, AppendError, Batch, Durable, Journal as _};
use persistence::{Options, SledJournal};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};

use crate::numbered::{Numbered, streams};

/// The data folder, in the appending process.
const FOLDER: &str = "LIENBOOK_CRASH_FOLDER";
/// The random seed, the number of the first batch, and that of the last one if there is any, in the appending process.
const CHILD_SEED: &str = "LIENBOOK_CRASH_CHILD_SEED";
const FIRST_BATCH: &str = "LIENBOOK_CRASH_FIRST_BATCH";
const LAST_BATCH: &str = "LIENBOOK_CRASH_LAST_BATCH";

/// The arguments that start the appending process from a test's program, which has a test of this name.
pub(crate) const ARGUMENTS: [&str; 3] = ["--exact", "the_appending_process", "--nocapture"];

/// The line that is printed once the journal is replayed.
pub(crate) const OPEN: &str = "open";

const THREADS: u64 = 4;
const IN_FLIGHT_MAX: usize = 8;

/// The answers that a process printed.
#[derive(Default)]
pub(crate) struct Answers {
    pub(crate) acknowledged: BTreeSet<u64>,
    pub(crate) refused: BTreeSet<u64>,
}

impl Answers {
    /// Adds the answer in a line, if it is one.
    pub(crate) fn read(&mut self, line: &str) {
        match line.split_once(' ') {
            Some(("acknowledged", batch)) => drop(self.acknowledged.insert(batch.parse().unwrap())),
            Some(("refused", batch)) => drop(self.refused.insert(batch.parse().unwrap())),
            _ => {}
        }
    }
}

/// Reads a number from the environment.
pub(crate) fn variable(name: &str) -> Option<u64> {
    env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text}")))
}

/// Returns a command that runs the process, directly or by another program.
pub(crate) fn command(
    program: impl AsRef<OsStr>,
    folder: &Path,
    seed: u64,
    (first, last): (u64, Option<u64>),
) -> Command {
    let mut command = Command::new(program);
    command
        .env(FOLDER, folder)
        .env(CHILD_SEED, seed.to_string())
        .env(FIRST_BATCH, first.to_string())
        .envs(last.map(|last| (LAST_BATCH, last.to_string())))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Is that process, where its folder is given.
pub(crate) fn append_if_asked() {
    let Some(folder) = env::var_os(FOLDER) else { return };
    // The test runner has begun a line of its own.
    print_line("");
    let journal = SledJournal::open(folder, Options::default()).unwrap();
    let mut ends = HashMap::new();
    journal
        .replay_all(|stream, recorded| {
            ends.insert(stream, recorded.sequence);
        })
        .unwrap();
    print_line(OPEN);
    let (next_batch, last_batch) = (variable(FIRST_BATCH).unwrap(), variable(LAST_BATCH).unwrap_or(u64::MAX));
    let shared = Mutex::new(Shared { ends, next_batch, last_batch });
    let seed = variable(CHILD_SEED).unwrap();
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let random = StdRng::seed_from_u64(seed.wrapping_add(thread));
            let (journal, shared) = (&journal, &shared);
            scope.spawn(move || append_until_last(journal, shared, random));
        }
    });
}

struct Shared {
    ends: HashMap<Stream, u64>,
    next_batch: u64,
    last_batch: u64,
}

fn append_until_last(journal: &SledJournal, shared: &Mutex<Shared>, mut random: StdRng) {
    let mut waiting = VecDeque::new();
    loop {
        let appended = append_one(journal, &mut shared.lock().unwrap(), &mut random);
        let keeps = if appended.is_some() { random.random_range(0..IN_FLIGHT_MAX) } else { 0 };
        let is_last = appended.is_none();
        waiting.extend(appended);
        while waiting.len() > keeps {
            let (batch, durable): (u64, Durable) = waiting.pop_front().unwrap();
            match durable.blocking_recv().unwrap() {
                Ok(_) => print_line(&format!("acknowledged {batch}")),
                Err(AppendError::Conflict { .. }) => print_line(&format!("refused {batch}")),
                Err(AppendError::Closed) => return,
            }
        }
        if is_last {
            return;
        }
    }
}

/// Appends a random batch to one to four streams, occasionally with a wrong expected sequence; `None` after the last one.
fn append_one(journal: &SledJournal, shared: &mut Shared, random: &mut StdRng) -> Option<(u64, Durable)> {
    let batch = shared.next_batch;
    if batch > shared.last_batch {
        return None;
    }
    shared.next_batch += 1;
    let mut candidates = streams();
    let mut chosen = Vec::new();
    for _ in 0..random.random_range(1..=4) {
        let stream = candidates.swap_remove(random.random_range(0..candidates.len()));
        let count_max = if random.random_ratio(1, 20) { 400 } else { 6_u32 };
        chosen.push((stream, random.random_range(1..=count_max)));
    }
    let total = chosen.iter().map(|(_, count)| count).sum();
    let is_stale = random.random_ratio(1, 16);
    let mut index = 0;
    let mut appends = Vec::new();
    for (stream, count) in chosen {
        let after = shared.ends.get(&stream).copied().unwrap_or(0);
        let events = (index..index + count).map(|index| Numbered { batch, index, total }.event(stream)).collect();
        index += count;
        if !is_stale {
            shared.ends.insert(stream, after + u64::from(count));
        }
        appends.push(Append { stream, after, events });
    }
    if let Some(last) = appends.last_mut().filter(|_| is_stale) {
        last.after += 1;
    }
    Some((batch, journal.append(Batch { at: UnixMs(batch), appends })))
}

/// Prints with one write, so that lines of several threads are never mixed.
fn print_line(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).unwrap();
}
