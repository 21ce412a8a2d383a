//! Export and restore of everything, unaltered, or of nothing.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed, which is what it is for")]

#[path = "support/numbered.rs"]
mod numbered;

use std::path::Path;

use domain::UnixMs;
use engine::journal::{Append, Batch, Journal as _};
use numbered::{Numbered, streams};
use persistence::{
    JournalTotals, LineProblem, OpenError, Options, PROGRESS_EVENTS_EVERY, RestoreError, SledJournal, export, restore,
    verify,
};
use proptest::prelude::*;

/// Appends one batch per entry: the stream's index and the number of events.
fn fill(path: &Path, batches: &[(usize, u32)]) {
    let journal = SledJournal::open(path, Options::default()).unwrap();
    let mut ends = vec![0; streams().len()];
    let mut durable = Vec::new();
    for (batch, &(index, total)) in (1..).zip(batches) {
        let stream = streams()[index];
        let events = (0..total).map(|index| Numbered { batch, index, total }.event(stream)).collect();
        let append = Append { stream, after: ends[index], events };
        ends[index] += u64::from(total);
        durable.push(journal.append(Batch { at: UnixMs(batch * 7), appends: vec![append] }));
    }
    assert!(durable.into_iter().all(|durable| durable.blocking_recv().unwrap().is_ok()));
}

fn exported(path: &Path) -> (Vec<u8>, JournalTotals) {
    let journal = SledJournal::open(path, Options::default()).unwrap();
    let mut text = Vec::new();
    let extent = export(&journal, &mut text).unwrap();
    (text, extent)
}

fn restored(path: &Path, mut text: &[u8]) -> Result<JournalTotals, RestoreError> {
    restore(path, &Options::default(), &mut text, &mut |_events| {})
}

fn line_problem(text: &[u8]) -> (u64, LineProblem) {
    let folder = tempfile::tempdir().unwrap();
    let error = restored(folder.path(), text).unwrap_err();
    assert!(!folder.path().join("journal").exists(), "nothing may be restored: {error}");
    match error {
        RestoreError::Line { line, problem } => (line, problem),
        other => panic!("{other}"),
    }
}

/// An export of three events in two streams: five lines.
fn small() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), &[(0, 2), (5, 1)]);
    exported(folder.path()).0
}

fn lines(text: &[u8]) -> Vec<Vec<u8>> {
    text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_restored_export_exports_the_same(batches in prop::collection::vec((0_usize..8, 1_u32..40), 0..60)) {
        let folder = tempfile::tempdir().unwrap();
        let (original, copy) = (folder.path().join("original"), folder.path().join("copy"));
        fill(&original, &batches);
        let (text, extent) = exported(&original);
        prop_assert_eq!(restored(&copy, &text).unwrap(), extent);
        prop_assert_eq!(exported(&copy), (text, extent));
        let report = verify(&copy, &Options::default()).unwrap();
        prop_assert!(report.is_sound());
        prop_assert_eq!((report.events, report.streams), (extent.events, extent.streams));
    }
}

#[test]
fn a_restored_journal_continues_where_the_exported_one_ended() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("restored");
    assert_eq!(restored(&path, &small()).unwrap(), JournalTotals { streams: 2, events: 3 });
    let journal = SledJournal::open(&path, Options::default()).unwrap();
    let stream = streams()[0];
    let events = vec![Numbered { batch: 9, index: 0, total: 1 }.event(stream)];
    let append = Append { stream, after: 2, events };
    journal.append(Batch { at: UnixMs(99), appends: vec![append] }).blocking_recv().unwrap().unwrap();
    let mut batches = Vec::new();
    journal.replay(stream, 0, &mut |recorded| batches.push(Numbered::of(&recorded.event).batch)).unwrap();
    assert_eq!(batches, [1, 1, 9]);
}

#[test]
fn an_altered_export_is_refused_by_the_line() {
    let text = small();
    assert_eq!(lines(&text).len(), 5);
    let mut start = 0;
    for (number, line) in (1_u64..).zip(lines(&text)) {
        for at in (start..start + line.len()).step_by(9) {
            let mut altered = text.clone();
            altered[at] ^= 2;
            let (found, problem) = line_problem(&altered);
            // The first line is covered by the check of the second; a lost line feed joins a line with the next.
            let expected = if number == 1 { 1..=2 } else { number..=number };
            assert!(expected.contains(&found), "byte {at} of line {number}: line {found} {problem}");
        }
        start += line.len();
    }
}

#[test]
fn a_truncated_export_is_refused_by_the_line() {
    let text = small();
    for length in (0..text.len()).step_by(9) {
        let (found, problem) = line_problem(&text[..length]);
        let whole = lines(&text[..length]).iter().filter(|line| line.ends_with(b"\n")).map(|_| 1_u64).sum::<u64>();
        assert_eq!((found, problem), (whole + 1, LineProblem::Truncated), "cut to {length} bytes");
    }
}

#[test]
fn missing_duplicate_and_swapped_lines_are_refused() {
    let whole = lines(&small());
    let without = |at: usize| [&whole[..at], &whole[at + 1..]].concat().concat();
    assert_eq!(line_problem(&without(1)), (2, LineProblem::Altered));
    assert_eq!(line_problem(&without(3)), (4, LineProblem::WrongTotals));
    let mut doubled = whole.clone();
    doubled.insert(2, whole[1].clone());
    assert_eq!(line_problem(&doubled.concat()), (3, LineProblem::Altered));
    let mut swapped = whole.clone();
    swapped.swap(1, 2);
    assert_eq!(line_problem(&swapped.concat()), (2, LineProblem::Altered));
    let appended = [whole.concat(), b"\n".to_vec()].concat();
    assert_eq!(line_problem(&appended), (6, LineProblem::AfterEnd));
}

#[test]
fn a_newer_export_is_refused_as_such() {
    let text = String::from_utf8(small()).unwrap();
    for (old, new) in [(r#""version":1"#, r#""version":2"#), (r#""events":1"#, r#""events":2"#)] {
        let (line, problem) = line_problem(text.replacen(old, new, 1).as_bytes());
        assert!(line == 1 && matches!(problem, LineProblem::NewerVersion(_)), "line {line} {problem}");
    }
    let (line, problem) = line_problem(b"{\"format\":\"something else\",\"version\":1,\"events\":1}\n");
    assert!(line == 1 && matches!(problem, LineProblem::Unreadable(_)), "line {line} {problem}");
}

#[test]
fn a_folder_with_a_journal_is_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), &[(1, 3)]);
    let before = exported(folder.path());
    let refused = restored(folder.path(), &small()).unwrap_err();
    assert!(matches!(refused, RestoreError::Open(OpenError::NotEmpty { .. })), "{refused}");
    assert_eq!(exported(folder.path()), before);
}

#[test]
fn a_damaged_journal_is_replaced_by_moving_it_away_and_restoring() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), &[(1, 3), (2, 1), (1, 1)]);
    std::fs::rename(folder.path().join("journal"), folder.path().join("journal.damaged")).unwrap();
    let refused = SledJournal::open(folder.path(), Options::default()).unwrap_err();
    assert!(matches!(refused, OpenError::AcknowledgedLost { found: 0, .. }), "{refused}");
    restored(folder.path(), &small()).unwrap();
    assert_eq!(exported(folder.path()).0, small());
}

#[test]
fn progress_is_reported_at_intervals() {
    let folder = tempfile::tempdir().unwrap();
    let (original, copy) = (folder.path().join("original"), folder.path().join("copy"));
    fill(&original, &[(3, 25_000)]);
    let (text, _) = exported(&original);
    let mut reported = Vec::new();
    restore(&copy, &Options::default(), &mut &text[..], &mut |events| reported.push(events)).unwrap();
    assert_eq!(reported, [PROGRESS_EVENTS_EVERY, 2 * PROGRESS_EVENTS_EVERY]);
}
