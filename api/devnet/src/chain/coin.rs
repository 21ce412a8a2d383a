//! An output that can be spent.

use bitcoin::TxOut;

/// Blocks that a miner's reward must wait for, its own included.
const COINBASE_MATURITY: u32 = 100;

/// An unspent output, and which block made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Coin {
    /// What it holds.
    pub(crate) output: TxOut,
    /// The height of its block; that of the next one while it waits for a block.
    pub(crate) height: u32,
    /// Whether it pays a miner.
    pub(crate) is_coinbase: bool,
}

impl Coin {
    /// Whether a block at this height may spend it.
    pub(crate) const fn is_mature_at(&self, height: u32) -> bool {
        !self.is_coinbase || height.saturating_sub(self.height) >= COINBASE_MATURITY
    }
}
