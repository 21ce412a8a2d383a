//! The numbers of confirmations after which the chain is taken as final.

/// The confirmations, the transaction's own block included, after which no reorg is expected and a transaction is no
/// longer watched.
pub const SETTLEMENT_CONFIRMATIONS: u32 = 6;

/// A depth far beyond any reorg, in blocks. A loan's end this deep is taken as final without a lookup, so that a
/// restart does not query the node for every past loan; and a transaction unknown for this many blocks is not waited
/// for.
pub const REORG_DEPTH_MAX: u32 = 144;
