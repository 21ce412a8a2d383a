//! Rows that were altered or removed in the database are reported.

use domain::UnixMs;
use engine::journal::{Append, Batch, Journal as _, ReplayError, SharedJournal as _};
use persistence::{CommitLimits, OpenError, PostgresJournal, verify_postgres};

use crate::{
    form::{Form as _, PostgresForm},
    numbered::{Numbered, streams},
};

/// Six commits: one event in each of two streams.
fn filled() -> (PostgresForm, PostgresJournal) {
    let place = PostgresForm::empty();
    let journal = place.open(CommitLimits::default()).unwrap();
    let follower = PostgresJournal::open(&place.address, PostgresForm::options(CommitLimits::default())).unwrap();
    for batch in 0..6 {
        let appends = (0..2).map(|index: u32| {
            let stream = streams()[usize::try_from(index).unwrap()];
            Append { stream, after: batch, events: vec![Numbered { batch, index, total: 2 }.event(stream)] }
        });
        let batch = Batch { at: UnixMs(batch), appends: appends.collect() };
        journal.append(batch).blocking_recv().unwrap().unwrap();
    }
    (place, follower)
}

/// Alters the rows, and expects that replay, follower and check report the damage.
fn damaged(change: &str, text: &str) {
    let (place, follower) = filled();
    place.sql(change);
    let mut seen = 0;
    let error = follower.read_commits(&mut |_| seen += 1).unwrap_err();
    assert!(matches!(&error, ReplayError::Damaged(line) if line.contains(text)), "{change}: {error}");
    assert_eq!(seen, 2, "{change}: the commits before it are passed on");
    assert_eq!(follower.position().0, 2, "{change}");
    assert!(follower.read_commits(&mut |_| panic!("nothing follows")).is_err());
    let report = verify_postgres(&place.address).unwrap();
    assert!(!report.is_sound(), "{change}");
    // The ends are intact, so the journal opens; the replay of the stream finds the damage.
    let opened = PostgresJournal::open(&place.address, PostgresForm::options(CommitLimits::default())).unwrap();
    let replayed = opened.replay(streams()[0], 0, &mut |recorded| assert!(recorded.sequence < 3)).unwrap_err();
    assert!(matches!(&replayed, ReplayError::Damaged(_)), "{change}: {replayed}");
    assert!(opened.replay(streams()[1], 0, &mut |_| {}).is_ok(), "{change}: the other stream is unaffected");
}

#[test]
fn damage_in_the_middle_is_reported_by_everything_that_reads() {
    let of_third = "WHERE position = 3 AND block_index = 0";
    damaged(
        &format!("UPDATE lienbook_block SET block = set_byte(block, 110, get_byte(block, 110) # 1) {of_third}"),
        "checksum",
    );
    damaged(&format!("UPDATE lienbook_block SET block = '' {of_third}"), "too short");
    damaged(
        &format!("UPDATE lienbook_block SET block_index = 7 {of_third}"),
        "the other blocks of commit 3 are missing",
    );
    damaged(&format!("DELETE FROM lienbook_block {of_third}"), "the other blocks of commit 3 are missing");
    let other = "SELECT block FROM lienbook_block WHERE position = 4 AND block_index = 0";
    damaged(&format!("UPDATE lienbook_block SET block = ({other}) {of_third}"), "its header does not match its key");
}

#[test]
fn missing_commits_and_lost_ends_are_reported() {
    let (place, follower) = filled();
    place.sql("DELETE FROM lienbook_block WHERE position = 3");
    let error = follower.read_commits(&mut |_| {}).unwrap_err().to_string();
    assert!(error.contains("the blocks of commit 3 are missing"), "{error}");

    let open = |place: &PostgresForm| {
        PostgresJournal::open(&place.address, PostgresForm::options(CommitLimits::default())).unwrap_err()
    };
    let (place, follower) = filled();
    place.sql("DELETE FROM lienbook_block WHERE position = 6");
    let error = follower.read_commits(&mut |_| {}).unwrap_err().to_string();
    assert!(error.contains("the blocks of commit 6 are missing"), "{error}");
    let error = open(&place).to_string();
    assert!(error.starts_with("commit 6 was recorded, but the journal in postgres://"), "{error}");
    assert!(!verify_postgres(&place.address).unwrap().is_sound());

    let (place, _follower) = filled();
    place.sql("UPDATE lienbook_block SET first = 50 WHERE position = 3 AND block_index = 0");
    let error = open(&place).to_string();
    assert!(error.contains("at sequence 50: its header does not match its key"), "{error}");

    let (place, _follower) = filled();
    place.sql("DELETE FROM lienbook_block WHERE position = 6 AND block_index = 1");
    let error = open(&place);
    assert!(matches!(&error, OpenError::Damaged(_)), "{error}");

    let (place, follower) = filled();
    follower.read_commits(&mut |_| {}).unwrap();
    place.sql("DELETE FROM lienbook_block WHERE position = 6; UPDATE lienbook_writer SET position = 5");
    let error = follower.read_commits(&mut |_| {}).unwrap_err().to_string();
    assert!(error.contains("it ends with commit 5, and commit 6 was read from it before"), "{error}");
}

#[test]
fn blocks_beyond_the_writers_row_are_reported() {
    let (place, _) = filled();
    assert!(verify_postgres(&place.address).unwrap().is_sound());
    for (change, last) in [
        ("UPDATE lienbook_writer SET position = 4", 6),
        // The last one lacks a block, too.
        ("DELETE FROM lienbook_block WHERE position = 6 AND block_index = 0", 6),
    ] {
        place.sql(change);
        let report = verify_postgres(&place.address).unwrap();
        let line = format!("there are blocks of commit {last}, but the writer's row ends with commit 4");
        assert!(report.problems.contains(&line), "{change}: {:?}", report.problems);
        assert_eq!(report.unacknowledged_commit, None, "{change}");
    }
}
