//! A follower reads every commit of the writer once and in order.

use std::collections::HashMap;

use domain::Stream;
use engine::journal::{Journal as _, Position, SharedJournal as _};
use persistence::{PostgresJournal, SynchronousStandbys};
use postgres_testkit::wait_until;

use crate::{
    form::{Form as _, PostgresForm},
    load::{Failures, Load, options, writer},
    numbered::Numbered,
};

const ALONE: SynchronousStandbys = SynchronousStandbys::NotRequired;

#[test]
fn a_follower_reads_every_commit_once_in_order_while_the_writer_writes() {
    const BATCHES: u64 = 400;
    let place = PostgresForm::empty();
    let failures = Failures::default();
    let (journal, _lease, _epoch) = writer(&place.address, ALONE, &failures);
    let load = Load::start(&journal);
    load.wait_for(30);
    // It joins in the middle: what was there before is read by replays, the rest as commits.
    let follower = PostgresJournal::open(&place.address, options(ALONE, &failures)).unwrap();
    let mut next = follower.position().0 + 1;
    let mut ends = HashMap::<Stream, u64>::new();
    let mut seen = 0;
    for stream in follower.streams().unwrap() {
        let end = follower.replay(stream, 0, &mut |_| seen += 1).unwrap();
        ends.insert(stream, end);
    }
    assert!(seen > 0);
    let mut parts = HashMap::<u64, u32>::new();
    let mut read = |follower: &PostgresJournal| {
        let position = follower.read_commits(&mut |commit| {
            assert_eq!(commit.position, Position(next));
            next += 1;
            assert!(commit.appends.windows(2).all(|pair| pair[0].stream < pair[1].stream));
            for append in commit.appends {
                assert!(!append.events.is_empty());
                for recorded in append.events {
                    let end = ends.entry(append.stream).or_default();
                    *end += 1;
                    assert_eq!(recorded.sequence, *end);
                    *parts.entry(Numbered::of(&recorded.event).batch).or_default() += 1;
                }
            }
        });
        assert_eq!(position.unwrap(), follower.position());
    };
    wait_until("enough batches are acknowledged", || {
        read(&follower);
        load.acknowledged() >= BATCHES
    });
    load.stop();
    let end = journal.position();
    journal.close();
    read(&follower);
    assert_eq!(follower.position(), end);
    for stream in journal.streams().unwrap() {
        let (mut of_writer, mut of_follower) = (Vec::new(), Vec::new());
        journal.replay(stream, 0, &mut |recorded| of_writer.push(recorded)).unwrap();
        let last = follower.replay(stream, 0, &mut |recorded| of_follower.push(recorded)).unwrap();
        assert_eq!(of_writer, of_follower);
        assert_eq!(ends[&stream], last);
    }
    assert!(parts.values().all(|parts| *parts == 2), "a batch is never seen in part");
    assert!(failures.lock().unwrap().is_empty());
}
