//! The BRC-20 indexer in this process, for chains that are short enough: on regtest.

pub(super) use devchain::Brc20Reader as BlockReader;

/// Returns an indexer that has read no block yet.
#[expect(clippy::unnecessary_wraps, reason = "a build without the demo has none")]
pub(super) fn new_reader() -> Option<BlockReader> {
    Some(BlockReader::default())
}
