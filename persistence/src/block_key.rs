//! The key of a block: its stream and the sequence of its first event.

use engine::journal::Sequence;

use crate::stream_key::StreamKey;

/// The key of a block. Blocks sort by stream, then by sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct BlockKey {
    pub(crate) stream: StreamKey,
    /// The sequence of the block's first event.
    pub(crate) first: Sequence,
}
