//! The durable store of the writer: the steps that make a commit durable, each of which can fail.

use std::error::Error;

use thiserror::Error;

use crate::commit_builder::SealedBlock;

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

/// The store of commits. The methods are called in this order, once each per commit; a store that needs no such step
/// has nothing to do in it.
pub(crate) trait DurableStore: Send + 'static {
    /// Passes the blocks of a commit to the store, which writes them as a whole or not at all.
    fn write(&mut self, commit: u64, blocks: Vec<SealedBlock>) -> Result<(), StoreError>;
    /// Writes the store's buffers to its file.
    fn flush(&mut self) -> Result<(), StoreError> {
        Ok(())
    }
    /// Makes the commit durable: syncs the file to the device, or waits for the database.
    fn sync(&mut self) -> Result<(), StoreError> {
        Ok(())
    }
    /// Records outside the store that the commit is about to be acknowledged.
    fn mark_acknowledged(&mut self, _commit: u64) -> Result<(), StoreError> {
        Ok(())
    }
    /// Called once, after the last commit.
    fn close(&mut self) -> Result<(), StoreError> {
        Ok(())
    }
}
