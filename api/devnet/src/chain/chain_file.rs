//! The file that a chain is kept in: one record after the other, and nothing is ever changed in it.
//!
//! A record is a mark, the length of its content and a CRC32C over length and content, both little-endian, and the
//! content. What a crash has torn stands at the end and is cut; damage anywhere else is told and left as it is.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::change::Change;
use super::control_error::ControlError;

/// What every record begins with.
const MARK: [u8; 4] = *b"LBcr";
/// Mark, length and checksum.
const HEAD_BYTES: usize = 12;

/// Why a chain cannot be kept in a file, or gone on with from one.
#[derive(Debug, Error)]
pub enum ChainFileError {
    /// The file system says no.
    #[error("the chain in {file} cannot be {what}: {error}")]
    Io {
        /// Which file.
        file: PathBuf,
        /// Read, written or cut.
        what: &'static str,
        /// What it says.
        error: io::Error,
    },
    /// A record is not what was written, and others come after it.
    #[error("the chain in {file} is damaged at byte {at}: put back a copy of the whole folder, or delete the folder")]
    Damaged {
        /// Which file.
        file: PathBuf,
        /// Where.
        at: u64,
    },
    /// A block of the file does not follow from those before it.
    #[error("the chain in {file} breaks off at byte {at}: {refusal}")]
    Impossible {
        /// Which file.
        file: PathBuf,
        /// Where.
        at: u64,
        /// Why not.
        refusal: ControlError,
    },
}

/// The file of a chain, open for appending.
#[derive(Debug)]
pub(crate) struct ChainFile {
    file: File,
    path: PathBuf,
}

/// What a file holds.
#[derive(Debug, PartialEq)]
pub(crate) struct Kept {
    /// Each with the byte that its record begins at.
    pub(crate) changes: Vec<(usize, Change)>,
    /// Where the last whole record ends.
    pub(crate) end: usize,
}

impl ChainFile {
    /// Makes the file with all that happened so far: under its name it is whole, even after a power cut.
    pub(crate) fn create(path: &Path, changes: impl Iterator<Item = Change>) -> Result<Self, ChainFileError> {
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

    /// The file and what it holds, its torn end cut; `None` when there is none.
    pub(crate) fn open(path: &Path) -> Result<Option<(Self, Kept)>, ChainFileError> {
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

    /// Writes what happened. It survives the end of the process, and a power cut only once it is synced.
    pub(crate) fn append(&mut self, changes: &[Change]) -> io::Result<()> {
        let bytes: Vec<u8> = changes.iter().flat_map(record).collect();
        self.file.write_all(&bytes)
    }

    /// Another handle to the file, to wait for the disk without keeping anybody waiting.
    pub(crate) fn handle(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// A place in a file for people: no file is longer than its number tells.
pub(crate) fn position(at: usize) -> u64 {
    u64::try_from(at).unwrap_or(u64::MAX)
}

pub(super) fn record(change: &Change) -> Vec<u8> {
    let content = change.to_bytes();
    // A block is 4 MB at most, and a package less.
    let length = u32::try_from(content.len()).unwrap_or(u32::MAX).to_le_bytes();
    let checksum = crc32c::crc32c_append(crc32c::crc32c(&length), &content).to_le_bytes();
    [&MARK[..], &length, &checksum, &content].concat()
}

/// The change that these bytes begin with, and how long its record is; `None` for anything else.
fn first(bytes: &[u8]) -> Option<(Change, usize)> {
    let (mark, rest) = bytes.split_first_chunk::<4>()?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let (checksum, rest) = rest.split_first_chunk::<4>()?;
    let size = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let content = rest.get(..size)?;
    let is_whole =
        mark == &MARK && crc32c::crc32c_append(crc32c::crc32c(length), content) == u32::from_le_bytes(*checksum);
    let change = Change::from_bytes(content).filter(|_| is_whole)?;
    Some((change, HEAD_BYTES + size))
}

/// All whole records up to the first that is not; an error, with its place, when whole ones come after it.
pub(crate) fn read(bytes: &[u8]) -> Result<Kept, usize> {
    let (mut changes, mut end) = (Vec::new(), 0);
    while let Some((change, length)) = first(&bytes[end..]) {
        changes.push((end, change));
        end += length;
    }
    let marks = bytes[end..].windows(MARK.len()).enumerate().skip(1).filter(|(_, window)| *window == MARK);
    let mut later = marks.filter_map(|(at, _)| first(&bytes[end + at..]));
    if later.next().is_some() { Err(end) } else { Ok(Kept { changes, end }) }
}
