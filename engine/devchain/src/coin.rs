//! An unspent output.

use bitcoin::TxOut;

/// The depth, the block itself included, at which a coinbase output can be spent.
const COINBASE_MATURITY: u32 = 100;

/// An unspent output, with the block that created it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Coin {
    pub(crate) output: TxOut,
    /// The height of its block; that of the next block while it is unconfirmed.
    pub(crate) height: u32,
    pub(crate) is_coinbase: bool,
}

impl Coin {
    /// Whether a block at this height may spend it.
    pub(crate) const fn is_mature_at(&self, height: u32) -> bool {
        !self.is_coinbase || height.saturating_sub(self.height) >= COINBASE_MATURITY
    }
}
