//! The lines of an exported journal.
//!
//! ```text
//! {"format":"lienbook-journal","version":1,"events":1}
//! {"stream":{"Book":7},"sequence":1,"at":1700000000000,"event":{"Book":{...}},"check":"5f3a09c1"}
//! ...
//! {"end":{"events":1,"streams":1,"blake3":"..."}}
//! ```
//!
//! Streams are in order, and so are the events of a stream, so equal journals give equal files. The check of a line is
//! the CRC32C of everything in the file before it, so the first altered or missing line is detected at once; the last
//! line's blake3 is over all lines before it.

use domain::{Event, Stream, UnixMs};
use engine::journal::Sequence;
use serde::{Deserialize, Serialize};

/// The name that every export begins with.
pub(crate) const FORMAT: &str = "lienbook-journal";
/// The version of the line format.
pub(crate) const FORMAT_VERSION: u8 = 1;
/// The maximum length of a line; events of the largest kinds take a few KiB.
pub(crate) const LINE_BYTES_MAX: usize = 16 * 1_024 * 1_024;

const CHECK_PREFIX: &[u8] = br#","check":""#;
const CHECK_SUFFIX: &[u8] = br#""}"#;
const CHECK_DIGITS: usize = 8;

/// The first line.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FirstLine {
    pub(crate) format: String,
    pub(crate) version: u8,
    /// The version of the events.
    pub(crate) events: u8,
}

/// A line between the first and the last.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct EventLine<E = Event> {
    pub(crate) stream: Stream,
    pub(crate) sequence: Sequence,
    pub(crate) at: UnixMs,
    pub(crate) event: E,
}

/// The last line.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LastLine {
    pub(crate) end: Totals,
}

/// The totals of all lines before the last.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Totals {
    pub(crate) events: u64,
    pub(crate) streams: u64,
    pub(crate) blake3: String,
}

/// The running checks of all lines so far.
#[derive(Debug, Default)]
pub(crate) struct Checks {
    crc: u32,
    hasher: blake3::Hasher,
}

impl Checks {
    /// Adds a line as it is, without its line feed.
    pub(crate) fn plain(&mut self, line: &[u8]) {
        self.crc = crc32c::crc32c_append(self.crc, line);
        self.hasher.update(line).update(b"\n");
    }

    /// Appends the check to a line, which is a JSON object.
    pub(crate) fn seal(&mut self, line: &mut Vec<u8>) {
        let closing = line.pop();
        debug_assert_eq!(closing, Some(b'}'), "a line is a JSON object");
        self.crc = crc32c::crc32c_append(self.crc, line);
        line.extend_from_slice(CHECK_PREFIX);
        line.extend_from_slice(format!("{:08x}", self.crc).as_bytes());
        line.extend_from_slice(CHECK_SUFFIX);
        self.hasher.update(line).update(b"\n");
    }

    /// Returns the line without its check, or `None` if it or an earlier line was altered.
    pub(crate) fn open(&mut self, line: &[u8]) -> Option<Vec<u8>> {
        let (rest, digits) = line.strip_suffix(CHECK_SUFFIX)?.split_last_chunk::<CHECK_DIGITS>()?;
        let body = rest.strip_suffix(CHECK_PREFIX)?;
        let crc = crc32c::crc32c_append(self.crc, body);
        if format!("{crc:08x}").as_bytes() != digits {
            return None;
        }
        self.crc = crc;
        self.hasher.update(line).update(b"\n");
        Some([body, b"}"].concat())
    }

    pub(crate) fn blake3(&self) -> String {
        self.hasher.finalize().to_hex().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_line_opens_only_unaltered_and_in_its_place() {
        let mut line = br#"{"sequence":1}"#.to_vec();
        let mut writing = Checks::default();
        writing.plain(b"first");
        writing.seal(&mut line);
        let reading = || {
            let mut reading = Checks::default();
            reading.plain(b"first");
            reading
        };
        assert_eq!(reading().open(&line).unwrap(), br#"{"sequence":1}"#);
        assert!(Checks::default().open(&line).is_none(), "the line before is missing");
        for at in 0..line.len() {
            let mut altered = line.clone();
            altered[at] ^= 1;
            assert!(reading().open(&altered).is_none(), "byte {at}");
        }
    }
}
