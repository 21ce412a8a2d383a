//! The blocks in sled, to read from.

use std::path::PathBuf;

use engine::journal::Sequence;

use crate::{
    block_key::BlockKey,
    block_source::{BlockSource, Blocks, ReadError},
    chain::ChainFault,
    problem::Problem,
    raw_block::RawBlock,
    stream_key::StreamKey,
};

use super::{
    quarantine::copy_to_quarantine,
    scan::{Scan, block_before},
};

/// [`BlockSource`] on sled.
#[derive(Debug)]
pub(super) struct SledBlocks {
    pub(super) db: sled::Db,
    pub(super) quarantine: PathBuf,
}

impl BlockSource for SledBlocks {
    fn all(&self) -> Blocks<'_> {
        Box::new(Scan::all(&self.db).map(|raw| raw.map_err(|error| read_error(&error))))
    }

    fn stream(&self, stream: StreamKey, first: Sequence) -> Blocks<'_> {
        Box::new(Scan::stream(&self.db, stream, first).map(|raw| raw.map_err(|error| read_error(&error))))
    }

    fn tails(&self) -> Blocks<'_> {
        Box::new(Tails { tree: &self.db, below: None })
    }

    fn block_before(&self, stream: StreamKey, sequence: Sequence) -> Result<Option<RawBlock>, ReadError> {
        block_before(&self.db, stream, sequence).map_err(|error| read_error(&error))
    }

    fn quarantine(&self, stream: StreamKey, fault: &ChainFault) -> Option<PathBuf> {
        copy_to_quarantine(&self.db, &self.quarantine, stream, fault).unwrap_or_else(|error| {
            // The damage is reported in any case; the copy only helps the investigation.
            tracing::error!(%error, "cannot copy damaged records to quarantine");
            None
        })
    }
}

/// The last block of every stream, from the last stream to the first.
struct Tails<'a> {
    tree: &'a sled::Tree,
    /// The stream of the latest tail; `None` before the first.
    below: Option<StreamKey>,
}

impl Tails<'_> {
    fn tail(&mut self) -> sled::Result<Option<RawBlock>> {
        let last = match self.below {
            None => self.tree.last()?,
            Some(stream) => self.tree.range(..stream.0).next_back().transpose()?,
        };
        let Some((key, _)) = last else { return Ok(None) };
        let stream = StreamKey(key.first_chunk().copied().unwrap_or_default());
        self.below = Some(stream);
        let absent = || RawBlock { key: BlockKey { stream, first: 0 }, place: None, bytes: Err(Problem::Key) };
        Ok(Some(block_before(self.tree, stream, u64::MAX)?.unwrap_or_else(absent)))
    }
}

impl Iterator for Tails<'_> {
    type Item = Result<RawBlock, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.tail().map_err(|error| read_error(&error)).transpose()
    }
}

fn read_error(error: &sled::Error) -> ReadError {
    match error {
        sled::Error::Corruption { .. } => ReadError::Corrupt(error.to_string()),
        _ => ReadError::Failed(error.to_string()),
    }
}
