//! The append-only file that a chain is stored in, one record after another.
//!
//! A record is a mark, the length of its content and a CRC32C over length and content, both little-endian, and the
//! content. A record torn by a crash is at the end and is cut; damage anywhere else is reported, and the file is left
//! unchanged.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::change::ChainChange;
use super::control_error::ControlError;

/// The first bytes of every record.
const MAGIC: [u8; 4] = *b"LBcr";
/// The size of mark, length and checksum.
const HEADER_BYTES: usize = 12;

/// The reason why a chain cannot be stored in a file, or restored from one.
#[derive(Debug, Error)]
pub enum ChainFileError {
    /// A file system operation failed.
    #[error("the chain in {file} cannot be {what}: {error}")]
    Io {
        /// The file.
        file: PathBuf,
        /// The operation: read, written or cut.
        what: &'static str,
        /// The error of the file system.
        error: io::Error,
    },
    /// A record is damaged, and intact ones follow it.
    #[error("the chain in {file} is damaged at byte {at}: put back a copy of the whole folder, or delete the folder")]
    Damaged {
        /// The file.
        file: PathBuf,
        /// The byte offset of the record.
        at: u64,
    },
    /// A block of the file does not follow from those before it.
    #[error("the chain in {file} breaks off at byte {at}: {refusal}")]
    InvalidBlock {
        /// The file.
        file: PathBuf,
        /// The byte offset of the record.
        at: u64,
        /// The refusal of the block.
        refusal: ControlError,
    },
}

/// The file of a chain, open for appending.
#[derive(Debug)]
pub(crate) struct ChainFile {
    file: File,
    path: PathBuf,
}

/// The content of a chain file.
#[derive(Debug, PartialEq)]
pub(crate) struct StoredChanges {
    /// The changes, each with the byte offset of its record.
    pub(crate) changes: Vec<(usize, ChainChange)>,
    /// The end of the last intact record.
    pub(crate) end: usize,
}

impl ChainFile {
    /// Creates the file with the whole history: under its final name it is complete, even after a power failure.
    pub(crate) fn create(path: &Path, changes: impl Iterator<Item = ChainChange>) -> Result<Self, ChainFileError> {
        let io = |error| ChainFileError::Io { file: path.to_owned(), what: "written", error };
        let unfinished = path.with_extension("unfinished");
        let mut file = File::create(&unfinished).map_err(io)?;
        let bytes: Vec<u8> = changes.flat_map(|change| record(&change)).collect();
        file.write_all(&bytes).and_then(|()| file.sync_all()).map_err(io)?;
        fs::rename(&unfinished, path).map_err(io)?;
        if let Some(folder) = path.parent() {
            File::open(folder).and_then(|folder| folder.sync_all()).map_err(io)?;
        }
        Self::append_to(path).map_err(io)
    }

    /// Opens the file and reads its content, and cuts a torn end; `None` when there is no such file.
    pub(crate) fn open(path: &Path) -> Result<Option<(Self, StoredChanges)>, ChainFileError> {
        let failed = |what| move |error| ChainFileError::Io { file: path.to_owned(), what, error };
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed("read")(error)),
        };
        let kept = read(&bytes).map_err(|at| ChainFileError::Damaged { file: path.to_owned(), at: position(at) })?;
        let this = Self::append_to(path).map_err(failed("read"))?;
        if kept.end < bytes.len() {
            let torn = bytes.len() - kept.end;
            tracing::warn!(file = %path.display(), bytes = torn, "the chain's last record was not finished, and is cut");
            let cut = this.file.set_len(position(kept.end)).and_then(|()| this.file.sync_all());
            cut.map_err(failed("cut"))?;
        }
        Ok(Some((this, kept)))
    }

    pub(crate) fn append_to(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().append(true).open(path)?;
        Ok(Self { file, path: path.to_owned() })
    }

    /// Appends changes. They survive the end of the process, and a power failure only after a sync.
    pub(crate) fn append(&mut self, changes: &[ChainChange]) -> io::Result<()> {
        let bytes: Vec<u8> = changes.iter().flat_map(record).collect();
        self.file.write_all(&bytes)
    }

    /// Returns another handle to the file, so that a sync does not block other callers.
    pub(crate) fn handle(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// A byte offset for messages: no file is too long for a `u64`.
pub(crate) fn position(at: usize) -> u64 {
    u64::try_from(at).unwrap_or(u64::MAX)
}

pub(super) fn record(change: &ChainChange) -> Vec<u8> {
    let content = change.to_bytes();
    // A block is 4 MB at most, and a package less.
    let length = u32::try_from(content.len()).unwrap_or(u32::MAX).to_le_bytes();
    let checksum = crc32c::crc32c_append(crc32c::crc32c(&length), &content).to_le_bytes();
    [&MAGIC[..], &length, &checksum, &content].concat()
}

/// The change of the first record of these bytes and the record's length; `None` for anything else.
fn read_record(bytes: &[u8]) -> Option<(ChainChange, usize)> {
    let (mark, rest) = bytes.split_first_chunk::<4>()?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let (checksum, rest) = rest.split_first_chunk::<4>()?;
    let size = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let content = rest.get(..size)?;
    let is_whole =
        mark == &MAGIC && crc32c::crc32c_append(crc32c::crc32c(length), content) == u32::from_le_bytes(*checksum);
    let change = ChainChange::from_bytes(content).filter(|_| is_whole)?;
    Some((change, HEADER_BYTES + size))
}

/// Returns all intact records up to the first damaged one; if intact ones follow it, an error with its offset.
pub(crate) fn read(bytes: &[u8]) -> Result<StoredChanges, usize> {
    let (mut changes, mut end) = (Vec::new(), 0);
    while let Some((change, length)) = read_record(&bytes[end..]) {
        changes.push((end, change));
        end += length;
    }
    let marks = bytes[end..].windows(MAGIC.len()).enumerate().skip(1).filter(|(_, window)| *window == MAGIC);
    let mut later = marks.filter_map(|(at, _)| read_record(&bytes[end + at..]));
    if later.next().is_some() { Err(end) } else { Ok(StoredChanges { changes, end }) }
}
