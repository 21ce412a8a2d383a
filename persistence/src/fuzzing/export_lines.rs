//! Exports, as an operator restores them.

use std::collections::BTreeMap;

use engine::journal::Recorded;

use crate::{
    block::{Block, Hash},
    commit_builder::Commit,
    export::JournalTotals,
    line::{Checks, EventLine, FORMAT, FORMAT_VERSION, FirstLine, LastLine, Totals},
    options::CommitLimits,
    restore::{RestoreTarget, restore_lines},
    stream_key::StreamKey,
    upcast::PAYLOAD_VERSION,
};

/// The events of the commits that were written.
#[derive(Debug, Default)]
struct Written {
    events: Vec<(StreamKey, Recorded)>,
    hashes: BTreeMap<StreamKey, Hash>,
    commits: u64,
}

impl RestoreTarget for Written {
    fn write(&mut self, commit: Commit) -> Result<(), String> {
        self.commits += 1;
        assert_eq!(commit.number, self.commits);
        for sealed in &commit.blocks {
            let block = Block::parse(&sealed.bytes).unwrap();
            let stream = block.header.stream;
            let previous = self.hashes.insert(stream, block.hash).unwrap_or_default();
            assert_eq!(block.header.previous, previous);
            block.events(&mut |recorded| self.events.push((stream, recorded))).unwrap();
        }
        Ok(())
    }
}

/// An export: the first byte selects whether the others are the whole file, or the lines of events without their checks.
///
/// An accepted export is restored as exactly the events of its lines, and a refused one is refused with a reason.
#[must_use]
pub fn export_lines(bytes: &[u8]) -> bool {
    let Some((&selector, rest)) = bytes.split_first() else { return false };
    let file = if selector % 2 == 0 { rest.to_vec() } else { sealed(rest) };
    let mut written = Written::default();
    let restored = restore_lines(&mut file.as_slice(), CommitLimits::default(), &mut written, &mut |_| {});
    let (totals, commits) = match restored {
        Ok(restored) => restored,
        Err(refusal) => {
            assert!(!refusal.to_string().is_empty());
            return false;
        }
    };
    assert_eq!(commits, written.commits);
    let lines: Vec<EventLine> = file.split(|byte| *byte == b'\n').filter_map(unsealed).collect();
    let expected: Vec<(StreamKey, Recorded)> = lines
        .into_iter()
        .map(|EventLine { stream, sequence, at, event }| (stream.into(), Recorded { sequence, at, event }))
        .collect();
    assert_eq!(totals.events, u64::try_from(expected.len()).unwrap());
    assert_eq!(written.events, expected);
    true
}

/// Returns a whole export of these lines.
fn sealed(lines: &[u8]) -> Vec<u8> {
    let (mut checks, mut file, mut totals) = (Checks::default(), Vec::new(), JournalTotals::default());
    let first = FirstLine { format: FORMAT.to_owned(), version: FORMAT_VERSION, events: PAYLOAD_VERSION };
    let end = |file: &mut Vec<u8>, line: &[u8]| file.extend([line, b"\n"].concat());
    let first = serde_json::to_vec(&first).unwrap();
    checks.plain(&first);
    end(&mut file, &first);
    for line in lines.split(|byte| *byte == b'\n').filter(|line| line.ends_with(b"}")) {
        totals.events += 1;
        totals.streams += u64::from(serde_json::from_slice::<EventLine>(line).is_ok_and(|line| line.sequence == 1));
        let mut line = line.to_vec();
        checks.seal(&mut line);
        end(&mut file, &line);
    }
    let totals = Totals { events: totals.events, streams: totals.streams, blake3: checks.blake3() };
    end(&mut file, &serde_json::to_vec(&LastLine { end: totals }).unwrap());
    file
}

/// Returns the event of a line, whose check is not checked again.
fn unsealed(line: &[u8]) -> Option<EventLine> {
    let check = line.len().checked_sub(br#","check":"00000000"}"#.len())?;
    let body = line.get(..check)?;
    serde_json::from_slice(&[body, b"}"].concat()).ok()
}
