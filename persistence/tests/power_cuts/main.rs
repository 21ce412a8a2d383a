//! Simulated power cuts: whatever a disk keeps of what was written since the last sync, the journal opens and holds every
//! acknowledged batch, and no partial one.
//!
//! A process appends under `strace`, which records what it writes, syncs, creates and renames (`recording.rs`). At random
//! points of the record the power is cut: a simulated disk (`disk.rs`) makes files of what must be on it and of a random
//! part of the rest. One of these states is what the next process continues from, so a restart is cut too.
//!
//! `LIENBOOK_POWER_CUTS` is the number of cuts.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed, which is what it is for")]

#[path = "../support/appender.rs"]
mod appender;
mod disk;
#[path = "../support/numbered.rs"]
mod numbered;
mod recording;
mod strace_line;
#[path = "../support/survivors.rs"]
mod survivors;

use std::{collections::BTreeSet, env, path::Path, time::Instant};

use appender::{ARGUMENTS, Answers, variable};
use disk::{Disk, Trust};
use persistence::{Options, verify};
use rand::{Rng as _, RngExt as _, SeedableRng as _, rngs::StdRng};
use recording::{Recording, Step};
use survivors::survivors;

/// The variable that repeats a run: the seed that it printed.
const SEED: &str = "LIENBOOK_POWER_CUTS_SEED";
/// The number of cuts.
const CUTS: &str = "LIENBOOK_POWER_CUTS";

const CUTS_DEFAULT: u64 = 500;
/// The cuts of one recorded process.
const CUTS_OF_A_PROCESS: u64 = 250;
/// The processes that continue from each other, before the next begins with an empty folder.
const PROCESSES_OF_A_FOLDER: u64 = 12;
/// A cut is verified by a second reader as well, so many cuts apart.
const VERIFIED_EVERY: u64 = 20;

/// The batches that a cut must keep, and those that it must not have.
#[derive(Default)]
struct Known {
    /// Acknowledged, or found by an earlier process.
    kept: BTreeSet<u64>,
    refused: BTreeSet<u64>,
}

/// Records a process that appends so many batches, from a folder in this state.
fn record(disk: &Disk, random: &mut StdRng, first_batch: u64) -> Recording {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    disk.write_to(&data);
    let batches = random.random_range(1..=150);
    let log = folder.path().join("strace.log");
    let mut traced =
        appender::command("strace", &data, random.next_u64(), (first_batch, Some(first_batch + batches - 1)));
    traced.args(strace_line::OPTIONS).arg("-o").arg(&log).arg(env::current_exe().unwrap()).args(ARGUMENTS);
    let output = traced.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Recording::read(&log, &data)
}

/// Cuts the power at random points of a recording, and checks each state; returns one of them, with the batches in it.
fn cut_and_check(
    (before, recording): (&Disk, &Recording),
    known: &Known,
    (cuts, trust): (u64, Trust),
    random: &mut StdRng,
) -> Result<(Disk, Known), String> {
    let mut points: Vec<usize> = (0..cuts).map(|_| random.random_range(0..=recording.steps.len())).collect();
    points.sort_unstable();
    let (mut disk, mut answers) = (before.clone(), Answers::default());
    let (mut done, mut chosen) = (0, Err("no cut".to_owned()));
    let followed = random.random_range(0..cuts);
    for (cut, point) in (0..cuts).zip(points) {
        for step in &recording.steps[done..point] {
            match step {
                Step::Printed(line) => answers.read(line),
                Step::Disk(operation) => disk.apply(operation, trust),
            }
        }
        done = point;
        let state = disk.cut(random);
        let folder = tempfile::tempdir_in(shared_memory()).unwrap();
        let data = folder.path().join("data");
        state.write_to(&data);
        let survived = if data.exists() { check(&data, cut.is_multiple_of(VERIFIED_EVERY))? } else { BTreeSet::new() };
        let lost: Vec<_> = known.kept.union(&answers.acknowledged).filter(|batch| !survived.contains(batch)).collect();
        if !lost.is_empty() {
            return Err(format!("acknowledged, but lost by a cut after step {point}: {lost:?}"));
        }
        let wrong: Vec<_> = known.refused.union(&answers.refused).filter(|batch| survived.contains(batch)).collect();
        if !wrong.is_empty() {
            return Err(format!("refused, but there after a cut after step {point}: {wrong:?}"));
        }
        if cut == followed {
            let refused = known.refused.union(&answers.refused).copied().collect();
            chosen = Ok((state, Known { kept: survived, refused }));
        }
    }
    chosen
}

/// Opens the journal and reads all of it; returns its batches, or why it cannot be read.
fn check(data: &Path, is_verified: bool) -> Result<BTreeSet<u64>, String> {
    let survived = std::panic::catch_unwind(|| survivors(data)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        text.unwrap_or_else(|| "the check of a journal ended".to_owned())
    })?;
    if is_verified && data.join("lock").exists() {
        let report = verify(data, &Options::default()).map_err(|error| format!("{error:?}"))?;
        if !report.is_sound() || report.unacknowledged_commit.is_some() {
            return Err(format!("{report:?}"));
        }
    }
    Ok(survived)
}

/// A folder in memory, where there is one: what is checked there was never on a disk.
fn shared_memory() -> std::path::PathBuf {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { memory.to_owned() } else { env::temp_dir() }
}

/// Cuts the power so many times; returns the number of acknowledged batches, or what was lost.
fn run(cuts: u64, trust: Trust, random: &mut StdRng) -> Result<u64, String> {
    let (mut disk, mut known) = (Disk::default(), Known::default());
    let (mut left, mut acknowledged, mut process) = (cuts, 0, 0);
    while left > 0 {
        if process % PROCESSES_OF_A_FOLDER == 0 {
            (disk, known) = (Disk::default(), Known::default());
        }
        process += 1;
        let recording = record(&disk, random, process << 32);
        acknowledged += recording.acknowledged();
        let now = left.min(CUTS_OF_A_PROCESS);
        (disk, known) = cut_and_check((&disk, &recording), &known, (now, trust), random)?;
        left -= now;
    }
    Ok(acknowledged)
}

#[test]
fn every_acknowledged_batch_survives_every_power_cut_completely() {
    let seed = variable(SEED).unwrap_or_else(|| rand::rng().next_u64());
    let cuts = variable(CUTS).unwrap_or(CUTS_DEFAULT);
    println!("{SEED}={seed} {CUTS}={cuts}");
    let began = Instant::now();
    let acknowledged = run(cuts, Trust::InSyncs, &mut StdRng::seed_from_u64(seed)).unwrap();
    println!("{cuts} power cuts in {:?}; {acknowledged} batches were acknowledged, and none was lost", began.elapsed());
}

/// Shows that the check finds a journal that is not synced: batches are gone from it, or all of it cannot be read.
#[test]
fn a_disk_that_ignores_syncs_loses_acknowledged_batches() {
    let lost = run(CUTS_DEFAULT, Trust::InNothing, &mut StdRng::seed_from_u64(1)).unwrap_err();
    println!("{lost}");
}

#[test]
fn the_appending_process() {
    appender::append_if_asked();
}
