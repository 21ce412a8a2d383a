//! A commit as the bytes of its blocks, one after the other.

use crate::{
    block::{Block, declared_length},
    block_key::BlockKey,
    problem::Problem,
    raw_block::{BlockBytes, RawBlock},
};

/// A commit as it is stored: the bytes of its blocks in their order. What it was made of is checked where it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawCommit {
    position: u64,
    bytes: Vec<u8>,
}

impl RawCommit {
    /// A commit that another process has sent. Nothing is checked here.
    #[must_use]
    pub const fn received(position: u64, bytes: Vec<u8>) -> Self {
        Self { position, bytes }
    }

    pub(crate) fn of(position: u64, blocks: &[RawBlock]) -> Self {
        let mut bytes = Vec::new();
        for raw in blocks {
            // A block without bytes has not passed the checks.
            bytes.extend_from_slice(raw.bytes.as_ref().map_or(&[], AsRef::as_ref));
        }
        Self { position, bytes }
    }

    /// The position of the commit.
    #[must_use]
    pub const fn position(&self) -> u64 {
        self.position
    }

    /// The bytes of its blocks.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Splits blocks that follow each other, up to the last one of the same commit. Returns the blocks and the rest, which is not
/// parsed if the blocks say that they are complete. Only what the split needs is checked.
pub(crate) fn split_commit(mut bytes: &[u8]) -> Result<(Vec<RawBlock>, &[u8]), Problem> {
    let mut blocks = Vec::new();
    let mut commit = None;
    while !bytes.is_empty() {
        let (block, after) =
            declared_length(bytes).and_then(|length| bytes.split_at_checked(length)).ok_or(Problem::Short)?;
        let header = Block::parse(block)?.header;
        if *commit.get_or_insert(header.commit) != header.commit {
            break;
        }
        let key = BlockKey { stream: header.stream, first: header.first };
        blocks.push(RawBlock { key, place: None, bytes: Ok(BlockBytes::Owned(block.to_vec())) });
        bytes = after;
        if header.index.saturating_add(1) >= header.blocks {
            break;
        }
    }
    Ok((blocks, bytes))
}
