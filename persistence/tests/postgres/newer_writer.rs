//! A writer of a newer version: an older program follows it up to the first commit that it cannot read, and passes on no
//! part of that one.

use domain::UnixMs;
use engine::journal::{Append, Batch, Journal as _, Position, SharedJournal as _};
use persistence::{CommitLimits, CommitSource as _, PieceBuilder, PostgresJournal};

use crate::{
    form::{Form as _, PostgresForm},
    numbered::{Numbered, streams},
};

/// The places of a block's fields.
const FORMAT_AT: usize = 0;
const EVENTS_AT: usize = 1;
const STREAM_AT: usize = 22;
/// The first event begins with the milliseconds since the block's time, which are none, and its kind.
const KIND_AT: usize = 108;

/// A number that no present version has given.
const UNKNOWN: u8 = 99;

/// Appends an event to a stream of its own.
fn append(journal: &PostgresJournal, batch: u64) -> Position {
    let stream = streams()[usize::try_from(batch).unwrap()];
    let events = vec![Numbered { batch, index: 0, total: 1 }.event(stream)];
    let append = Append { stream, after: 0, events };
    journal.append(Batch { at: UnixMs(batch), appends: vec![append] }).blocking_recv().unwrap().unwrap()
}

/// Changes a byte of the block of a commit, as a program would have written it: with a correct checksum.
fn rewrite(place: &PostgresForm, position: Position, at: usize) {
    let hexadecimal =
        place.sql(&format!("SELECT encode(block, 'hex') FROM lienbook_block WHERE position = {}", position.0));
    let digits: Vec<char> = hexadecimal.chars().collect();
    let byte = |pair: &[char]| u8::from_str_radix(&pair.iter().collect::<String>(), 16).unwrap();
    let mut block: Vec<u8> = digits.chunks(2).map(byte).collect();
    assert!(block[at] < UNKNOWN, "byte {at} is {}", block[at]);
    block[at] = UNKNOWN;
    let end = block.len() - 4;
    let checksum = crc32c::crc32c(&block[..end]);
    block[end..].copy_from_slice(&checksum.to_be_bytes());
    let block = block.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"));
    // The stream is in the key of the row, too.
    let key = &block[2 * STREAM_AT..2 * (STREAM_AT + 17)];
    place.sql(&format!(
        "UPDATE lienbook_block SET block = decode('{block}', 'hex'), stream = decode('{key}', 'hex') WHERE position = {}",
        position.0
    ));
}

#[test]
fn an_older_program_stops_at_the_first_commit_of_a_newer_one() {
    for (at, reason) in [
        (FORMAT_AT, "it was written by a newer version of lienbook (format 99; this one, "),
        (EVENTS_AT, "its events were written by a newer version of lienbook (events 99; this one, "),
        (STREAM_AT, "its kind of stream was defined by a newer version of lienbook than this one, "),
        (KIND_AT, "its kind of event was defined by a newer version of lienbook than this one, "),
    ] {
        let place = PostgresForm::empty();
        let writer = place.open(CommitLimits::default()).unwrap();
        append(&writer, 1);
        let follower = PostgresJournal::open(&place.address, PostgresForm::options(CommitLimits::default())).unwrap();
        // What it can read it follows, from a newer writer, too.
        append(&writer, 2);
        let mut passed_on = Vec::new();
        assert_eq!(follower.read_commits(&mut |commit| passed_on.push(commit.position)).unwrap(), Position(2));
        let newer = append(&writer, 3);
        rewrite(&place, newer, at);

        for _ in 0..2 {
            let error = follower.read_commits(&mut |commit| passed_on.push(commit.position)).unwrap_err().to_string();
            assert!(error.contains(reason) && error.contains(env!("CARGO_PKG_VERSION")), "{error}");
            assert!(error.ends_with("; start the newer version") && !error.contains("damaged"), "{error}");
            assert_eq!((follower.position(), passed_on.as_slice()), (Position(2), &[Position(2)][..]));
        }
        // A backup takes nothing of it either.
        let (start, mut feed) = follower.start_feed(0).unwrap();
        let mut piece = PieceBuilder::new(None, start.journal.unwrap());
        let error = follower.read_feed(&mut feed, usize::MAX, &mut |commit| piece.push(&commit)).unwrap_err();
        assert!(error.to_string().contains(reason), "{error}");
        assert_eq!((piece.point(), feed.point().position), (feed.point(), 2));

        // Nor does a program that starts on it.
        let opened = PostgresJournal::open(&place.address, PostgresForm::options(CommitLimits::default()));
        let error = match opened {
            Err(error) => error.to_string(),
            Ok(opened) => opened.replay(streams()[3], 0, &mut |_| {}).unwrap_err().to_string(),
        };
        assert!(error.contains(reason) && error.ends_with("; start the newer version"), "{error}");
        let report = place.verify().unwrap();
        assert!(!report.is_sound() && report.problems[0].contains(reason), "{report:?}");
    }
}
