//! A deposed writer appends nothing.

use std::{collections::BTreeSet, sync::Mutex, thread};

use engine::journal::{AppendError, Batch, Journal as _, Position, SharedJournal as _};
use persistence::{BeginError, CommitLimits, PostgresJournal, SynchronousStandbys};
use postgres_testkit::wait_until;

use crate::{
    form::{Form as _, LEASE_TTL, PostgresForm},
    load::{Failures, Load, assert_all_present, batches_at, options, writer},
};

const ALONE: SynchronousStandbys = SynchronousStandbys::NotRequired;

#[test]
fn a_deposed_writer_stops_and_appends_nothing() {
    const TAKEOVERS: u64 = 8;
    let place = PostgresForm::empty();
    let failures = Failures::default();
    let (mut journal, lease, mut epoch) = writer(&place.address, ALONE, &failures);
    for takeover in 1..=TAKEOVERS {
        let load = Load::start(&journal);
        load.wait_for(15);
        // The lease ends under a writer that believes to hold it, in the middle of its commits.
        assert!(lease.release(epoch, None).unwrap());
        let claim = lease.claim("next", "", LEASE_TTL).unwrap().unwrap();
        assert_eq!(claim.epoch, epoch + 1);
        wait_until("the deposed writer has stopped", || !failures.lock().unwrap().is_empty());
        let acknowledged = load.stop();
        journal.close();
        let line = format!("cannot write to the journal's database: another writer has taken over from epoch {epoch}");
        assert_eq!(*failures.lock().unwrap(), [line]);
        failures.lock().unwrap().clear();
        assert_eq!(lease.observe().unwrap().position, claim.position, "appended after takeover {takeover}");
        assert_all_present(&place.address, &acknowledged);
        place.sql("TRUNCATE lienbook_block; UPDATE lienbook_writer SET position = 0");
        let next = PostgresJournal::open(&place.address, options(ALONE, &failures)).unwrap();
        assert!(matches!(next.begin_writing(epoch), Err(BeginError::Deposed { .. })));
        epoch = claim.epoch;
        next.begin_writing(epoch).unwrap();
        assert!(matches!(next.begin_writing(epoch), Err(BeginError::NotFollowing)));
        journal = next.into();
    }
}

#[test]
fn claims_in_a_race_with_appends_let_no_deposed_writer_append() {
    const CLAIMS: u64 = 100;
    let place = PostgresForm::empty();
    let failures = Failures::default();
    let (journal, lease, first) = writer(&place.address, ALONE, &failures);
    let load = Load::start(&journal);
    load.wait_for(5);
    let mut position = None;
    for epoch in first..first + CLAIMS {
        assert!(lease.release(epoch, None).unwrap());
        let claim = lease.claim("next", "", LEASE_TTL).unwrap().unwrap();
        assert_eq!(*position.get_or_insert(claim.position), claim.position, "appended after the first claim");
    }
    wait_until("the deposed writer has stopped", || !failures.lock().unwrap().is_empty());
    let acknowledged = load.stop();
    journal.close();
    assert_eq!(failures.lock().unwrap().len(), 1);
    assert_eq!(lease.observe().unwrap().position, position.unwrap());
    assert_all_present(&place.address, &acknowledged);
}

#[test]
fn a_second_writer_of_the_same_epoch_ends_both_rather_than_mixing_them() {
    let place = PostgresForm::empty();
    let failures = Failures::default();
    let (journal, _lease, epoch) = writer(&place.address, ALONE, &failures);
    let other = PostgresJournal::open(&place.address, options(ALONE, &failures)).unwrap();
    other.begin_writing(epoch).unwrap();
    let other = other.into();
    let loads = [Load::start(&journal), Load::start_from(&other, 1 << 32)];
    wait_until("one of them has stopped", || !failures.lock().unwrap().is_empty());
    let acknowledged = loads.map(Load::stop);
    journal.close();
    other.close();
    let both: BTreeSet<_> = acknowledged[0].intersection(&acknowledged[1]).collect();
    assert!(both.is_empty(), "both were acknowledged the same places: {both:?}");
    let present = batches_at(&place.address);
    assert!(acknowledged.iter().all(|batches| batches.is_subset(&present)));
}

#[test]
fn a_journal_appends_only_after_it_has_begun_and_has_read_everything() {
    let place = PostgresForm::empty();
    let failures = Failures::default();
    let follower = PostgresJournal::open(&place.address, options(ALONE, &failures)).unwrap();
    let refused = follower.append(Batch { at: domain::UnixMs(1), appends: Vec::new() }).blocking_recv().unwrap();
    assert_eq!(refused, Err(AppendError::Closed));
    let (journal, lease, epoch) = writer(&place.address, ALONE, &failures);
    let load = Load::start(&journal);
    load.wait_for(10);
    let acknowledged = load.stop();
    journal.close();
    lease.release(epoch, None).unwrap();
    let claim = lease.claim("follower", "", LEASE_TTL).unwrap().unwrap();
    let behind = follower.begin_writing(claim.epoch).unwrap_err();
    assert!(matches!(behind, BeginError::OtherPosition { read: 0, found } if found == claim.position), "{behind}");
    assert_eq!(follower.read_commits(&mut |_| {}).unwrap(), Position(claim.position));
    follower.begin_writing(claim.epoch).unwrap();
    drop(follower);
    assert_all_present(&place.address, &acknowledged);
}

#[test]
fn a_journal_that_read_another_history_does_not_begin() {
    let (place, failures) = (PostgresForm::empty(), Failures::default());
    let append_one = |number| {
        let journal = place.open(CommitLimits::default()).unwrap();
        let stream = crate::numbered::streams()[0];
        let events = vec![crate::numbered::Numbered { batch: number, index: 0, total: 1 }.event(stream)];
        let appends = vec![engine::journal::Append { stream, after: 0, events }];
        journal.append(Batch { at: domain::UnixMs(1), appends }).blocking_recv().unwrap().unwrap();
    };
    append_one(1);
    let follower = PostgresJournal::open(&place.address, options(ALONE, &failures)).unwrap();
    // As after a failover to a server that lacks the commit, and has another in its place.
    place.sql("TRUNCATE lienbook_block; UPDATE lienbook_writer SET position = 0");
    append_one(2);
    let refused = follower.begin_writing(place.claim()).unwrap_err();
    assert!(matches!(refused, BeginError::OtherHistory { commit: 1 }), "{refused}");
}

#[test]
fn of_claims_at_once_one_wins_each_epoch() {
    const NODES: u64 = 4;
    const ROUNDS: u64 = 25;
    let place = PostgresForm::empty();
    place.lease();
    let won = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for node in 0..NODES {
            let (place, won) = (&place, &won);
            scope.spawn(move || {
                let lease = place.lease();
                while won.lock().unwrap().len() < usize::try_from(ROUNDS).unwrap() {
                    if let Some(claim) = lease.claim(&node.to_string(), "", LEASE_TTL).unwrap() {
                        won.lock().unwrap().push(claim.epoch);
                        assert_eq!(lease.observe().unwrap().holder, Some(node.to_string()));
                        assert!(
                            lease.release(claim.epoch, None).unwrap(),
                            "another node claimed a lease that was held"
                        );
                    }
                }
            });
        }
    });
    let won = won.into_inner().unwrap();
    assert!(won.iter().copied().eq(1..=u64::try_from(won.len()).unwrap()), "{won:?}");
}
