//! Export of the whole journal as JSON lines, to read or to restore.

use std::{
    io::{self, Write},
    ops::ControlFlow,
};

use domain::Stream;
use engine::journal::{Recorded, ReplayError, Sequence};
use thiserror::Error;

use crate::{
    line::{Checks, EventLine, FORMAT, FORMAT_VERSION, FirstLine, LastLine, Totals},
    upcast::PAYLOAD_VERSION,
};

/// The contents of an export or of a restored journal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JournalTotals {
    /// The number of streams that have events.
    pub streams: u64,
    /// The number of events in all streams.
    pub events: u64,
}

/// The reason why an export failed. The partial output is not a valid export, because it lacks its last line.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The journal could not be read.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The output could not be written.
    #[error("cannot write the export: {0}")]
    Write(#[from] io::Error),
}

/// A journal that can be read as a whole.
pub trait WholeJournal {
    /// Passes the events that are durable now to `each`, stream by stream in order, with all checks, until it breaks
    /// off; commits made meanwhile are excluded. Returns their number.
    ///
    /// # Errors
    /// [`ReplayError`]; the events passed before it are valid.
    fn replay_whole(&self, each: &mut dyn FnMut(Stream, Recorded) -> ControlFlow<()>) -> Result<u64, ReplayError>;

    /// Passes at most `count` durable events of a stream after `after` to `each`, in order, with all checks but those of
    /// what lies before and after.
    ///
    /// # Errors
    /// [`ReplayError`]; the events passed before it are valid.
    fn read_events(
        &self,
        stream: Stream,
        after: Sequence,
        count: u64,
        each: &mut dyn FnMut(Recorded),
    ) -> Result<(), ReplayError>;
}

/// Writes all currently durable events in the format of `line`; commits made meanwhile are excluded.
///
/// # Errors
/// [`ExportError`].
pub fn export(journal: &impl WholeJournal, out: &mut impl Write) -> Result<JournalTotals, ExportError> {
    let mut lines = Lines { out, checks: Checks::default(), line: Vec::with_capacity(1_024) };
    lines.plain(&FirstLine { format: FORMAT.to_owned(), version: FORMAT_VERSION, events: PAYLOAD_VERSION })?;
    let mut extent = JournalTotals::default();
    let mut written = Ok(());
    journal.replay_whole(&mut |stream, recorded| {
        let Recorded { sequence, at, event } = recorded;
        extent.streams += u64::from(sequence == 1);
        extent.events += 1;
        written = lines.sealed(&EventLine { stream, sequence, at, event: &event });
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    written?;
    let totals = Totals { events: extent.events, streams: extent.streams, blake3: lines.checks.blake3() };
    lines.plain(&LastLine { end: totals })?;
    lines.out.flush()?;
    Ok(extent)
}

struct Lines<'a, W> {
    out: &'a mut W,
    checks: Checks,
    line: Vec<u8>,
}

impl<W: Write> Lines<'_, W> {
    fn plain(&mut self, line: &impl serde::Serialize) -> io::Result<()> {
        self.encode(line)?;
        self.checks.plain(&self.line);
        self.end()
    }

    fn sealed(&mut self, line: &impl serde::Serialize) -> io::Result<()> {
        self.encode(line)?;
        self.checks.seal(&mut self.line);
        self.end()
    }

    fn encode(&mut self, line: &impl serde::Serialize) -> io::Result<()> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, line).map_err(io::Error::from)
    }

    fn end(&mut self) -> io::Result<()> {
        self.line.push(b'\n');
        self.out.write_all(&self.line)
    }
}
