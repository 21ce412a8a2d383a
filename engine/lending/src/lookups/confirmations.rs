//! The numbers of blocks after which the chain is taken as final.

/// The deepest reorg that is expected, in disconnected blocks.
pub const EXPECTED_REORG_MAX: u32 = 6;

/// The confirmations, the transaction's own block included, after which a transaction is settled and no longer watched: the
/// deepest expected reorg does not reach it.
pub const SETTLEMENT_CONFIRMATIONS: u32 = EXPECTED_REORG_MAX + 1;

/// A depth far beyond any reorg, in blocks. A loan's end this deep is taken as final without a lookup, so that a
/// restart does not query the node for every past loan; and a transaction unknown for this many blocks is not waited
/// for.
pub const REORG_DEPTH_MAX: u32 = 144;
