//! A progress line on standard error.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use super::terminal::note;
use crate::number::grouped;

const EVERY: Duration = Duration::from_millis(200);

/// A counter; on a terminal the line is rewritten in place, elsewhere only the total is written.
pub(super) struct Progress {
    what: &'static str,
    is_terminal: bool,
    shown_at: Option<Instant>,
}

impl Progress {
    /// Builds a counter of `what`, such as "events restored".
    pub(super) fn new(what: &'static str) -> Self {
        Self { what, is_terminal: io::stderr().is_terminal(), shown_at: None }
    }

    /// Shows a count, at most five times per second.
    pub(super) fn at(&mut self, count: u64) {
        if !self.is_terminal || self.shown_at.is_some_and(|shown| shown.elapsed() < EVERY) {
            return;
        }
        self.shown_at = Some(Instant::now());
        let mut terminal = io::stderr().lock();
        // A progress line that cannot be written does not stop the work.
        let _ = write!(terminal, "\r{} {}", grouped(count), self.what);
        let _ = terminal.flush();
    }

    /// Shows the total.
    pub(super) fn finish(self, total: u64) {
        let start = if self.is_terminal { "\r" } else { "" };
        note(format_args!("{start}{} {}", grouped(total), self.what));
    }
}

/// A writer that counts the lines that pass through it.
pub(super) struct CountedLines<W> {
    inner: W,
    lines: u64,
    progress: Progress,
}

impl<W> CountedLines<W> {
    pub(super) fn new(inner: W, progress: Progress) -> Self {
        Self { inner, lines: 0, progress }
    }

    pub(super) fn into_parts(self) -> (W, Progress) {
        (self.inner, self.progress)
    }
}

impl<W: io::Write> io::Write for CountedLines<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        let lines = bytes.iter().take(written).filter(|byte| **byte == b'\n').count();
        self.lines += u64::try_from(lines).unwrap_or(0);
        self.progress.at(self.lines);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
