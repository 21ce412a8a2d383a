//! Tests with a journal whose records were removed, altered or swapped externally.

use std::{fs, path::Path, sync::Arc};

use domain::{Event, GroupId, Sats, Stream, UnixMs, UserId, VaultEvent};
use engine::journal::{Append, Batch, Journal as _, ReplayError};

use crate::{
    block::Block,
    commit_builder::CommitBuilder,
    heads::Heads,
    open_error::OpenError,
    options::{CommitLimits, Options},
    verify::VerifyReport,
};

use super::{
    ack_marker::AckMarker,
    folder::Folder,
    journal::SledJournal,
    record_key::RecordKey,
    store::{RECORD_BYTES_MAX, to_batch},
    verify::verify,
};

const BOOK: Stream = Stream::Book(GroupId(7));
const VAULT: Stream = Stream::Vault(UserId(3));

fn options() -> Options {
    let on_failure = Arc::new(|line: &str| panic!("{line}"));
    // Two events per block, so that a few events make a chain.
    Options { cache_bytes: 1 << 20, limits: CommitLimits { block_bytes: 20, ..CommitLimits::default() }, on_failure }
}

fn credited(amount: u64) -> Event {
    Event::Vault(VaultEvent::Credited { amount: Sats::new(amount) })
}

fn append(journal: &SledJournal, appends: &[(Stream, u64, u64)]) {
    let append = |&(stream, after, count): &(Stream, u64, u64)| Append {
        stream,
        after,
        events: (1..=count).map(|event| credited(after + event)).collect(),
    };
    let batch = Batch { at: UnixMs(1_000), appends: appends.iter().map(append).collect() };
    journal.append(batch).blocking_recv().unwrap().unwrap();
}

/// Commits 1 to 3: the book alone, book and vault, book and vault.
fn journal(path: &Path) {
    let journal = SledJournal::open(path, options()).unwrap();
    append(&journal, &[(BOOK, 0, 10)]);
    append(&journal, &[(BOOK, 10, 1), (VAULT, 0, 2)]);
    append(&journal, &[(BOOK, 11, 3), (VAULT, 2, 4)]);
}

/// Opens the store directly and lets `change` alter its records.
fn tamper(path: &Path, change: impl FnOnce(&sled::Db)) {
    let db = Folder::acquire(path).unwrap().open(1 << 20).unwrap();
    change(&db);
    db.flush().unwrap();
}

/// Alters the block that begins with `first`; its checksum is corrected if `sealed`.
fn alter(db: &sled::Db, stream: Stream, first: u64, sealed: bool, change: impl FnOnce(&mut Vec<u8>)) {
    let key = RecordKey::block(stream.into(), first).to_bytes();
    let mut bytes = db.get(key).unwrap().unwrap().to_vec();
    change(&mut bytes);
    if sealed {
        let end = bytes.len() - 4;
        let checksum = crc32c::crc32c(&bytes[..end]);
        bytes[end..].copy_from_slice(&checksum.to_be_bytes());
    }
    db.insert(key, bytes).unwrap();
}

fn firsts(db: &sled::Db, stream: Stream) -> Vec<u64> {
    let keys = db.iter().keys().map(|key| RecordKey::from_bytes(&key.unwrap()).unwrap());
    keys.filter(|key| key.stream == stream.into()).map(|key| key.first).collect()
}

fn remove(db: &sled::Db, stream: Stream, first: u64) {
    db.remove(RecordKey::block(stream.into(), first).to_bytes()).unwrap().unwrap();
}

/// Resets the acknowledgement marker, as after a power cut that it did not survive.
fn reset_ack_marker(path: &Path) {
    AckMarker::open(path).unwrap().set(0).unwrap();
}

fn check(path: &Path) -> VerifyReport {
    verify(path, &options()).unwrap()
}

fn replayed(journal: &SledJournal, stream: Stream) -> Result<u64, ReplayError> {
    let mut next = 1;
    journal.replay(stream, 0, &mut |recorded| {
        assert_eq!((recorded.sequence, recorded.event), (next, credited(next)));
        next += 1;
    })
}

#[test]
fn an_unacknowledged_incomplete_last_commit_is_cut() {
    for (stream, first) in [(VAULT, 3), (VAULT, 5), (BOOK, 12), (BOOK, 14)] {
        let folder = tempfile::tempdir().unwrap();
        journal(folder.path());
        tamper(folder.path(), |db| {
            assert_eq!((firsts(db, BOOK).last(), firsts(db, VAULT)), (Some(&14), vec![1, 3, 5]));
            remove(db, stream, first);
        });
        reset_ack_marker(folder.path());
        let is_gap = (stream, first) == (VAULT, 3) || (stream, first) == (BOOK, 12);
        if !is_gap {
            assert_eq!(check(folder.path()).unacknowledged_commit, Some(3));
            assert!(check(folder.path()).is_sound());
        }
        let journal = SledJournal::open(folder.path(), options()).unwrap();
        assert_eq!(
            (replayed(&journal, BOOK).unwrap(), replayed(&journal, VAULT).unwrap()),
            (11, 2),
            "{stream:?} {first}"
        );
        append(&journal, &[(VAULT, 2, 1), (BOOK, 11, 1)]);
        drop(journal);
        assert!(check(folder.path()).is_sound());
    }
}

#[test]
fn an_incomplete_last_commit_that_was_acknowledged_is_damage() {
    let folder = tempfile::tempdir().unwrap();
    journal(folder.path());
    tamper(folder.path(), |db| remove(db, VAULT, 5));
    let refused = SledJournal::open(folder.path(), options()).unwrap_err();
    assert!(matches!(&refused, OpenError::Damaged(damage) if damage.quarantine_folder().is_some()), "{refused:?}");
    assert!(refused.to_string().contains("the other blocks of commit 3 are missing"), "{refused}");
    assert!(refused.to_string().ends_with("with `lienbook restore`"), "{refused}");
    let report = check(folder.path());
    assert_eq!(report.problems, ["commit 3, of which stream book g_7 has sequence 12, lacks 1 of its 4 blocks"]);
}

#[test]
fn a_stream_that_lost_its_end_in_an_earlier_commit_is_detected_without_a_full_scan() {
    let folder = tempfile::tempdir().unwrap();
    {
        let journal = SledJournal::open(folder.path(), options()).unwrap();
        append(&journal, &[(VAULT, 0, 2), (BOOK, 0, 1)]);
        append(&journal, &[(BOOK, 1, 1)]);
    }
    tamper(folder.path(), |db| remove(db, VAULT, 1));
    reset_ack_marker(folder.path());
    let refused = SledJournal::open(folder.path(), options()).unwrap_err();
    assert!(matches!(refused, OpenError::StreamsTruncated { commit: 2, .. }), "{refused:?}");
    assert_eq!(check(folder.path()).problems_found, 2);
}

#[test]
fn acknowledged_commits_that_vanished_completely_are_detected() {
    let folder = tempfile::tempdir().unwrap();
    journal(folder.path());
    tamper(folder.path(), |db| {
        for (stream, first) in [(BOOK, 12), (BOOK, 14), (VAULT, 3), (VAULT, 5)] {
            remove(db, stream, first);
        }
    });
    let refused = SledJournal::open(folder.path(), options()).unwrap_err();
    assert!(matches!(refused, OpenError::AcknowledgedLost { acknowledged: 3, found: 2, .. }), "{refused:?}");
    assert!(!check(folder.path()).is_sound());
    fs::remove_dir_all(folder.path().join("journal")).unwrap();
    let refused = SledJournal::open(folder.path(), options()).unwrap_err();
    assert!(matches!(refused, OpenError::AcknowledgedLost { acknowledged: 3, found: 0, .. }), "{refused:?}");
    reset_ack_marker(folder.path());
    SledJournal::open(folder.path(), options()).unwrap();
}

/// Damages a block in the middle of the book, and expects the replay to report it after the events before it.
fn damaged_in_the_middle(change: impl FnOnce(&sled::Db), sequence: u64, problem: &str) {
    let folder = tempfile::tempdir().unwrap();
    journal(folder.path());
    tamper(folder.path(), |db| {
        assert_eq!(firsts(db, BOOK)[..4], [1, 3, 5, 7]);
        change(db);
    });
    let journal = SledJournal::open(folder.path(), options()).unwrap();
    let mut seen = 0;
    let ReplayError::Damaged(text) = journal.replay(BOOK, 0, &mut |recorded| seen = recorded.sequence).unwrap_err()
    else {
        panic!("not damaged")
    };
    assert_eq!(seen + 1, sequence);
    let start = format!("the journal is damaged in stream book g_7 at sequence {sequence}: {problem}; ");
    assert!(text.starts_with(&start) && text.ends_with("with `lienbook restore`"), "{text}");
    let kept = folder.path().join(format!("quarantine/book-g_7-at-{sequence}"));
    if problem.ends_with("missing") && problem.starts_with("events") {
        assert!(!text.contains("copied") && !kept.exists(), "{text}");
    } else {
        assert!(text.contains(kept.to_str().unwrap()) && fs::read_dir(kept).unwrap().count() >= 1, "{text}");
    }
    assert_eq!(replayed(&journal, VAULT).unwrap(), 6, "other streams are unaffected");
    drop(journal);
    assert!(
        check(folder.path()).problems[0].starts_with(&format!("stream book g_7 at sequence {sequence}: {problem}"))
    );
}

#[test]
fn damage_in_the_middle_is_reported_and_copied_to_quarantine() {
    damaged_in_the_middle(|db| alter(db, BOOK, 5, false, |bytes| bytes[60] ^= 4), 5, "its checksum does not match");
    damaged_in_the_middle(|db| alter(db, BOOK, 5, false, |bytes| bytes.truncate(50)), 5, "a part of it is missing");
    damaged_in_the_middle(
        |db| alter(db, BOOK, 5, false, |bytes| bytes.truncate(3)),
        5,
        "it is too short to be a block",
    );
    damaged_in_the_middle(
        |db| alter(db, BOOK, 5, true, |bytes| bytes[58] ^= 1),
        7,
        "it does not follow from the block before it",
    );
    damaged_in_the_middle(|db| remove(db, BOOK, 5), 5, "events 5 to 6 are missing");
    damaged_in_the_middle(|db| remove(db, BOOK, 1), 1, "events 1 to 2 are missing");
    let other = RecordKey::block(BOOK.into(), 7).to_bytes();
    let swap = |db: &sled::Db| alter(db, BOOK, 5, false, |bytes| *bytes = db.get(other).unwrap().unwrap().to_vec());
    damaged_in_the_middle(swap, 5, "its header does not match its key");
}

#[test]
fn a_damaged_end_fails_the_start() {
    let folder = tempfile::tempdir().unwrap();
    journal(folder.path());
    tamper(folder.path(), |db| alter(db, VAULT, 5, false, |bytes| bytes[110] ^= 1));
    let refused = SledJournal::open(folder.path(), options()).unwrap_err();
    let OpenError::Damaged(damage) = &refused else { panic!("{refused:?}") };
    assert_eq!((damage.stream().as_str(), damage.sequence()), ("vault us_3", 5));
    assert!(
        refused.to_string().contains("its checksum does not match; the damaged records were copied to "),
        "{refused}"
    );
}

#[test]
fn a_newer_version_is_refused_by_name_and_nothing_is_copied() {
    for (at, what) in [(0, "format 2; this one, "), (1, "events 2; this one, "), (22, "its kind of stream")] {
        let folder = tempfile::tempdir().unwrap();
        journal(folder.path());
        tamper(folder.path(), |db| {
            if at == 22 {
                let key = RecordKey::block(VAULT.into(), 5).to_bytes();
                alter(db, VAULT, 5, true, |bytes| bytes[at] = 9);
                let mut moved = key;
                moved[0] = 9;
                db.insert(moved, db.remove(key).unwrap().unwrap()).unwrap();
            } else {
                alter(db, VAULT, 5, true, |bytes| bytes[at] = 2);
            }
        });
        let refused = SledJournal::open(folder.path(), options()).unwrap_err();
        assert!(matches!(refused, OpenError::NewerVersion { .. }) && refused.to_string().contains(what), "{refused}");
        assert!(!folder.path().join("quarantine").exists());
    }
}

/// The error of the replay of a vault's first block, in whose second event a byte was changed.
fn second_event_with(byte: u8, at: impl Fn(usize) -> usize) -> String {
    let folder = tempfile::tempdir().unwrap();
    journal(folder.path());
    tamper(folder.path(), |db| {
        let key = RecordKey::block(VAULT.into(), 1).to_bytes();
        let bytes = db.get(key).unwrap().unwrap();
        assert_eq!(Block::parse(&bytes).unwrap().header.count, 2);
        let at = at(bytes.len());
        alter(db, VAULT, 1, true, |bytes| bytes[at] = byte);
    });
    let journal = SledJournal::open(folder.path(), options()).unwrap();
    let text = replayed(&journal, VAULT).unwrap_err().to_string();
    assert_eq!(folder.path().join("quarantine").exists(), text.contains("is damaged"));
    text
}

#[test]
fn an_unreadable_event_is_damage_at_its_own_sequence() {
    // The last byte of its amount, in front of the checksum, says that another one follows.
    let text = second_event_with(0x80, |length| length - 5);
    assert!(
        text.starts_with("the journal is damaged in stream vault us_3 at sequence 2: the event cannot be read"),
        "{text}"
    );
}

#[test]
fn an_event_of_an_unknown_kind_is_of_a_newer_version() {
    // Its kind is after its elapsed time.
    let text = second_event_with(99, |_length| 107 + 4 + 1);
    let expected = "stream vault us_3 at sequence 2: its kind of event was defined by a newer version of lienbook";
    assert!(text.starts_with(expected) && text.ends_with("; start the newer version"), "{text}");
}

#[test]
fn a_commit_of_large_blocks_is_cut_with_all_their_parts() {
    let folder = tempfile::tempdir().unwrap();
    journal(folder.path());
    tamper(folder.path(), |db| {
        let mut heads = Heads::default();
        heads.commit = 3;
        let mut builder = CommitBuilder::new(&heads, CommitLimits { block_bytes: 1 << 20, ..CommitLimits::default() });
        let events = (0..9_000).map(credited).collect();
        let other = Append { stream: Stream::Assets, after: 0, events: vec![credited(1)] };
        let appends = vec![Append { stream: Stream::Accounts, after: 0, events }, other];
        builder.accept(&Batch { at: UnixMs(1), appends }).unwrap().unwrap();
        let mut blocks = builder.seal().unwrap().unwrap().blocks;
        assert_eq!(blocks.pop().unwrap().key.stream, Stream::Assets.into());
        assert!(blocks.iter().any(|block| block.bytes.len() > 3 * RECORD_BYTES_MAX));
        db.apply_batch(to_batch(&blocks).unwrap()).unwrap();
    });
    let journal = SledJournal::open(folder.path(), options()).unwrap();
    assert_eq!(journal.streams().unwrap(), [BOOK, VAULT]);
    drop(journal);
    tamper(folder.path(), |db| assert!(firsts(db, Stream::Accounts).is_empty()));
}
