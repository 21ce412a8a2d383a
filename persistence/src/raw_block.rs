//! Blocks as a store returns them, before any check.

use crate::{
    block::{Block, Header},
    block_key::BlockKey,
    problem::Problem,
};

/// The bytes of a block, unchecked, and its key.
#[derive(Clone, Debug)]
pub(crate) struct RawBlock {
    pub(crate) key: BlockKey,
    /// The commit and the block's index in it, if the store keeps them beside the block.
    pub(crate) place: Option<(u64, u32)>,
    /// The bytes, or the reason why the stored records make no block.
    pub(crate) bytes: Result<BlockBytes, Problem>,
}

impl RawBlock {
    /// Parses the block and checks that its header matches its key and place.
    pub(crate) fn parse(&self) -> Result<Block<'_>, Problem> {
        let block = Block::parse(self.bytes.as_ref().map_err(Clone::clone)?.as_ref())?;
        let Header { stream, first, count, index, blocks, commit, .. } = block.header;
        let fits = stream == self.key.stream && first == self.key.first && first > 0 && count > 0 && index < blocks;
        let is_in_place = self.place.is_none_or(|place| place == (commit, index));
        let is_bounded = first.checked_add(u64::from(count)).is_some();
        if fits && is_in_place && is_bounded { Ok(block) } else { Err(Problem::Misplaced) }
    }
}

/// The bytes of a block, in the form in which its store returns them without a copy.
#[derive(Clone, Debug)]
pub(crate) enum BlockBytes {
    /// A value of sled.
    Sled(sled::IVec),
    /// Bytes that were received or put together.
    Owned(Vec<u8>),
}

impl AsRef<[u8]> for BlockBytes {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Sled(bytes) => bytes,
            Self::Owned(bytes) => bytes,
        }
    }
}
