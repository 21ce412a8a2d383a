//! The server's end of a backup: it sends the commits of its journal, which no other process can open.

use std::io::{self, BufReader, BufWriter};
use std::os::unix::net::UnixStream;
use std::sync::Weak;
use std::time::Duration;

use engine::journal::ReplayError;
use persistence::{CommitFeed, CommitSource as _, SledJournal};

use super::commit_frames::{Pull, PullEnd, read_line, write_frame, write_line};
use super::request::Reply;

/// The time that a client may be silent between two pulls; then it connects again.
const IDLE_TIMEOUT: Duration = Duration::from_hours(2);
/// The time that a client may take to read what was sent.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

/// The reason why a pull has ended early.
enum PullError {
    Journal(ReplayError),
    Client(io::Error),
}

impl From<ReplayError> for PullError {
    fn from(error: ReplayError) -> Self {
        Self::Journal(error)
    }
}

/// Sends commits after one until the client hangs up or the journal is closed. Blocks.
pub(super) fn serve(stream: &UnixStream, journal: &Weak<SledJournal>, after: u64) {
    if let Err(error) = try_serve(stream, journal, after) {
        tracing::warn!(%error, "a backup was disconnected");
    }
}

fn try_serve(stream: &UnixStream, journal: &Weak<SledJournal>, after: u64) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(IDLE_TIMEOUT))?;
    stream.set_write_timeout(Some(WRITE_TIMEOUT))?;
    let mut pulls = BufReader::new(stream);
    let mut out = BufWriter::with_capacity(64 * 1_024, stream);
    let Some(open) = journal.upgrade() else { return Ok(()) };
    let started = open.start_feed(after);
    drop(open);
    let (start, mut feed) = match started {
        Ok(started) => started,
        Err(error) => return write_line(&mut out, &Reply::Refused { reason: error.to_string() }),
    };
    write_line(&mut out, &Reply::CommitsFollow { start })?;
    // A feed that begins elsewhere has nothing for this client.
    while start.digest.is_some()
        && let Some(Pull { bytes_max }) = read_line(&mut pulls)?
    {
        // The journal is held during a pull only, so that a backup does not keep a stopped server's journal open.
        let Some(open) = journal.upgrade() else { return Ok(()) };
        let end = send(&mut out, &open, &mut feed, bytes_max)?;
        drop(open);
        write_line(&mut out, &end)?;
    }
    Ok(())
}

fn send(
    out: &mut BufWriter<&UnixStream>,
    journal: &SledJournal,
    feed: &mut CommitFeed,
    bytes_max: usize,
) -> io::Result<PullEnd> {
    let sent = journal.end().map_err(PullError::Journal).and_then(|end| {
        journal
            .read_feed(feed, bytes_max, &mut |commit| write_frame(out, commit.bytes()).map_err(PullError::Client))?;
        Ok(end)
    });
    let end = match sent {
        Ok(end) => PullEnd::End(end),
        Err(PullError::Journal(error)) => PullEnd::Error(error.to_string()),
        Err(PullError::Client(error)) => return Err(error),
    };
    write_frame(out, &[])?;
    Ok(end)
}
