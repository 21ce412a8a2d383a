//! Restoration of an exported journal into an empty store.

use std::{
    fmt,
    io::{self, BufRead, Read as _},
};

use domain::Stream;
use engine::journal::{Append, Batch, Sequence};
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::{
    backup_error::BackupError,
    commit_builder::{Commit, CommitBuilder},
    export::JournalTotals,
    heads::Heads,
    line::{Checks, EventLine, FORMAT, FORMAT_VERSION, FirstLine, LINE_BYTES_MAX, LastLine},
    open_error::OpenError,
    options::CommitLimits,
    upcast,
};

/// The interval of progress reports, in events.
pub const PROGRESS_EVENTS_EVERY: u64 = 10_000;

/// The reason why nothing was restored; there is still no journal.
#[derive(Debug, Error)]
pub enum RestoreError {
    /// The folder or database cannot be used, or has a journal already.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The file is not a complete, unaltered export.
    #[error("line {line} of the export {problem}; nothing was restored")]
    Line {
        /// The line number, from 1.
        line: u64,
        /// The fault of the line.
        problem: LineProblem,
    },
    /// The backup is not complete and sound, or does not reach the moment.
    #[error("{0}; nothing was restored")]
    Backup(#[from] BackupError),
    /// The file could not be read.
    #[error("cannot read the export: {0}; nothing was restored")]
    Read(#[from] io::Error),
    /// The journal could not be written.
    #[error("cannot write the restored journal: {0}; nothing was restored")]
    Write(String),
}

/// The fault of a line; completes the sentence "line 3 of the export ...".
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineProblem {
    /// The file ends before the line, or in the middle of it.
    Truncated,
    /// The line is longer than any line of an export.
    TooLong,
    /// Its check does not match: it was altered, or a line before it is missing.
    Altered,
    /// It is not what an export has at this place.
    Unreadable(String),
    /// It was written by a newer version of this program.
    NewerVersion(String),
    /// It does not follow from the line before it.
    OutOfOrder,
    /// The totals of the last line do not match the lines before it.
    WrongTotals,
    /// It comes after the last line.
    AfterEnd,
}

impl fmt::Display for LineProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated => f.write_str("is missing or incomplete: the file is truncated"),
            Self::TooLong => write!(f, "is longer than {LINE_BYTES_MAX} bytes"),
            Self::Altered => f.write_str("was altered, or the line before it is missing: its check does not match"),
            Self::Unreadable(reason) => write!(f, "cannot be read: {reason}"),
            Self::NewerVersion(what) => write!(f, "was written by a newer version of lienbook ({what}): use that one"),
            Self::OutOfOrder => f.write_str("is out of order"),
            Self::WrongTotals => f.write_str("does not agree with the lines before it"),
            Self::AfterEnd => f.write_str("comes after the end of the export"),
        }
    }
}

/// The store that a journal is restored into.
pub(crate) trait RestoreTarget {
    /// Writes the next commit; `Err` is the reason why it cannot.
    fn write(&mut self, commit: Commit) -> Result<(), String>;
}

/// Writes the events of an export as commits into an empty store. Returns the totals and the last commit.
///
/// The caller publishes the store only if this succeeds: then the whole file was found complete and unaltered.
pub(crate) fn restore_lines(
    input: &mut impl BufRead,
    limits: CommitLimits,
    target: &mut dyn RestoreTarget,
    progress: &mut dyn FnMut(u64),
) -> Result<(JournalTotals, u64), RestoreError> {
    let mut lines = Lines { input, number: 0, checks: Checks::default(), line: Vec::new() };
    let mut writer = RestoreWriter { target, limits, heads: Heads::default(), pending: Vec::new() };
    let totals = lines.restore(&mut writer, progress)?;
    writer.write()?;
    Ok((totals, writer.heads.commit))
}

struct Lines<'a, R> {
    input: &'a mut R,
    number: u64,
    checks: Checks,
    line: Vec<u8>,
}

impl<R: BufRead> Lines<'_, R> {
    fn restore(
        &mut self,
        writer: &mut RestoreWriter<'_>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<JournalTotals, RestoreError> {
        let version = self.first()?;
        let mut extent = JournalTotals::default();
        let mut last: Option<(Stream, Sequence)> = None;
        loop {
            self.next()?;
            if self.line.starts_with(br#"{"end":"#) {
                return self.finish(extent);
            }
            let line = self.event(version)?;
            let follows = match last {
                Some((stream, sequence)) if stream == line.stream => line.sequence == sequence + 1,
                Some((stream, _)) => line.sequence == 1 && line.stream > stream,
                None => line.sequence == 1,
            };
            if !follows {
                return Err(self.problem(LineProblem::OutOfOrder));
            }
            extent.streams += u64::from(line.sequence == 1);
            extent.events += 1;
            last = Some((line.stream, line.sequence));
            writer.push(line)?;
            if extent.events.is_multiple_of(PROGRESS_EVENTS_EVERY) {
                progress(extent.events);
            }
        }
    }

    /// Reads the first line and returns the version of the events.
    fn first(&mut self) -> Result<u8, RestoreError> {
        self.next()?;
        let FirstLine { format, version, events } = self.parse(&self.line)?;
        if format != FORMAT {
            return Err(self.problem(LineProblem::Unreadable(format!("the format is not {FORMAT:?}"))));
        }
        if version != FORMAT_VERSION {
            let found = format!("format {version}, this one reads up to {FORMAT_VERSION}");
            return Err(self.problem(LineProblem::NewerVersion(found)));
        }
        upcast::ensure_known(events).map_err(|problem| self.problem(LineProblem::NewerVersion(problem.to_string())))?;
        self.checks.plain(&self.line);
        Ok(events)
    }

    fn event(&mut self, version: u8) -> Result<EventLine, RestoreError> {
        let Some(body) = self.checks.open(&self.line) else { return Err(self.problem(LineProblem::Altered)) };
        upcast::from_json(version, &body).map_err(|error| self.problem(LineProblem::Unreadable(error)))
    }

    fn finish(&mut self, extent: JournalTotals) -> Result<JournalTotals, RestoreError> {
        let LastLine { end } = self.parse(&self.line)?;
        let agrees = (end.events, end.streams) == (extent.events, extent.streams) && end.blake3 == self.checks.blake3();
        if !agrees {
            return Err(self.problem(LineProblem::WrongTotals));
        }
        if !self.input.fill_buf()?.is_empty() {
            self.number += 1;
            return Err(self.problem(LineProblem::AfterEnd));
        }
        Ok(extent)
    }

    /// Reads the next line, without its line feed.
    fn next(&mut self) -> Result<(), RestoreError> {
        self.number += 1;
        self.line.clear();
        let limit = u64::try_from(LINE_BYTES_MAX).unwrap_or(u64::MAX);
        let read = (&mut *self.input).take(limit).read_until(b'\n', &mut self.line)?;
        match self.line.pop() {
            Some(b'\n') => Ok(()),
            Some(_) if read == LINE_BYTES_MAX => Err(self.problem(LineProblem::TooLong)),
            _ => Err(self.problem(LineProblem::Truncated)),
        }
    }

    fn parse<T: DeserializeOwned>(&self, line: &[u8]) -> Result<T, RestoreError> {
        serde_json::from_slice(line).map_err(|error| self.problem(LineProblem::Unreadable(error.to_string())))
    }

    const fn problem(&self, problem: LineProblem) -> RestoreError {
        RestoreError::Line { line: self.number, problem }
    }
}

/// A journal that is being restored.
struct RestoreWriter<'a> {
    target: &'a mut dyn RestoreTarget,
    limits: CommitLimits,
    heads: Heads,
    pending: Vec<EventLine>,
}

impl RestoreWriter<'_> {
    fn push(&mut self, line: EventLine) -> Result<(), RestoreError> {
        self.pending.push(line);
        if self.pending.len() >= self.limits.commit_events_max { self.write() } else { Ok(()) }
    }

    /// Writes the pending events as one commit.
    fn write(&mut self) -> Result<(), RestoreError> {
        let failed = |reason: &dyn fmt::Display| RestoreError::Write(reason.to_string());
        let mut builder = CommitBuilder::new(&self.heads, self.limits);
        for EventLine { stream, sequence, at, event } in self.pending.drain(..) {
            let append = Append { stream, after: sequence - 1, events: vec![event] };
            let accepted = builder.accept(&Batch { at, appends: vec![append] });
            accepted.map_err(|error| failed(&error))?.map_err(|error| failed(&error))?;
        }
        let Some(commit) = builder.seal().map_err(|error| failed(&error))? else { return Ok(()) };
        self.heads.advance(commit.number, commit.heads.clone());
        self.target.write(commit).map_err(RestoreError::Write)
    }
}
