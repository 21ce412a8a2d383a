//! The reasons why a task of the offline page is refused.

use bitcoin::{Amount, OutPoint};
use escrow::contract::loan::claim::ClaimError;
use escrow::contract::loan::repayment::RepaymentError;
use escrow::contract::signing::finished::FinishError;
use escrow::contract::signing::returned_psbt_error::ReturnedPsbtError;
use escrow::contract::signing::signatures::{SignatureError, TransactionMismatch};
use escrow::contract::transaction::coin_selection::COINS_MAX;
use escrow::contract::vault::vault_exit::ExitError;
use escrow::fee_rate::EXPECTED;
use escrow::kit::kit_error::KitError;
use escrow::kit::rebuild::RebuildError;
use thiserror::Error;

/// A reason for a refusal.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum KitFault {
    /// The task is not understood.
    #[error("the task cannot be read: {reason}")]
    Unreadable {
        /// The parser's error.
        reason: String,
    },
    /// The file is no kit, or a contradictory one.
    #[error(transparent)]
    Kit(#[from] KitError),
    /// The number of coins does not fit.
    #[error("{found} coins are named, and {expected}")]
    CoinCount {
        /// The number found.
        found: usize,
        /// The expected number in words.
        expected: String,
    },
    /// A coin without an amount, or with more than all bitcoin.
    #[error("the coin {outpoint} cannot hold {amount}")]
    CoinAmount {
        /// The coin.
        outpoint: OutPoint,
        /// The stated amount.
        amount: Amount,
    },
    /// Coins with more than all bitcoin.
    #[error("the coins cannot hold more than all bitcoin together")]
    CoinTotal,
    /// A pad is named that the loan does not have.
    #[error("{0} is not a pad of this loan")]
    UnknownPad(OutPoint),
    /// The fee rate is outside of its range.
    #[error("enter a fee rate: {EXPECTED}")]
    FeeRate,
    /// The claim time has passed.
    #[error("{0}")]
    Late(String),
    /// The destination is no address of the network.
    #[error("{address}: {reason}")]
    Destination {
        /// The text.
        address: String,
        /// The parser's error.
        reason: String,
    },
    /// The coins do not suffice.
    #[error("{wanted} are wanted, and the coins that pay hold {found}: name further coins of {missing} at least")]
    InsufficientFunds {
        /// The amount due plus the network fee.
        wanted: Amount,
        /// The amount found.
        found: Amount,
        /// The difference.
        missing: Amount,
    },
    /// Too few coins stand before the escrow.
    #[error("{wanted} coins must stand before the escrow, and {found} are there: name {} more", .wanted.saturating_sub(*.found))]
    PadsMissing {
        /// The number required.
        wanted: usize,
        /// The number found.
        found: usize,
    },
    /// A claim whose fee the collateral cannot pay.
    #[error("the collateral's own sats do not pay the fee of about {wanted}: name a coin of your payment address")]
    NeedsFeeCoin {
        /// The fee.
        wanted: Amount,
    },
    /// No repayment follows from the coins.
    #[error("no repayment can be built: {0}")]
    Repayment(RepaymentError),
    /// No claim follows from the coin.
    #[error("no claim can be built: {0}")]
    Claim(ClaimError),
    /// No exit follows from the outputs.
    #[error("no exit can be built: {0}")]
    Exit(#[from] ExitError),
    /// The signatures that were made in advance do not fit.
    #[error("the signatures made in advance do not fit: {0}")]
    PreSignatures(#[from] SignatureError),
    /// Signatures belong to another transaction.
    #[error(transparent)]
    Mismatch(#[from] TransactionMismatch),
    /// The signed text is not acceptable.
    #[error(transparent)]
    Returned(#[from] ReturnedPsbtError),
    /// The signed transaction does not name the amount of an input.
    #[error("the signed PSBT does not name the amount of input {index}")]
    MissingAmount {
        /// The input's index.
        index: usize,
    },
    /// The signed transaction is not the one that the kit builds.
    #[error("the signed transaction is refused: {0}")]
    Rebuild(#[from] RebuildError),
    /// The signed transaction cannot be completed.
    #[error("the signed transaction cannot be completed: {0}")]
    Finish(#[from] FinishError),
}

impl KitFault {
    /// Returns the refusal of a number of coins that exceeds the maximum.
    #[must_use]
    pub fn too_many_coins(found: usize) -> Self {
        Self::CoinCount { found, expected: format!("at most {COINS_MAX} can be spent at once") }
    }

    /// The reason for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "unreadable",
            Self::Kit(_) => "kit",
            Self::CoinCount { .. } => "coin_count",
            Self::CoinAmount { .. } => "coin_amount",
            Self::CoinTotal => "coin_total",
            Self::UnknownPad(_) => "unknown_pad",
            Self::FeeRate => "fee_rate",
            Self::Late(_) => "late",
            Self::Destination { .. } => "destination",
            Self::InsufficientFunds { .. } => "insufficient_funds",
            Self::PadsMissing { .. } => "pads_missing",
            Self::NeedsFeeCoin { .. } => "needs_fee_coin",
            Self::Repayment(_) => "repayment",
            Self::Claim(_) => "claim",
            Self::Exit(_) => "exit",
            Self::PreSignatures(_) => "pre_signatures",
            Self::Mismatch(_) => "mismatch",
            Self::Returned(_) => "returned",
            Self::MissingAmount { .. } => "missing_amount",
            Self::Rebuild(_) => "rebuild",
            Self::Finish(_) => "finish",
        }
    }
}
