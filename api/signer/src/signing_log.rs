//! The log of everything that was signed: JSON lines, each with the hash of the one before.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bitcoin::hashes::{Hash as _, sha256};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::as_text;
use crate::entry::Entry;
use crate::key_file::sync_folder_of;
use crate::log_sync::LogSync;

/// No line is longer, in bytes: a transaction with as many inputs as are signed at once, and the message with it.
const LINE_LENGTH_MAX: u64 = 262_144;

/// One line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    /// How many came before.
    seq: u64,
    /// The SHA-256 of the line before, without its line feed; zeros in the first.
    #[serde(with = "as_text")]
    prev: sha256::Hash,
    /// When it was written, in unix milliseconds; never before the line above.
    time_ms: u64,
    /// What happened.
    entry: Entry,
}

/// An open log, which no other process can open.
#[derive(Debug)]
pub struct SigningLog {
    file: Arc<File>,
    sync: Arc<LogSync>,
    next_seq: u64,
    last_hash: sha256::Hash,
    last_time_ms: u64,
    is_broken: bool,
}

/// Why a log cannot be used.
#[derive(Debug, Error)]
pub enum LogError {
    /// The file cannot be used.
    #[error("{path}: {source}")]
    File {
        /// Which.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Two signers with one log would not see what the other signs.
    #[error("another signer uses {path}")]
    InUse {
        /// Which.
        path: PathBuf,
    },
    /// A whole line is not as it was written. Nothing is repaired: somebody must find out what happened.
    #[error("line {line} of {path} {fault}: nothing is signed before somebody has looked into it")]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// Which line, from 1.
        line: u64,
        /// What is wrong.
        fault: LineFault,
    },
}

/// What can be wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LineFault {
    /// No JSON, or not of this form.
    #[error("is not understood")]
    Unreadable,
    /// Longer than any.
    #[error("is longer than {LINE_LENGTH_MAX} bytes")]
    TooLong,
    /// A line is missing or doubled.
    #[error("has the number {found}, and should have {expected}")]
    Number {
        /// Lines before it.
        expected: u64,
        /// What it says.
        found: u64,
    },
    /// The line before is another one.
    #[error("does not follow from the line before")]
    Chain,
    /// It was written before the line above it.
    #[error("is older than the line before")]
    Time,
    /// It says what cannot have happened.
    #[error("makes no sense: {reason}")]
    Nonsense {
        /// Why.
        reason: String,
    },
}

/// What opening found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opened {
    /// Whole lines.
    pub lines: u64,
    /// Bytes of a last line that was never finished, and so never acknowledged: they are cut off.
    pub cut_bytes: u64,
}

impl SigningLog {
    /// Opens the log or makes it, gives every entry with its time to `each`, and cuts an unfinished last line.
    pub(crate) fn open(
        path: &Path,
        each: &mut dyn FnMut(u64, Entry) -> Result<(), String>,
    ) -> Result<(Self, Opened), LogError> {
        let cannot = |source| LogError::File { path: path.to_owned(), source };
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).mode(0o600).open(path);
        let file = file.map_err(cannot)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(LogError::InUse { path: path.to_owned() }),
            Err(TryLockError::Error(source)) => return Err(cannot(source)),
        }
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

    /// Writes an entry, which is on the disk once [`Self::seal`] says so; when it fails, nothing is ever written again.
    pub(crate) fn append(&mut self, time_ms: u64, entry: &Entry) -> Result<(), LogFailed> {
        if self.is_broken || self.sync.is_broken() {
            return Err(LogFailed);
        }
        // Whatever happens from here on, until it has all happened nobody knows what is in the file.
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

    /// What to wait for before anybody hears of what is written by now.
    pub(crate) fn seal(&self) -> Seal {
        Seal { sync: Arc::clone(&self.sync), lines: self.next_seq }
    }

    /// The time of the last line, before which no other is written.
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
pub(crate) struct Seal {
    sync: Arc<LogSync>,
    lines: u64,
}

impl Seal {
    /// Waits until it is on the disk, together with whoever else waits. The signer itself goes on meanwhile.
    pub(crate) fn wait(&self) -> Result<(), LogFailed> {
        self.sync.wait(self.lines)
    }
}

/// An entry could not be made durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the log cannot be written")]
pub(crate) struct LogFailed;

fn failed(error: impl std::fmt::Display) -> LogFailed {
    tracing::error!(%error, "the signing log cannot be written: nothing is signed any more");
    LogFailed
}
