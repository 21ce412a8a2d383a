//! The acknowledgement marker: a file outside of sled that holds the last acknowledged commit.
//!
//! If sled finds a damaged message in its log it takes it for the end, and silently discards the rest: the journal is
//! consistent, only older. The marker, 20 bytes rewritten after every commit, distinguishes that from a clean end. It
//! is not synced with every commit, so after a power cut it may be older than the journal, but never newer.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

const FILE: &str = "acknowledged";
const MAGIC: [u8; 8] = *b"lienack\x01";
const CHECKED_BYTES: usize = MAGIC.len() + size_of::<u64>();
const BYTES: usize = CHECKED_BYTES + size_of::<u32>();

/// The open acknowledgement marker.
#[derive(Debug)]
pub(crate) struct AckMarker {
    file: File,
    path: PathBuf,
}

impl AckMarker {
    pub(crate) fn open(folder: &Path) -> io::Result<Self> {
        let path = folder.join(FILE);
        let file = File::options().read(true).write(true).create(true).truncate(false).open(&path)?;
        Ok(Self { file, path })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The last acknowledged commit as far as known; 0 if unknown.
    pub(crate) fn get(&mut self) -> io::Result<u64> {
        let mut bytes = Vec::with_capacity(BYTES);
        self.file.rewind()?;
        self.file.read_to_end(&mut bytes)?;
        if bytes.is_empty() {
            return Ok(0);
        }
        let commit = Self::parse(&bytes);
        if commit.is_none() {
            // A power cut may leave it half written. The journal itself is checked in any case.
            tracing::warn!(path = %self.path.display(), "the acknowledgement marker is unreadable");
        }
        Ok(commit.unwrap_or(0))
    }

    pub(crate) fn set(&mut self, commit: u64) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&Self::encode(commit))
    }

    /// Returns the content of a marker.
    pub(crate) fn encode(commit: u64) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        bytes[..MAGIC.len()].copy_from_slice(&MAGIC);
        bytes[MAGIC.len()..CHECKED_BYTES].copy_from_slice(&commit.to_be_bytes());
        let checksum = crc32c::crc32c(&bytes[..CHECKED_BYTES]);
        bytes[CHECKED_BYTES..].copy_from_slice(&checksum.to_be_bytes());
        bytes
    }

    /// Parses the content of a marker; `None` if it is damaged.
    pub(crate) fn parse(bytes: &[u8]) -> Option<u64> {
        let (checked, checksum) = bytes.split_last_chunk()?;
        let commit = checked.strip_prefix(&MAGIC)?.try_into().ok()?;
        (crc32c::crc32c(checked) == u32::from_be_bytes(*checksum)).then(|| u64::from_be_bytes(commit))
    }

    pub(crate) fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_marker_survives_reopening_and_a_damaged_one_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let mut marker = AckMarker::open(folder.path()).unwrap();
        assert_eq!(marker.get().unwrap(), 0);
        for commit in [1, 2, u64::MAX] {
            marker.set(commit).unwrap();
            assert_eq!(AckMarker::open(folder.path()).unwrap().get().unwrap(), commit);
        }
        marker.sync().unwrap();
        let mut bytes = std::fs::read(marker.path()).unwrap();
        bytes[9] ^= 1;
        std::fs::write(marker.path(), bytes).unwrap();
        assert_eq!(AckMarker::open(folder.path()).unwrap().get().unwrap(), 0);
    }
}
