//! The log of everything that was signed: JSON lines, each with the hash of the previous one.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use bitcoin::hashes::{Hash as _, sha256};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::as_text;
use crate::entry::Entry;
use crate::key_file::sync_folder_of;
use crate::log_sync::{LogFailed, LogSync};

/// The maximum length of a line, in bytes: a transaction with the maximum number of inputs, and its message.
const LINE_LENGTH_MAX: u64 = 262_144;

/// The time for which the end of another signer is awaited, and the interval of looking.
const RELEASE_TIMEOUT: Duration = Duration::from_secs(1);
const RELEASE_CHECK: Duration = Duration::from_millis(5);

/// One line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    /// The number of lines before it.
    seq: u64,
    /// The SHA-256 of the previous line, without its newline; zeros in the first.
    #[serde(with = "as_text")]
    prev: sha256::Hash,
    /// The time of writing, in Unix milliseconds; never before that of the previous line.
    time_ms: u64,
    /// The event.
    entry: Entry,
}

/// An open log, locked against other processes.
#[derive(Debug)]
pub struct SigningLog {
    file: Arc<File>,
    sync: Arc<LogSync>,
    next_seq: u64,
    last_hash: sha256::Hash,
    last_time_ms: u64,
    is_broken: bool,
}

/// The reason why a log cannot be used.
#[derive(Debug, Error)]
pub enum LogError {
    /// The file cannot be used.
    #[error("{path}: {source}")]
    File {
        /// The file's path.
        path: PathBuf,
        /// The I/O error.
        source: io::Error,
    },
    /// Another signer uses the log: two with one log would not see what the other signs.
    #[error("another signer uses {path}")]
    InUse {
        /// The file's path.
        path: PathBuf,
    },
    /// A complete line was altered. Nothing is repaired: the operator must find out what happened.
    #[error("line {line} of {path} {fault}: nothing is signed until the operator has investigated")]
    Damaged {
        /// The file's path.
        path: PathBuf,
        /// The number of the line, from 1.
        line: u64,
        /// The fault.
        fault: LineFault,
    },
}

/// The fault of a line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LineFault {
    /// Not JSON, or not of this format.
    #[error("is not understood")]
    Unreadable,
    /// Longer than the maximum.
    #[error("is longer than {LINE_LENGTH_MAX} bytes")]
    TooLong,
    /// A line is missing or duplicated.
    #[error("has the number {found}, and should have {expected}")]
    Number {
        /// The number of lines before it.
        expected: u64,
        /// The number in the line.
        found: u64,
    },
    /// It contains the hash of another previous line.
    #[error("does not follow from the line before")]
    Chain,
    /// It is older than the previous line.
    #[error("is older than the line before")]
    Time,
    /// The entry is impossible.
    #[error("makes no sense: {reason}")]
    Nonsense {
        /// The reason.
        reason: String,
    },
}

/// Locks the file of a log. A signer that is just ending may still decide its last request, so its end is awaited for a
/// while.
fn lock(file: &File, path: &Path) -> Result<(), LogError> {
    let began_at = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if began_at.elapsed() < RELEASE_TIMEOUT => thread::sleep(RELEASE_CHECK),
            Err(TryLockError::WouldBlock) => return Err(LogError::InUse { path: path.to_owned() }),
            Err(TryLockError::Error(source)) => return Err(LogError::File { path: path.to_owned(), source }),
        }
    }
}

/// The result of opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opened {
    /// The number of complete lines.
    pub lines: u64,
    /// The bytes of an incomplete last line, which was never acknowledged and is cut off.
    pub cut_bytes: u64,
}

impl SigningLog {
    /// Opens or creates the log, passes every entry with its time to `each`, and cuts off an incomplete last line.
    pub(crate) fn open(
        path: &Path,
        each: &mut dyn FnMut(u64, Entry) -> Result<(), String>,
    ) -> Result<(Self, Opened), LogError> {
        let cannot = |source| LogError::File { path: path.to_owned(), source };
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).mode(0o600).open(path);
        let file = file.map_err(cannot)?;
        lock(&file, path)?;
        let file = Arc::new(file);
        let sync = Arc::new(LogSync::new(Arc::clone(&file), 0));
        let last_hash = sha256::Hash::all_zeros();
        let mut log = Self { file, sync, next_seq: 0, last_hash, last_time_ms: 0, is_broken: false };
        let mut reader = BufReader::new(log.file.try_clone().map_err(cannot)?);
        let mut whole_bytes = 0;
        let cut_bytes = loop {
            let mut bytes = Vec::new();
            let read = reader.by_ref().take(LINE_LENGTH_MAX).read_until(b'\n', &mut bytes).map_err(cannot)?;
            let read = u64::try_from(read).unwrap_or(u64::MAX);
            let damaged = |line: u64, fault| LogError::Damaged { path: path.to_owned(), line: line + 1, fault };
            let Some(line) = bytes.strip_suffix(b"\n") else {
                if read >= LINE_LENGTH_MAX {
                    return Err(damaged(log.next_seq, LineFault::TooLong));
                }
                break read;
            };
            let Line { time_ms, entry, .. } = log.follow(line).map_err(|fault| damaged(log.next_seq, fault))?;
            each(time_ms, entry).map_err(|reason| damaged(log.next_seq, LineFault::Nonsense { reason }))?;
            log.advance(line, time_ms);
            whole_bytes += read;
        };
        if cut_bytes > 0 {
            tracing::warn!(cut_bytes, path = %path.display(), "the last line of the signing log was never finished");
            log.file.set_len(whole_bytes).map_err(cannot)?;
        }
        (&*log.file).seek(SeekFrom::Start(whole_bytes)).map_err(cannot)?;
        log.file.sync_all().and_then(|()| sync_folder_of(path)).map_err(cannot)?;
        log.sync = Arc::new(LogSync::new(Arc::clone(&log.file), log.next_seq));
        let opened = Opened { lines: log.next_seq, cut_bytes };
        Ok((log, opened))
    }

    /// Writes an entry, which is durable once [`Self::seal`] has been waited for; after a failure nothing is ever
    /// written again.
    pub(crate) fn append(&mut self, time_ms: u64, entry: &Entry) -> Result<(), LogFailed> {
        if self.is_broken || self.sync.is_broken() {
            return Err(LogFailed);
        }
        // Until all of the following has succeeded, the content of the file is unknown.
        self.is_broken = true;
        let line = Line { seq: self.next_seq, prev: self.last_hash, time_ms, entry: entry.clone() };
        let mut bytes = serde_json::to_vec(&line).map_err(failed)?;
        if u64::try_from(bytes.len()).unwrap_or(u64::MAX) >= LINE_LENGTH_MAX {
            return Err(failed(LineFault::TooLong));
        }
        bytes.push(b'\n');
        (&*self.file).write_all(&bytes).map_err(failed)?;
        self.sync.note_written();
        bytes.pop();
        self.advance(&bytes, time_ms);
        self.is_broken = false;
        Ok(())
    }

    /// Returns the seal to wait for before anything written so far is acknowledged.
    pub(crate) fn commit_waiter(&self) -> CommitWaiter {
        CommitWaiter { sync: Arc::clone(&self.sync), lines: self.next_seq }
    }

    /// Returns the time of the last line, before which no other is written.
    pub(crate) const fn last_time_ms(&self) -> u64 {
        self.last_time_ms
    }

    #[cfg(test)]
    pub(crate) fn swap_file(&mut self, file: File) {
        self.file = Arc::new(file);
        self.sync = Arc::new(LogSync::new(Arc::clone(&self.file), self.next_seq));
    }

    fn follow(&self, bytes: &[u8]) -> Result<Line, LineFault> {
        let line: Line = serde_json::from_slice(bytes).map_err(|_| LineFault::Unreadable)?;
        if line.seq != self.next_seq {
            return Err(LineFault::Number { expected: self.next_seq, found: line.seq });
        }
        if line.prev != self.last_hash {
            return Err(LineFault::Chain);
        }
        if line.time_ms < self.last_time_ms {
            return Err(LineFault::Time);
        }
        Ok(line)
    }

    fn advance(&mut self, bytes: &[u8], time_ms: u64) {
        self.next_seq += 1;
        self.last_hash = sha256::Hash::hash(bytes);
        self.last_time_ms = time_ms;
    }
}

/// The log as it was written up to some line.
#[derive(Debug)]
pub(crate) struct CommitWaiter {
    sync: Arc<LogSync>,
    lines: u64,
}

impl CommitWaiter {
    /// Waits until it is durable, together with other waiters. The signer itself continues meanwhile.
    pub(crate) fn wait(&self) -> Result<(), LogFailed> {
        self.sync.wait(self.lines)
    }
}

fn failed(error: impl std::fmt::Display) -> LogFailed {
    tracing::error!(%error, "the signing log cannot be written: nothing is signed any more");
    LogFailed
}
