//! Crash tests: killed at any moment, the journal keeps every acknowledged batch, and no partial one.
//!
//! The killed process is this test itself, started again with [`CHILD_FOLDER`] set.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed, which is what it is for")]

#[path = "support/numbered.rs"]
mod numbered;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    env,
    ffi::OsStr,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, Command, Stdio},
    sync::{Mutex, mpsc},
    thread,
    time::Duration,
};

use domain::{Stream, UnixMs};
use engine::journal::{Append, AppendError, Batch, Durable, Journal as _};
use numbered::{Numbered, streams};
use persistence::{EXIT_STATUS_STORAGE_FAILED, Options, SledJournal, verify};
use rand::{Rng as _, RngExt as _, SeedableRng as _, rngs::StdRng};

/// The data folder, in the process that will be killed.
const CHILD_FOLDER: &str = "LIENBOOK_CRASH_FOLDER";
/// The random seed, and the number of the first batch, in the process that will be killed.
const CHILD_SEED: &str = "LIENBOOK_CRASH_CHILD_SEED";
const CHILD_FIRST_BATCH: &str = "LIENBOOK_CRASH_FIRST_BATCH";
/// The variable that repeats a run: the seed that it printed.
const SEED: &str = "LIENBOOK_CRASH_SEED";
/// The number of kills.
const KILLS: &str = "LIENBOOK_CRASH_KILLS";

const CHILD_ARGUMENTS: [&str; 3] = ["--exact", "the_process_that_is_killed", "--nocapture"];

/// The line that the child prints once it has replayed the journal.
const OPEN: &str = "open";
const OPEN_TIMEOUT: Duration = Duration::from_mins(1);

const KILLS_DEFAULT: u64 = 220;
const KILLS_PER_FOLDER: u64 = 20;
const THREADS: u64 = 4;
const IN_FLIGHT_MAX: usize = 8;

fn variable(name: &str) -> Option<u64> {
    env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text}")))
}

/// The output of the killed process.
#[derive(Default)]
struct ChildOutput {
    acknowledged: BTreeSet<u64>,
    refused: BTreeSet<u64>,
}

#[test]
fn every_acknowledged_batch_survives_every_kill_completely() {
    let seed = variable(SEED).unwrap_or_else(|| rand::rng().next_u64());
    let kills = variable(KILLS).unwrap_or(KILLS_DEFAULT);
    println!("{SEED}={seed} {KILLS}={kills}");
    let mut random = StdRng::seed_from_u64(seed);
    let mut folder = tempfile::tempdir().unwrap();
    let (mut acknowledged, mut refused) = (BTreeSet::new(), BTreeSet::new());
    let (mut batches, mut answered, mut unacknowledged) = (0, 0, 0);
    for kill in 0..kills {
        if kill % KILLS_PER_FOLDER == 0 {
            batches += count(&acknowledged);
            folder = tempfile::tempdir().unwrap();
            (acknowledged, refused) = (BTreeSet::new(), BTreeSet::new());
        }
        let reported = run_and_kill(folder.path(), &mut random, (kill + 1) << 32);
        answered += u64::from(!reported.acknowledged.is_empty());
        acknowledged.extend(reported.acknowledged);
        refused.extend(reported.refused);
        let survived = survivors(folder.path());
        assert_eq!(
            acknowledged.difference(&survived).collect::<Vec<_>>(),
            [&0; 0],
            "acknowledged, but lost at kill {kill}"
        );
        assert_eq!(refused.intersection(&survived).collect::<Vec<_>>(), [&0; 0], "refused, but written at kill {kill}");
        unacknowledged = count(&survived) - count(&acknowledged);
    }
    batches += count(&acknowledged);
    println!(
        "{kills} kills, {answered} of them after the first answer: {batches} acknowledged batches, all present; {unacknowledged} more in the last folder"
    );
    assert!(answered > kills / 4, "most processes were killed before their first answer: {answered} of {kills}");
}

#[test]
fn a_full_disk_ends_the_process_and_keeps_acknowledged_batches() {
    let folder = tempfile::tempdir().unwrap();
    // A file size limit simulates the full disk. The signal must be ignored for the write to fail as on a disk.
    let mut child = command("sh", folder.path(), 1, 1)
        .args(["-c", "trap '' XFSZ; ulimit -f 4096; exec \"$0\" \"$@\""])
        .arg(env::current_exe().unwrap())
        .args(CHILD_ARGUMENTS)
        .spawn()
        .unwrap();
    let (listener, _open) = listen(&mut child);
    let output = child.wait_with_output().unwrap();
    let reported = listener.join().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(EXIT_STATUS_STORAGE_FAILED), "{stderr}");
    assert!(stderr.starts_with("lienbook: cannot ") && stderr.lines().count() == 1, "{stderr}");
    let survived = survivors(folder.path());
    assert!(!reported.acknowledged.is_empty());
    assert_eq!(reported.acknowledged.difference(&survived).collect::<Vec<_>>(), [&0; 0], "acknowledged, but lost");
}

fn count(batches: &BTreeSet<u64>) -> u64 {
    u64::try_from(batches.len()).unwrap()
}

fn run_and_kill(folder: &Path, random: &mut StdRng, first_batch: u64) -> ChildOutput {
    let program = env::current_exe().unwrap();
    let mut child = command(&program, folder, random.next_u64(), first_batch).args(CHILD_ARGUMENTS).spawn().unwrap();
    let (listener, open) = listen(&mut child);
    // A third of the kills come at any time, often while the journal is being created or opened.
    if random.random_ratio(2, 3) {
        open.recv_timeout(OPEN_TIMEOUT).unwrap();
    }
    thread::sleep(Duration::from_micros(random.random_range(0..50_000)));
    child.kill().unwrap();
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    let failed = stderr.contains("panicked") || stderr.contains("lienbook:");
    assert!(!failed, "it failed before it was killed:\n{stderr}");
    listener.join().unwrap()
}

fn command(program: impl AsRef<OsStr>, folder: &Path, seed: u64, first_batch: u64) -> Command {
    let mut command = Command::new(program);
    command
        .env(CHILD_FOLDER, folder)
        .env(CHILD_SEED, seed.to_string())
        .env(CHILD_FIRST_BATCH, first_batch.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Drains the child's pipe, so that it never blocks on it; signals when the child has opened the journal.
fn listen(child: &mut Child) -> (thread::JoinHandle<ChildOutput>, mpsc::Receiver<()>) {
    let pipe = child.stdout.take().unwrap();
    let (opened, open) = mpsc::channel();
    let listener = thread::spawn(move || {
        let mut reported = ChildOutput::default();
        let mut lines = BufReader::new(pipe);
        let mut line = String::new();
        while lines.read_line(&mut line).unwrap() > 0 {
            // A line without an end was cut by the kill and does not count.
            match line.strip_suffix('\n').and_then(|line| line.split_once(' ')) {
                Some(("acknowledged", batch)) => drop(reported.acknowledged.insert(batch.parse().unwrap())),
                Some(("refused", batch)) => drop(reported.refused.insert(batch.parse().unwrap())),
                _ if line.trim_end() == OPEN => opened.send(()).unwrap_or_default(),
                _ => {}
            }
            line.clear();
        }
        reported
    });
    (listener, open)
}

/// Opens and fully checks the journal after a kill, and returns the batches in it.
fn survivors(folder: &Path) -> BTreeSet<u64> {
    if !folder.join("lock").exists() {
        return BTreeSet::new();
    }
    let journal = SledJournal::open(folder, Options::default()).unwrap();
    let mut events = BTreeMap::<u64, BTreeSet<Numbered>>::new();
    let mut ends = HashMap::<Stream, u64>::new();
    let replayed = journal.replay_all(|stream, recorded| {
        let numbered = Numbered::of(&recorded.event);
        assert_eq!(recorded.at, UnixMs(numbered.batch));
        assert_eq!(recorded.sequence, ends.get(&stream).copied().unwrap_or(0) + 1, "a gap in {stream:?}");
        ends.insert(stream, recorded.sequence);
        assert!(events.entry(numbered.batch).or_default().insert(numbered), "{numbered:?} is there twice");
    });
    assert_eq!(replayed.unwrap(), ends.values().sum::<u64>());
    for (batch, events) in &events {
        let indexes: Vec<_> = events.iter().map(|numbered| numbered.index).collect();
        let total = events.first().unwrap().total;
        assert!(indexes.into_iter().eq(0..total), "only a part of batch {batch} is there: {events:?}");
    }
    drop(journal);
    let report = verify(folder, &Options::default()).unwrap();
    assert!(report.is_sound() && report.unacknowledged_commit.is_none(), "{report:?}");
    events.into_keys().collect()
}

#[test]
fn the_process_that_is_killed() {
    let Some(folder) = env::var_os(CHILD_FOLDER) else { return };
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
    let shared = Mutex::new(Shared { ends, next_batch: variable(CHILD_FIRST_BATCH).unwrap() });
    let seed = variable(CHILD_SEED).unwrap();
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let random = StdRng::seed_from_u64(seed.wrapping_add(thread));
            let (journal, shared) = (&journal, &shared);
            scope.spawn(move || append_until_killed(journal, shared, random));
        }
    });
}

struct Shared {
    ends: HashMap<Stream, u64>,
    next_batch: u64,
}

fn append_until_killed(journal: &SledJournal, shared: &Mutex<Shared>, mut random: StdRng) {
    let mut waiting = VecDeque::new();
    loop {
        waiting.push_back(append_one(journal, &mut shared.lock().unwrap(), &mut random));
        while waiting.len() >= random.random_range(1..=IN_FLIGHT_MAX) {
            let (batch, durable): (u64, Durable) = waiting.pop_front().unwrap();
            match durable.blocking_recv().unwrap() {
                Ok(_) => print_line(&format!("acknowledged {batch}")),
                Err(AppendError::Conflict { .. }) => print_line(&format!("refused {batch}")),
                Err(AppendError::Closed) => return,
            }
        }
    }
}

/// Appends a random batch to one to four streams; occasionally with a wrong expected sequence.
fn append_one(journal: &SledJournal, shared: &mut Shared, random: &mut StdRng) -> (u64, Durable) {
    let batch = shared.next_batch;
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
    (batch, journal.append(Batch { at: UnixMs(batch), appends }))
}

/// Prints with one write, so that lines of several threads are never mixed.
fn print_line(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).unwrap();
}
