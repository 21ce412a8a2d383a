//! The numbers of confirmations after which the chain is taken as final.

/// The confirmations, the transaction's own block included, after which a transaction counts as settled. A reorg of more
/// blocks is not expected.
pub const SETTLEMENT_CONFIRMATIONS: u32 = 6;

/// The confirmations after which the transaction that ends a loan, or reveals an inscription, is no longer watched: the
/// deepest expected reorg disconnects the block of one that has just settled, and it is broadcast again then.
pub const BURIED_CONFIRMATIONS: u32 = SETTLEMENT_CONFIRMATIONS + 1;

/// A depth far beyond any reorg, in blocks. A loan's end this deep is taken as final without a lookup, so that a
/// restart does not query the node for every past loan; and a transaction unknown for this many blocks is not waited
/// for.
pub const REORG_DEPTH_MAX: u32 = 144;
