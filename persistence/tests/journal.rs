//! The journal as the engine uses it: append, wait, close, open, replay.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed, which is what it is for")]

#[path = "support/numbered.rs"]
mod numbered;

use std::{collections::HashMap, sync::Arc, thread};

use domain::{Stream, UnixMs};
use engine::journal::{Append, AppendError, Batch, Durable, Journal as _, Position, Sequence};
use numbered::{Numbered, streams};
use persistence::{OpenError, Options, SledJournal, verify};

fn options() -> Options {
    Options { on_failure: Arc::new(|line: &str| panic!("{line}")), ..Options::default() }
}

fn append(journal: &SledJournal, batch: u64, stream: Stream, after: Sequence, total: u32) -> Durable {
    let events = (0..total).map(|index| Numbered { batch, index, total }.event(stream)).collect();
    journal.append(Batch { at: UnixMs(batch), appends: vec![Append { stream, after, events }] })
}

#[test]
fn appended_events_are_present_after_closing_and_opening() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/data");
    let [book, .., vault] = streams()[..] else { panic!() };
    for round in 0_u64..5 {
        let journal = SledJournal::open(&path, options()).unwrap();
        assert_eq!(journal.streams().unwrap(), if round == 0 { vec![] } else { vec![book, vault] });
        let mut seen = Vec::new();
        let last = journal.replay(vault, 0, &mut |recorded| seen.push((recorded.sequence, recorded.at.0))).unwrap();
        assert_eq!(
            (last, seen),
            (2 * round, (1..=2 * round).map(|sequence| (sequence, sequence.div_ceil(2))).collect())
        );
        let first = append(&journal, round + 1, vault, 2 * round, 2).blocking_recv().unwrap().unwrap();
        let second = append(&journal, round + 1, book, round, 1).blocking_recv().unwrap().unwrap();
        assert_eq!((first, second), (Position(2 * round + 1), Position(2 * round + 2)), "positions continue");
    }
    let report = verify(&path, &options()).unwrap();
    assert!(report.is_sound(), "{report:?}");
    assert_eq!((report.streams, report.events, report.last_commit), (2, 15, 10));
}

#[test]
fn a_replay_begins_after_any_sequence() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = options();
    options.limits.block_bytes = 100;
    let journal = SledJournal::open(folder.path(), options).unwrap();
    let stream = streams()[0];
    append(&journal, 1, stream, 0, 60).blocking_recv().unwrap().unwrap();
    append(&journal, 2, stream, 60, 40).blocking_recv().unwrap().unwrap();
    for after in 0..=101 {
        let mut seen = Vec::new();
        let last = journal.replay(stream, after, &mut |recorded| seen.push(recorded.sequence)).unwrap();
        assert_eq!((last, seen), (100, (after + 1..=100).collect()), "after {after}");
    }
    assert_eq!(journal.replay(streams()[1], 0, &mut |_| panic!("nothing was written there")).unwrap(), 0);
}

#[test]
fn pipelined_batches_of_many_threads_keep_their_order_and_share_commits() {
    const BATCHES: u64 = 500;
    let folder = tempfile::tempdir().unwrap();
    let journal = SledJournal::open(folder.path(), options()).unwrap();
    thread::scope(|scope| {
        for stream in streams() {
            let journal = &journal;
            scope.spawn(move || {
                let durable: Vec<_> = (0..BATCHES).map(|batch| append(journal, batch, stream, batch, 1)).collect();
                let positions: Vec<_> =
                    durable.into_iter().map(|durable| durable.blocking_recv().unwrap().unwrap()).collect();
                assert!(positions.is_sorted());
            });
        }
    });
    let stats = journal.stats();
    let events = BATCHES * u64::try_from(streams().len()).unwrap();
    assert_eq!((stats.events(), stats.batches_queued(), stats.conflicts()), (events, 0, 0));
    assert!(stats.commits() < events / 2, "{} commits for {events} batches", stats.commits());
    assert!(stats.bytes() > 0 && stats.sync_micros_last() > 0);
    assert_eq!((stats.commit_times().count, stats.sync_times().count), (stats.commits(), stats.commits()));
    let mut seen = HashMap::<Stream, u64>::new();
    let replayed = journal.replay_all(|stream, recorded| {
        let batch = seen.entry(stream).or_default();
        assert_eq!(Numbered::of(&recorded.event).batch, *batch);
        *batch += 1;
    });
    assert_eq!(replayed.unwrap(), events);
}

#[test]
fn a_stale_batch_is_refused_alone() {
    let folder = tempfile::tempdir().unwrap();
    let journal = SledJournal::open(folder.path(), options()).unwrap();
    let [one, other, ..] = streams()[..] else { panic!() };
    let first = append(&journal, 1, one, 0, 2);
    let stale = append(&journal, 2, one, 0, 1);
    let next = append(&journal, 3, other, 0, 1);
    assert!(first.blocking_recv().unwrap().is_ok() && next.blocking_recv().unwrap().is_ok());
    let conflict = AppendError::Conflict { stream: one, expected: 0, actual: 2 };
    assert_eq!(stale.blocking_recv().unwrap(), Err(conflict));
    assert_eq!(journal.stats().conflicts(), 1);
}

#[test]
fn closing_writes_earlier_appends_and_refuses_later_ones() {
    let folder = tempfile::tempdir().unwrap();
    let stream = streams()[0];
    let journal = SledJournal::open(folder.path(), options()).unwrap();
    let durable: Vec<_> = (0..100).map(|batch| append(&journal, batch, stream, batch, 1)).collect();
    journal.close();
    assert!(durable.into_iter().all(|durable| durable.blocking_recv().unwrap().is_ok()));
    assert_eq!(append(&journal, 100, stream, 100, 1).blocking_recv().unwrap(), Err(AppendError::Closed));
    assert_eq!(journal.stats().batches_queued(), 0);
    drop(journal);
    assert_eq!(verify(folder.path(), &options()).unwrap().events, 100);
}

#[test]
fn a_second_journal_on_the_same_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let journal = SledJournal::open(folder.path(), options()).unwrap();
    assert!(matches!(SledJournal::open(folder.path(), options()), Err(OpenError::Locked { .. })));
    assert!(matches!(verify(folder.path(), &options()), Err(OpenError::Locked { .. })));
    drop(journal);
    SledJournal::open(folder.path(), options()).unwrap();
}

#[test]
fn checking_a_folder_without_a_journal_creates_none() {
    let folder = tempfile::tempdir().unwrap();
    let absent = folder.path().join("absent");
    assert!(matches!(verify(&absent, &options()), Err(OpenError::Absent { .. })));
    assert!(!absent.exists());
    assert!(matches!(verify(folder.path(), &options()), Err(OpenError::Absent { .. })));
    assert!(!folder.path().join("journal").exists());
}
