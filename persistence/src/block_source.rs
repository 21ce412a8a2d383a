//! The port on stored blocks: everything that reading, checking and exporting a journal needs of its store.

use std::{fmt, path::PathBuf};

use engine::journal::Sequence;
use thiserror::Error;

use crate::{chain::ChainFault, raw_block::RawBlock, stream_key::StreamKey};

/// The reason why a store returns no further block.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum ReadError {
    /// The store itself is damaged.
    #[error("{0}")]
    Corrupt(String),
    /// The store could not be reached or read.
    #[error("{0}")]
    Failed(String),
}

/// Blocks in order. Ends with the first error.
pub(crate) type Blocks<'a> = Box<dyn Iterator<Item = Result<RawBlock, ReadError>> + 'a>;

/// A store of blocks, to read from. Blocks once written never change; newer ones may appear between two calls.
pub(crate) trait BlockSource: fmt::Debug + Send + Sync {
    /// All blocks, in the order of their keys.
    fn all(&self) -> Blocks<'_>;

    /// The blocks of a stream from the one whose first sequence is `first`, or the next one.
    fn stream(&self, stream: StreamKey, first: Sequence) -> Blocks<'_>;

    /// The last block of every stream, in any order.
    fn tails(&self) -> Blocks<'_>;

    /// The block that holds, or would hold, `sequence`: the last one of the stream that begins at or before it.
    fn block_before(&self, stream: StreamKey, sequence: Sequence) -> Result<Option<RawBlock>, ReadError>;

    /// The last block of every stream among the commits up to `commit`, in any order. Faulty blocks are passed on.
    fn tails_until(&self, commit: u64) -> Blocks<'_> {
        Box::new(self.tails().filter_map(move |tail| tail.and_then(|tail| walk_back(self, tail, commit)).transpose()))
    }

    /// Copies the records at a fault to a folder for investigation and returns it, if there is such a folder.
    fn quarantine(&self, stream: StreamKey, fault: &ChainFault) -> Option<PathBuf>;
}

/// Returns the last block at or before `tail` in its stream that is not of a later commit, if there is one.
fn walk_back<S: BlockSource + ?Sized>(
    source: &S,
    mut tail: RawBlock,
    commit: u64,
) -> Result<Option<RawBlock>, ReadError> {
    loop {
        let first = match tail.parse() {
            Ok(block) if block.header.commit > commit => block.header.first,
            Ok(_) | Err(_) => return Ok(Some(tail)),
        };
        if first == 1 {
            return Ok(None);
        }
        match source.block_before(tail.key.stream, first - 1)? {
            Some(before) => tail = before,
            None => return Ok(None),
        }
    }
}
