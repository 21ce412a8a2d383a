//! The stages of a loan.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The stage of a loan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum LoanStage {
    /// Waits for the borrower's signature.
    Prepared,
    /// Waits for the lender's signature.
    AwaitingLender,
    /// Broadcast and not confirmed yet.
    Broadcast,
    /// Running: confirmed, and the term is not over.
    Active,
    /// The term is over. It can be repaid as long as the collateral is not claimed.
    Expired,
    /// The borrower's transaction is not confirmed yet.
    Repaying,
    /// The lender's transaction is not confirmed yet.
    Claiming,
    /// Repaid, by the borrower or out of the loan that follows.
    Repaid,
    /// The lender has the collateral.
    Claimed,
    /// Not signed in time, or cancelled by one side.
    Cancelled,
    /// The lender did not sign in time.
    Lapsed,
    /// Failed before it began: its coins were spent otherwise.
    Failed,
}

impl LoanStage {
    /// Every stage, in the order of the lifecycle.
    pub const ALL: [Self; 12] = [
        Self::Prepared,
        Self::AwaitingLender,
        Self::Broadcast,
        Self::Active,
        Self::Expired,
        Self::Repaying,
        Self::Claiming,
        Self::Repaid,
        Self::Claimed,
        Self::Cancelled,
        Self::Lapsed,
        Self::Failed,
    ];

    /// The stage with this name on the wire.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stage| stage.to_string() == name)
    }

    /// Whether the collateral is in the escrow, or will be with the next block.
    #[must_use]
    pub const fn is_running(self) -> bool {
        matches!(self, Self::Broadcast | Self::Active | Self::Expired | Self::Repaying | Self::Claiming)
    }

    /// Whether it has ended; a reorg can still reverse an end on the chain.
    #[must_use]
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Repaid | Self::Claimed | Self::Cancelled | Self::Lapsed | Self::Failed)
    }
}

/// Displays the name on the wire.
impl fmt::Display for LoanStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Prepared => "prepared",
            Self::AwaitingLender => "awaiting_lender",
            Self::Broadcast => "broadcast",
            Self::Active => "active",
            Self::Expired => "expired",
            Self::Repaying => "repaying",
            Self::Claiming => "claiming",
            Self::Repaid => "repaid",
            Self::Claimed => "claimed",
            Self::Cancelled => "cancelled",
            Self::Lapsed => "lapsed",
            Self::Failed => "failed",
        })
    }
}
