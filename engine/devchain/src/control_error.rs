//! Errors of the embedded chain's controls.

use std::io;

use bitcoin::Amount;
use ordinals::{RuneId, SpacedRune};
use thiserror::Error;

use super::reject_reason::RejectReason;

/// The reason why a control of the embedded chain had no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ControlError {
    /// The block would be invalid.
    #[error("no node would take this block: {0}")]
    Block(#[from] RejectReason),
    /// More blocks were requested at once than a mistake should cost.
    #[error("{asked} blocks at once are more than {max}")]
    TooManyBlocks {
        /// The number of blocks requested.
        asked: u32,
        /// The highest number allowed.
        max: u32,
    },
    /// The chain has fewer blocks than are to be disconnected.
    #[error("{depth} blocks cannot be taken back from a chain of {height}")]
    TooDeep {
        /// The number of blocks to disconnect.
        depth: u32,
        /// The number of blocks in the chain.
        height: u32,
    },
    /// The faucet has too few mature coins.
    #[error("the faucet holds {found}, and {wanted} is wanted")]
    FaucetEmpty {
        /// The amount needed, fee included.
        wanted: Amount,
        /// The amount that it can spend.
        found: Amount,
    },
    /// The postage of an inscription exceeds the maximum amount of money.
    #[error("an output of {0} cannot be paid for")]
    Postage(Amount),
    /// The faucet's outputs hold too little of the rune, or the mempool spends them already.
    #[error("the faucet has no output with {wanted} raw units of the rune {rune}")]
    RunesUsedUp {
        /// The rune.
        rune: RuneId,
        /// The amount wanted, in raw units.
        wanted: u128,
    },
    /// The name is taken, or is not available yet.
    #[error("the rune {0} cannot be etched")]
    RuneName(SpacedRune),
    /// The chain's file cannot be written, and therefore every further change is refused.
    #[error("the chain's file cannot be written: {0}")]
    Storage(io::ErrorKind),
    /// The faucet cannot sign its own transaction.
    #[error("the faucet cannot sign: {0}")]
    Signing(&'static str),
}
