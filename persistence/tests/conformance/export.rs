//! Export and restore of everything, unaltered, or of nothing.

use domain::UnixMs;
use engine::journal::{Append, Batch, Journal as _};
use persistence::{
    CommitLimits, JournalTotals, LineProblem, OpenError, Options, PROGRESS_EVENTS_EVERY, RestoreError, SledJournal,
    WholeJournal as _, export,
};
use proptest::{prelude::*, test_runner::TestRunner};

use crate::{
    form::{Form, SledForm},
    numbered::{Numbered, streams},
    on_every_form,
};

on_every_form! {
    a_restored_export_exports_the_same,
    a_restored_journal_continues_where_the_exported_one_ended,
    an_altered_export_is_refused_by_the_line,
    a_truncated_export_is_refused_by_the_line,
    missing_duplicate_and_swapped_lines_are_refused,
    a_place_with_a_journal_is_not_changed,
    progress_is_reported_at_intervals,
    any_part_of_a_stream_can_be_read,
}

/// Appends one batch per entry: the stream's index and the number of events.
fn fill<F: Form>(place: &F, batches: &[(usize, u32)]) {
    let journal = place.open(CommitLimits::default()).unwrap();
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

fn exported<F: Form>(place: &F) -> (Vec<u8>, JournalTotals) {
    let journal = place.open(CommitLimits::default()).unwrap();
    let mut text = Vec::new();
    let extent = export(&journal, &mut text).unwrap();
    (text, extent)
}

fn restored<F: Form>(place: &F, mut text: &[u8]) -> Result<JournalTotals, RestoreError> {
    place.restore(&mut text, &mut |_events| {})
}

/// Restores into a place without a journal, and expects that it has none afterwards.
fn line_problem<F: Form>(place: &F, text: &[u8]) -> (u64, LineProblem) {
    let error = restored(place, text).unwrap_err();
    let events = place.verify().map_or(0, |report| report.events + report.last_commit);
    assert_eq!(events, 0, "nothing may be restored: {error}");
    match error {
        RestoreError::Line { line, problem } => (line, problem),
        other => panic!("{other}"),
    }
}

/// An export of three events in two streams: five lines.
fn small() -> Vec<u8> {
    let place = SledForm::empty();
    fill(&place, &[(0, 2), (5, 1)]);
    exported(&place).0
}

fn lines(text: &[u8]) -> Vec<Vec<u8>> {
    text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
}

fn a_restored_export_exports_the_same<F: Form>() {
    let mut runner =
        TestRunner::new(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() });
    let batches = prop::collection::vec((0_usize..8, 1_u32..40), 0..60);
    let outcome = runner.run(&batches, |batches| {
        let (original, copy) = (F::empty(), F::empty());
        fill(&original, &batches);
        let (text, extent) = exported(&original);
        prop_assert_eq!(restored(&copy, &text).unwrap(), extent);
        prop_assert_eq!(exported(&copy), (text, extent));
        let report = copy.verify().unwrap();
        prop_assert!(report.is_sound());
        prop_assert_eq!((report.events, report.streams), (extent.events, extent.streams));
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}

fn a_restored_journal_continues_where_the_exported_one_ended<F: Form>() {
    let place = F::empty();
    assert_eq!(restored(&place, &small()).unwrap(), JournalTotals { streams: 2, events: 3 });
    let journal = place.open(CommitLimits::default()).unwrap();
    let stream = streams()[0];
    let events = vec![Numbered { batch: 9, index: 0, total: 1 }.event(stream)];
    let append = Append { stream, after: 2, events };
    journal.append(Batch { at: UnixMs(99), appends: vec![append] }).blocking_recv().unwrap().unwrap();
    let mut batches = Vec::new();
    journal.replay(stream, 0, &mut |recorded| batches.push(Numbered::of(&recorded.event).batch)).unwrap();
    assert_eq!(batches, [1, 1, 9]);
}

fn an_altered_export_is_refused_by_the_line<F: Form>() {
    let place = F::empty();
    let text = small();
    assert_eq!(lines(&text).len(), 5);
    let mut start = 0;
    for (number, line) in (1_u64..).zip(lines(&text)) {
        for at in (start..start + line.len()).step_by(9) {
            let mut altered = text.clone();
            altered[at] ^= 2;
            let (found, problem) = line_problem(&place, &altered);
            // The first line is covered by the check of the second; a lost line feed joins a line with the next.
            let expected = if number == 1 { 1..=2 } else { number..=number };
            assert!(expected.contains(&found), "byte {at} of line {number}: line {found} {problem}");
        }
        start += line.len();
    }
}

fn a_truncated_export_is_refused_by_the_line<F: Form>() {
    let place = F::empty();
    let text = small();
    for length in (0..text.len()).step_by(9) {
        let (found, problem) = line_problem(&place, &text[..length]);
        let whole = lines(&text[..length]).iter().filter(|line| line.ends_with(b"\n")).map(|_| 1_u64).sum::<u64>();
        assert_eq!((found, problem), (whole + 1, LineProblem::Truncated), "cut to {length} bytes");
    }
}

fn missing_duplicate_and_swapped_lines_are_refused<F: Form>() {
    let place = F::empty();
    let whole = lines(&small());
    let without = |at: usize| [&whole[..at], &whole[at + 1..]].concat().concat();
    assert_eq!(line_problem(&place, &without(1)), (2, LineProblem::Altered));
    assert_eq!(line_problem(&place, &without(3)), (4, LineProblem::WrongTotals));
    let mut doubled = whole.clone();
    doubled.insert(2, whole[1].clone());
    assert_eq!(line_problem(&place, &doubled.concat()), (3, LineProblem::Altered));
    let mut swapped = whole.clone();
    swapped.swap(1, 2);
    assert_eq!(line_problem(&place, &swapped.concat()), (2, LineProblem::Altered));
    let appended = [whole.concat(), b"\n".to_vec()].concat();
    assert_eq!(line_problem(&place, &appended), (6, LineProblem::AfterEnd));
}

#[test]
fn a_newer_export_is_refused_as_such() {
    let place = SledForm::empty();
    let text = String::from_utf8(small()).unwrap();
    for (old, new) in [(r#""version":1"#, r#""version":2"#), (r#""events":1"#, r#""events":2"#)] {
        let (line, problem) = line_problem(&place, text.replacen(old, new, 1).as_bytes());
        assert!(line == 1 && matches!(problem, LineProblem::NewerVersion(_)), "line {line} {problem}");
    }
    let (line, problem) = line_problem(&place, b"{\"format\":\"something else\",\"version\":1,\"events\":1}\n");
    assert!(line == 1 && matches!(problem, LineProblem::Unreadable(_)), "line {line} {problem}");
}

fn a_place_with_a_journal_is_not_changed<F: Form>() {
    let place = F::empty();
    fill(&place, &[(1, 3)]);
    let before = exported(&place);
    let refused = restored(&place, &small()).unwrap_err();
    assert!(matches!(&refused, RestoreError::Open(error) if F::is_not_empty(error)), "{refused}");
    assert_eq!(exported(&place), before);
}

#[test]
fn a_damaged_journal_is_replaced_by_moving_it_away_and_restoring() {
    let place = SledForm::empty();
    fill(&place, &[(1, 3), (2, 1), (1, 1)]);
    let folder = place.0.path();
    std::fs::rename(folder.join("journal"), folder.join("journal.damaged")).unwrap();
    let refused = SledJournal::open(folder, Options::default()).unwrap_err();
    assert!(matches!(refused, OpenError::AcknowledgedLost { found: 0, .. }), "{refused}");
    restored(&place, &small()).unwrap();
    assert_eq!(exported(&place).0, small());
}

fn progress_is_reported_at_intervals<F: Form>() {
    let (original, copy) = (SledForm::empty(), F::empty());
    fill(&original, &[(3, 25_000)]);
    let (text, _) = exported(&original);
    let mut reported = Vec::new();
    copy.restore(&mut &text[..], &mut |events| reported.push(events)).unwrap();
    assert_eq!(reported, [PROGRESS_EVENTS_EVERY, 2 * PROGRESS_EVENTS_EVERY]);
}

/// Every part of every stream is what a replay of the whole stream has there.
fn any_part_of_a_stream_can_be_read<F: Form>() {
    let place = &F::empty();
    fill(place, &[(0, 3), (1, 700), (0, 90), (1, 1), (2, 40), (1, 300)]);
    let journal = place.open(CommitLimits { block_bytes: 200, ..CommitLimits::default() }).unwrap();
    for stream in streams() {
        let mut all = Vec::new();
        journal.replay(stream, 0, &mut |recorded| all.push(recorded)).unwrap();
        for (after, count) in [(0, 1), (0, 1_000_000), (2, 5), (89, 700), (500, 1), (999, 7), (1_001, 1), (u64::MAX, 3)]
        {
            let mut part = Vec::new();
            journal.read_events(stream, after, count, &mut |recorded| part.push(recorded)).unwrap();
            let expected =
                all.iter().filter(|recorded| recorded.sequence > after).take(usize::try_from(count).unwrap());
            assert!(expected.eq(&part), "{stream:?}: {count} after {after}");
        }
    }
}
