//! The last line of an export, by which two exports are compared.

use std::io::{self, Write};

use serde::Deserialize;

/// The totals of an export, and the digest of all its lines before the last.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct ExportEnd {
    /// The number of events.
    pub(super) events: u64,
    /// The number of streams.
    pub(super) streams: u64,
    /// The digest, in hexadecimal digits.
    pub(super) blake3: String,
}

/// A writer that keeps the last line of what passes through it.
pub(super) struct LastLine<W> {
    inner: W,
    line: Vec<u8>,
    /// Whether `line` has its line feed, so that the next byte begins another one.
    is_complete: bool,
}

impl<W> LastLine<W> {
    pub(super) const fn new(inner: W) -> Self {
        Self { inner, line: Vec::new(), is_complete: false }
    }

    /// Parses the last line; `None` if what was written is no complete export.
    pub(super) fn end(&self) -> Option<ExportEnd> {
        #[derive(Deserialize)]
        struct Line {
            end: ExportEnd,
        }
        if !self.is_complete {
            return None;
        }
        serde_json::from_slice(&self.line).ok().map(|Line { end }| end)
    }
}

impl<W: Write> Write for LastLine<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        for part in bytes.get(..written).unwrap_or(bytes).split_inclusive(|byte| *byte == b'\n') {
            if self.is_complete {
                self.line.clear();
            }
            self.line.extend_from_slice(part);
            self.is_complete = part.ends_with(b"\n");
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A writer that takes a few bytes at a time.
    struct Slow(Vec<u8>);

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let taken = bytes.len().min(3);
            self.0.extend_from_slice(&bytes[..taken]);
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_end_is_that_of_a_complete_export_alone() {
        let text = "{\"format\":\"x\"}\n{\"event\":1}\n{\"end\":{\"events\":1,\"streams\":2,\"blake3\":\"ab\"}}\n";
        let end = |text: &str| {
            let mut lines = LastLine::new(Slow(Vec::new()));
            lines.write_all(text.as_bytes()).unwrap();
            assert_eq!(lines.inner.0, text.as_bytes(), "everything passes through");
            lines.end()
        };
        assert_eq!(end(text), Some(ExportEnd { events: 1, streams: 2, blake3: "ab".to_owned() }));
        for cut in 0..text.len() {
            assert_eq!(end(&text[..cut]), None, "{cut} bytes");
        }
        assert_eq!(end(&format!("{text}\n")), None);
    }
}
