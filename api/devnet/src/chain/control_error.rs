//! Why the embedded chain cannot do what it is told.

use std::io;

use bitcoin::Amount;
use ordinals::{RuneId, SpacedRune};
use thiserror::Error;

use super::refusal::Refusal;

/// Why a control of the embedded chain had no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ControlError {
    /// The block would be invalid.
    #[error("no node would take this block: {0}")]
    Block(#[from] Refusal),
    /// More blocks at once than a mistake should cost.
    #[error("{asked} blocks at once are more than {max}")]
    TooManyBlocks {
        /// How many were asked for.
        asked: u32,
        /// How many there may be.
        max: u32,
    },
    /// There are not so many blocks.
    #[error("{depth} blocks cannot be taken back from a chain of {height}")]
    TooDeep {
        /// How many were asked for.
        depth: u32,
        /// How many there are.
        height: u32,
    },
    /// The faucet has no mature coins for this.
    #[error("the faucet holds {found}, and {wanted} is wanted")]
    FaucetEmpty {
        /// What it would need, fee included.
        wanted: Amount,
        /// What it can spend.
        found: Amount,
    },
    /// An inscription's amounts are more than all money.
    #[error("an output of {0} cannot be paid for")]
    Postage(Amount),
    /// The faucet's outputs hold less of a rune, or what they hold is on its way already.
    #[error("the faucet has no output with {wanted} raw units of the rune {rune}")]
    RunesUsedUp {
        /// Which rune.
        rune: RuneId,
        /// How much of it is wanted.
        wanted: u128,
    },
    /// A name that somebody else has, or that cannot be had yet.
    #[error("the rune {0} cannot be etched")]
    RuneName(SpacedRune),
    /// What happened cannot be written down, and so nothing more may happen.
    #[error("the chain's file cannot be written: {0}")]
    Storage(io::ErrorKind),
    /// The faucet's own transaction cannot be signed.
    #[error("the faucet cannot sign: {0}")]
    Signing(&'static str),
}
