//! Where a loan stands.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Where a loan stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum LoanStage {
    /// The borrower is to sign.
    Prepared,
    /// The lender is to sign.
    AwaitingLender,
    /// It waits for its block.
    Broadcast,
    /// The term runs.
    Active,
    /// The term is over. It can be repaid as long as the collateral is not claimed.
    Expired,
    /// The borrower's transaction waits for its block.
    Repaying,
    /// The lender's transaction waits for its block.
    Claiming,
    /// Repaid, by the borrower or by the loan that follows.
    Repaid,
    /// The lender has the collateral.
    Claimed,
    /// Nobody signed, or somebody would not.
    Cancelled,
    /// The lender did not sign in time.
    Lapsed,
    /// It could never begin.
    Failed,
}

impl LoanStage {
    /// Every stage, in the order of a loan's life.
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

    /// The stage of that name on the wire.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stage| stage.to_string() == name)
    }

    /// Whether collateral lies in the escrow, or will with the next block.
    #[must_use]
    pub const fn is_running(self) -> bool {
        matches!(self, Self::Broadcast | Self::Active | Self::Expired | Self::Repaying | Self::Claiming)
    }

    /// Whether it has ended; an end on the chain can still be undone by another block.
    #[must_use]
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Repaid | Self::Claimed | Self::Cancelled | Self::Lapsed | Self::Failed)
    }
}

/// As it is written on the wire.
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
