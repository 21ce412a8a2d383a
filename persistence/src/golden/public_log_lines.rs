//! The lines of a public log for every kind of event of a book. They are hashed into heads that were published, so a line
//! never changes: a new field of an event is left out where it has its old meaning.

use std::{env, fmt::Write as _, fs, path::PathBuf};

use domain::{Event, GroupId, UnixMs};
use public_log::{LogEntry, Pseudonyms, entry_line, genesis_line, redact};

use super::{ADD_LINES, samples, samples::group};

#[test]
fn the_lines_of_public_logs_are_as_they_always_were() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/public_log.txt");
    let mut golden = fs::read_to_string(&path).unwrap_or_default();
    let mut pseudonyms = Pseudonyms::new(&[7; 32], GroupId(3));
    let events = samples().into_iter().filter_map(|(kind, _, event)| match event {
        Event::Book(event) => Some((kind, event)),
        _ => None,
    });
    let mut lines = vec![("genesis", genesis_line(&group()).unwrap())];
    lines.extend(events.map(|(kind, event)| {
        let event = redact(&event, &mut pseudonyms);
        (kind, entry_line(&LogEntry { sequence: 34, at: UnixMs(1_700_000_000_000), event }).unwrap())
    }));
    for (kind, line) in lines {
        let line = String::from_utf8(line).unwrap();
        let found = golden.lines().find_map(|known| known.strip_prefix(kind)?.strip_prefix(' '));
        if let Some(found) = found {
            assert_eq!(found, line, "the line of {kind} has changed");
        } else {
            assert!(env::var_os(ADD_LINES).is_some(), "run once with {ADD_LINES}=1 to add {kind}:\n{line}");
            writeln!(golden, "{kind} {line}").unwrap();
        }
    }
    if env::var_os(ADD_LINES).is_some() {
        fs::write(path, golden).unwrap();
    }
}
