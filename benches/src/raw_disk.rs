//! The raw performance of the disk.
//!
//! A growing file makes the file system record its new length with every sync; a file of full length does not, and is
//! the stricter baseline.

use std::{
    fs::{File, OpenOptions},
    io::{self, Seek as _, SeekFrom, Write as _},
    path::Path,
    time::{Duration, Instant},
};

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// Files to write and sync.
#[derive(Debug)]
pub struct RawDisk {
    grows: File,
    has_its_length: File,
    bytes: Vec<u8>,
}

/// The file to write to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RawFile {
    /// A file that grows with every write.
    Growing,
    /// A file that was filled before, written from its beginning.
    Full,
}

impl RawDisk {
    /// Creates the files in a folder, the full one with `length` bytes. The data written to them is incompressible.
    ///
    /// # Errors
    /// If they cannot be created.
    pub fn create(folder: &Path, length: usize) -> io::Result<Self> {
        let create = |name: &str| OpenOptions::new().create(true).write(true).truncate(true).open(folder.join(name));
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let bytes = (0..1 << 20).map(|_| rng.random()).collect();
        let mut disk = Self { grows: create("raw-growing")?, has_its_length: create("raw-full")?, bytes };
        write(&mut disk.has_its_length, &disk.bytes, length)?;
        disk.has_its_length.sync_all()?;
        Ok(disk)
    }

    /// Writes `bytes` bytes and syncs, `times` times; returns the elapsed time.
    ///
    /// # Errors
    /// If the disk fails.
    pub fn write(&mut self, which: RawFile, bytes: usize, times: usize) -> io::Result<Duration> {
        let file = match which {
            RawFile::Growing => &mut self.grows,
            RawFile::Full => {
                self.has_its_length.seek(SeekFrom::Start(0))?;
                &mut self.has_its_length
            }
        };
        let start = Instant::now();
        for _ in 0..times {
            write(file, &self.bytes, bytes)?;
            file.sync_data()?;
        }
        Ok(start.elapsed())
    }
}

/// Writes `bytes` bytes, repeating `source` from its beginning.
fn write(file: &mut File, source: &[u8], bytes: usize) -> io::Result<()> {
    let mut left = bytes;
    while left > 0 {
        let now = left.min(source.len());
        file.write_all(&source[..now])?;
        left -= now;
    }
    Ok(())
}
