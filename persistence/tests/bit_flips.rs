//! Bit flips in the store: after each one either all events are present, or the start fails with a report. No event is
//! lost silently.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed, which is what it is for")]

#[path = "support/numbered.rs"]
mod numbered;

use std::{env, fs, os::unix::fs::FileExt as _, path::Path};

use domain::{Stream, UnixMs};
use engine::journal::{Append, Batch, Journal as _, Sequence};
use numbered::{Numbered, streams};
use persistence::{Options, SledJournal, verify};
use rand::{Rng as _, RngExt as _, SeedableRng as _, rngs::StdRng};

/// The variable that repeats a run: the seed that it printed.
const SEED: &str = "LIENBOOK_FLIP_SEED";
const FLIPS: u64 = 48;
const BATCHES: u64 = 400;

/// Fills a journal with many small commits.
fn fill(path: &Path) {
    let journal = SledJournal::open(path, Options::default()).unwrap();
    for batch in 0..BATCHES {
        let appends = streams().into_iter().map(|stream| Append {
            stream,
            after: batch * 4,
            events: (0..4).map(|index| Numbered { batch, index, total: 4 }.event(stream)).collect(),
        });
        let durable = journal.append(Batch { at: UnixMs(batch), appends: appends.collect() });
        durable.blocking_recv().unwrap().unwrap();
    }
}

fn events(path: &Path) -> Result<Vec<(Stream, Sequence, Numbered)>, String> {
    let journal = SledJournal::open(path, Options::default()).map_err(|error| error.to_string())?;
    let mut events = Vec::new();
    let replayed = journal.replay_all(|stream, recorded| {
        events.push((stream, recorded.sequence, Numbered::of(&recorded.event)));
    });
    replayed.map_err(|error| error.to_string())?;
    Ok(events)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to.join(entry.file_name()));
        } else {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

fn flip(file: &Path, random: &mut StdRng) -> String {
    let file = fs::File::options().read(true).write(true).open(file).unwrap();
    let at = random.random_range(0..file.metadata().unwrap().len());
    let bit = random.random_range(0..8);
    let mut byte = [0];
    file.read_exact_at(&mut byte, at).unwrap();
    byte[0] ^= 1 << bit;
    file.write_all_at(&byte, at).unwrap();
    format!("bit {bit} of byte {at}")
}

#[test]
fn a_flipped_bit_in_sleds_log_is_harmless_or_reported() {
    let seed = env::var(SEED).map_or_else(|_| rand::rng().next_u64(), |text| text.parse().unwrap());
    println!("{SEED}={seed}");
    let mut random = StdRng::seed_from_u64(seed);
    let folder = tempfile::tempdir().unwrap();
    // At its start sled skips the part of its log that the snapshot of its previous start covers.
    let (fresh, reopened) = (folder.path().join("fresh"), folder.path().join("reopened"));
    fill(&fresh);
    copy(&fresh, &reopened);
    let expected = events(&reopened).unwrap();
    assert_eq!(u64::try_from(expected.len()).unwrap(), BATCHES * 4 * u64::try_from(streams().len()).unwrap());
    let (mut harmless, mut reported) = (0, 0);
    for round in 0..FLIPS {
        let damaged = folder.path().join("damaged");
        copy(if round % 2 == 0 { &fresh } else { &reopened }, &damaged);
        let flipped = flip(&damaged.join("journal/db"), &mut random);
        match events(&damaged) {
            Ok(events) => {
                assert!(events == expected, "round {round}, {flipped}: lost silently");
                harmless += 1;
            }
            Err(line) => {
                assert!(
                    line.ends_with("`lienbook restore`") || line.contains("`lienbook restore`, or"),
                    "{flipped}: {line}"
                );
                assert!(
                    !verify(&damaged, &Options::default()).is_ok_and(|report| report.is_sound()),
                    "{flipped}: {line}"
                );
                reported += 1;
            }
        }
        fs::remove_dir_all(&damaged).unwrap();
    }
    println!("{harmless} flips changed nothing, {reported} were reported");
}
