//! Crash tests: killed at any moment, the journal keeps every acknowledged batch, and no partial one.
//!
//! The killed process is this test itself, started again (`support/appender.rs`).

#![allow(clippy::unwrap_used, reason = "a test that panics has failed, which is what it is for")]

#[path = "support/appender.rs"]
mod appender;
#[path = "support/numbered.rs"]
mod numbered;
#[path = "support/survivors.rs"]
mod survivors;

use std::{
    collections::BTreeSet,
    env,
    io::{BufRead as _, BufReader},
    path::Path,
    process::Child,
    sync::mpsc,
    thread,
    time::Duration,
};

use appender::{ARGUMENTS, Answers, OPEN, command, variable};
use persistence::{EXIT_STATUS_STORAGE_FAILED, Options, verify};
use rand::{Rng as _, RngExt as _, SeedableRng as _, rngs::StdRng};

/// The variable that repeats a run: the seed that it printed.
const SEED: &str = "LIENBOOK_CRASH_SEED";
/// The number of kills.
const KILLS: &str = "LIENBOOK_CRASH_KILLS";

/// The limit of the wait for what a process prints.
const LINE_TIMEOUT: Duration = Duration::from_secs(90);

const KILLS_DEFAULT: u64 = 100;
const KILLS_PER_FOLDER: u64 = 20;

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
        // Every third comes at any time, often while the journal is being created or opened.
        let moments = [2, 0, 1][usize::try_from(kill % 3).unwrap()];
        let reported = run_and_kill(folder.path(), &mut random, ((kill + 1) << 32, moments));
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
    let mut child = command("sh", folder.path(), 1, (1, None))
        .args(["-c", "trap '' XFSZ; ulimit -f 4096; exec \"$0\" \"$@\""])
        .arg(env::current_exe().unwrap())
        .args(ARGUMENTS)
        .spawn()
        .unwrap();
    let (listener, _reached) = listen(&mut child);
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

/// Kills a process soon after so many moments: after the journal is open, and after the first acknowledgement.
fn run_and_kill(folder: &Path, random: &mut StdRng, (first_batch, moments): (u64, usize)) -> Answers {
    let program = env::current_exe().unwrap();
    let mut child = command(&program, folder, random.next_u64(), (first_batch, None)).args(ARGUMENTS).spawn().unwrap();
    let (listener, reached) = listen(&mut child);
    for _ in 0..moments {
        reached.recv_timeout(LINE_TIMEOUT).unwrap();
    }
    thread::sleep(Duration::from_micros(random.random_range(0..50_000)));
    child.kill().unwrap();
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    let failed = stderr.contains("panicked") || stderr.contains("lienbook:");
    assert!(!failed, "it failed before it was killed:\n{stderr}");
    listener.join().unwrap()
}

/// Drains the process's pipe, so that it never blocks on it; signals when it has opened the journal, and when
/// it has acknowledged a batch.
fn listen(child: &mut Child) -> (thread::JoinHandle<Answers>, mpsc::Receiver<()>) {
    let pipe = child.stdout.take().unwrap();
    let (signal, reached) = mpsc::channel();
    let listener = thread::spawn(move || {
        let mut reported = Answers::default();
        let mut lines = BufReader::new(pipe);
        let mut line = String::new();
        while lines.read_line(&mut line).unwrap() > 0 {
            // A line without an end was cut by a kill and does not count.
            match line.strip_suffix('\n') {
                Some(OPEN) => signal.send(()).unwrap_or_default(),
                Some(line) => {
                    let is_first = reported.acknowledged.is_empty();
                    reported.read(line);
                    if is_first && !reported.acknowledged.is_empty() {
                        signal.send(()).unwrap_or_default();
                    }
                }
                None => {}
            }
            line.clear();
        }
        reported
    });
    (listener, reached)
}

/// Opens and fully checks the journal after a kill, and returns the batches in it.
fn survivors(folder: &Path) -> BTreeSet<u64> {
    let batches = survivors::survivors(folder);
    if folder.join("lock").exists() {
        let report = verify(folder, &Options::default()).unwrap();
        assert!(report.is_sound() && report.unacknowledged_commit.is_none(), "{report:?}");
    }
    batches
}

#[test]
fn the_appending_process() {
    appender::append_if_asked();
}
