//! The durable store of the writer: the steps that make a commit durable, each of which can fail.

use std::{error::Error, fs::File, io, path::Path};

use thiserror::Error;

use crate::{
    gather::{Commit, Record},
    witness::Witness,
};

/// A step failed. The data that it was writing may or may not survive.
#[derive(Debug, Error)]
#[error("{step}: {source}")]
pub(crate) struct PlatterError {
    step: &'static str,
    source: Box<dyn Error + Send + Sync>,
}

impl PlatterError {
    pub(crate) fn new(step: &'static str, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { step, source: source.into() }
    }
}

/// The store of commits. The methods are called in this order, once each per commit.
pub(crate) trait Platter: Send + 'static {
    /// Passes the records to the store, as a whole or not at all.
    fn write(&mut self, records: Vec<Record>) -> Result<(), PlatterError>;
    /// Writes the store's buffers to its file.
    fn flush(&mut self) -> Result<(), PlatterError>;
    /// Syncs the file to the device.
    fn sync(&mut self) -> Result<(), PlatterError>;
    /// Records outside the store that the commit is about to be acknowledged.
    fn witness(&mut self, commit: u64) -> Result<(), PlatterError>;
    /// Called once, after the last commit.
    fn close(&mut self) -> Result<(), PlatterError>;
}

/// sled, and the file it writes to.
#[derive(Debug)]
pub(crate) struct SledPlatter {
    db: sled::Db,
    file: File,
    witness: Witness,
}

impl SledPlatter {
    /// `folder` is the folder that sled keeps `db` in.
    pub(crate) fn new(db: sled::Db, folder: &Path, marker: Witness) -> io::Result<Self> {
        // Opened before the first write: the kernel reports a failed write-back to every file handle that was open
        // then.
        let file = File::options().read(true).write(true).open(folder.join("db"))?;
        Ok(Self { db, file, witness: marker })
    }
}

impl Platter for SledPlatter {
    fn write(&mut self, records: Vec<Record>) -> Result<(), PlatterError> {
        let batch = Commit::to_sled(records);
        self.db.apply_batch(batch).map_err(|error| PlatterError::new("cannot write to the journal", error))
    }

    fn flush(&mut self) -> Result<(), PlatterError> {
        let flushed = self.db.flush();
        flushed.map(|_bytes| ()).map_err(|error| PlatterError::new("cannot flush the journal", error))
    }

    fn sync(&mut self) -> Result<(), PlatterError> {
        // sled's flush ends in sync_file_range, which neither flushes the device's cache nor persists the file's size.
        self.file.sync_data().map_err(|error| PlatterError::new("cannot sync the journal", error))
    }

    fn witness(&mut self, commit: u64) -> Result<(), PlatterError> {
        self.witness.set(commit).map_err(|error| PlatterError::new("cannot write the acknowledgement marker", error))
    }

    fn close(&mut self) -> Result<(), PlatterError> {
        self.witness.sync().map_err(|error| PlatterError::new("cannot sync the acknowledgement marker", error))
    }
}
