//! The journal as the engine uses it: append, wait, close, open, replay.

use std::{collections::HashMap, ops::ControlFlow, thread, time::Duration};

use domain::{Stream, UnixMs};
use engine::journal::{Append, AppendError, Batch, Durable, Journal, Position, Sequence};
use persistence::{CommitLimits, OpenError, Options, SledJournal, WholeJournal as _, verify};

use crate::{
    form::{Form, SledForm},
    numbered::{Numbered, streams},
    on_every_form,
};

on_every_form! {
    appended_events_are_present_after_closing_and_opening,
    a_replay_begins_after_any_sequence,
    pipelined_batches_of_many_threads_keep_their_order_and_share_commits,
    a_stale_batch_is_refused_alone,
    closing_writes_earlier_appends_and_refuses_later_ones,
    checking_a_place_without_a_journal_creates_none,
    a_journal_can_be_read_and_closed_within_a_runtime,
}

fn append(journal: &impl Journal, batch: u64, stream: Stream, after: Sequence, total: u32) -> Durable {
    let events = (0..total).map(|index| Numbered { batch, index, total }.event(stream)).collect();
    journal.append(Batch { at: UnixMs(batch), appends: vec![Append { stream, after, events }] })
}

fn appended_events_are_present_after_closing_and_opening<F: Form>() {
    let place = F::empty();
    let [book, .., vault] = streams()[..] else { panic!() };
    for round in 0_u64..5 {
        let journal = place.open(CommitLimits::default()).unwrap();
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
    let report = place.verify().unwrap();
    assert!(report.is_sound(), "{report:?}");
    assert_eq!((report.streams, report.events, report.last_commit), (2, 15, 10));
}

fn a_replay_begins_after_any_sequence<F: Form>() {
    let place = F::empty();
    let journal = place.open(CommitLimits { block_bytes: 100, ..CommitLimits::default() }).unwrap();
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

fn pipelined_batches_of_many_threads_keep_their_order_and_share_commits<F: Form>() {
    const BATCHES: u64 = 500;
    let place = F::empty();
    let journal = place.open(CommitLimits::default()).unwrap();
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
    let stats = F::stats(&journal);
    let events = BATCHES * u64::try_from(streams().len()).unwrap();
    assert_eq!((stats.events(), stats.batches_queued(), stats.conflicts()), (events, 0, 0));
    assert!(stats.commits() < events / 2, "{} commits for {events} batches", stats.commits());
    assert!(stats.bytes() > 0 && stats.sync_micros_last() > 0);
    assert_eq!((stats.commit_times().count, stats.sync_times().count), (stats.commits(), stats.commits()));
    assert!(stats.sync_times().sum > Duration::ZERO, "a durable commit takes its time");
    assert!(stats.sync_times().sum <= stats.commit_times().sum);
    let mut seen = HashMap::<Stream, u64>::new();
    let replayed = journal.replay_whole(&mut |stream, recorded| {
        let batch = seen.entry(stream).or_default();
        assert_eq!(Numbered::of(&recorded.event).batch, *batch);
        *batch += 1;
        ControlFlow::Continue(())
    });
    assert_eq!(replayed.unwrap(), events);
}

fn a_stale_batch_is_refused_alone<F: Form>() {
    let place = F::empty();
    let journal = place.open(CommitLimits::default()).unwrap();
    let [one, other, ..] = streams()[..] else { panic!() };
    let first = append(&journal, 1, one, 0, 2);
    let stale = append(&journal, 2, one, 0, 1);
    let next = append(&journal, 3, other, 0, 1);
    assert!(first.blocking_recv().unwrap().is_ok() && next.blocking_recv().unwrap().is_ok());
    let conflict = AppendError::Conflict { stream: one, expected: 0, actual: 2 };
    assert_eq!(stale.blocking_recv().unwrap(), Err(conflict));
    assert_eq!(F::stats(&journal).conflicts(), 1);
}

fn closing_writes_earlier_appends_and_refuses_later_ones<F: Form>() {
    let place = F::empty();
    let stream = streams()[0];
    let journal = place.open(CommitLimits::default()).unwrap();
    let durable: Vec<_> = (0..100).map(|batch| append(&journal, batch, stream, batch, 1)).collect();
    F::close(&journal);
    assert!(durable.into_iter().all(|durable| durable.blocking_recv().unwrap().is_ok()));
    assert_eq!(append(&journal, 100, stream, 100, 1).blocking_recv().unwrap(), Err(AppendError::Closed));
    assert_eq!(F::stats(&journal).batches_queued(), 0);
    drop(journal);
    assert_eq!(place.verify().unwrap().events, 100);
}

#[test]
fn a_second_journal_on_the_same_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let journal = SledJournal::open(folder.path(), Options::default()).unwrap();
    assert!(matches!(SledJournal::open(folder.path(), Options::default()), Err(OpenError::Locked { .. })));
    assert!(matches!(verify(folder.path(), &Options::default()), Err(OpenError::Locked { .. })));
    drop(journal);
    SledJournal::open(folder.path(), Options::default()).unwrap();
}

fn checking_a_place_without_a_journal_creates_none<F: Form>() {
    let place = F::empty();
    for _ in 0..2 {
        let refused = place.verify().unwrap_err();
        assert!(F::is_absent(&refused), "{refused}");
    }
}

#[test]
fn checking_an_absent_folder_creates_none() {
    let SledForm(folder) = SledForm::empty();
    let absent = folder.path().join("absent");
    assert!(matches!(verify(&absent, &Options::default()), Err(OpenError::Absent { .. })));
    assert!(!absent.exists() && !folder.path().join("journal").exists());
}

#[test]
fn a_new_folder_is_created_with_its_parents() {
    let SledForm(folder) = SledForm::empty();
    let path = folder.path().join("new/data");
    let journal = SledJournal::open(&path, Options::default()).unwrap();
    append(&journal, 1, streams()[0], 0, 1).blocking_recv().unwrap().unwrap();
    drop(journal);
    assert_eq!(verify(&path, &Options::default()).unwrap().events, 1);
}

fn a_journal_can_be_read_and_closed_within_a_runtime<F: Form>() {
    let place = F::empty();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let journal = place.open(CommitLimits::default()).unwrap();
        let stream = streams()[0];
        assert_eq!(append(&journal, 1, stream, 0, 3).await.unwrap(), Ok(Position(1)));
        assert_eq!(journal.streams().unwrap(), [stream]);
        assert_eq!(journal.replay(stream, 0, &mut |_| {}).unwrap(), 3);
    });
}
