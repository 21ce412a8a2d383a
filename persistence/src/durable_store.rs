//! The durable store of the writer: the steps that make a commit durable, each of which can fail.

use std::{error::Error, fs::File, io, path::Path};

use thiserror::Error;

use crate::{
    ack_marker::AckMarker,
    commit_builder::{Commit, Record},
};

/// A step failed. The data that it was writing may or may not survive.
#[derive(Debug, Error)]
#[error("{step}: {source}")]
pub(crate) struct StoreError {
    step: &'static str,
    source: Box<dyn Error + Send + Sync>,
}

impl StoreError {
    pub(crate) fn new(step: &'static str, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { step, source: source.into() }
    }
}

/// The store of commits. The methods are called in this order, once each per commit.
pub(crate) trait DurableStore: Send + 'static {
    /// Passes the records to the store, as a whole or not at all.
    fn write(&mut self, records: Vec<Record>) -> Result<(), StoreError>;
    /// Writes the store's buffers to its file.
    fn flush(&mut self) -> Result<(), StoreError>;
    /// Syncs the file to the device.
    fn sync(&mut self) -> Result<(), StoreError>;
    /// Records outside the store that the commit is about to be acknowledged.
    fn mark_acknowledged(&mut self, commit: u64) -> Result<(), StoreError>;
    /// Called once, after the last commit.
    fn close(&mut self) -> Result<(), StoreError>;
}

/// sled, and the file it writes to.
#[derive(Debug)]
pub(crate) struct SledStore {
    db: sled::Db,
    file: File,
    marker: AckMarker,
}

impl SledStore {
    /// `folder` is the folder that sled keeps `db` in.
    pub(crate) fn new(db: sled::Db, folder: &Path, marker: AckMarker) -> io::Result<Self> {
        // Opened before the first write: the kernel reports a failed write-back to every file handle that was open
        // then.
        let file = File::options().read(true).write(true).open(folder.join("db"))?;
        Ok(Self { db, file, marker })
    }
}

impl DurableStore for SledStore {
    fn write(&mut self, records: Vec<Record>) -> Result<(), StoreError> {
        let batch = Commit::to_sled(records);
        self.db.apply_batch(batch).map_err(|error| StoreError::new("cannot write to the journal", error))
    }

    fn flush(&mut self) -> Result<(), StoreError> {
        let flushed = self.db.flush();
        flushed.map(|_bytes| ()).map_err(|error| StoreError::new("cannot flush the journal", error))
    }

    fn sync(&mut self) -> Result<(), StoreError> {
        // sled's flush ends in sync_file_range, which neither flushes the device's cache nor persists the file's size.
        self.file.sync_data().map_err(|error| StoreError::new("cannot sync the journal", error))
    }

    fn mark_acknowledged(&mut self, commit: u64) -> Result<(), StoreError> {
        self.marker.set(commit).map_err(|error| StoreError::new("cannot write the acknowledgement marker", error))
    }

    fn close(&mut self) -> Result<(), StoreError> {
        self.marker.sync().map_err(|error| StoreError::new("cannot sync the acknowledgement marker", error))
    }
}
