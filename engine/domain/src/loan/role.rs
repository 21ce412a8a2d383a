//! The two sides of a loan.

use serde::{Deserialize, Serialize};

/// A side of a loan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Role {
    /// The borrower, who pledged the collateral and owes the repayment.
    Borrower,
    /// The lender, who paid the principal.
    Lender,
}

impl std::fmt::Display for Role {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl Role {
    /// The other side.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Borrower => Self::Lender,
            Self::Lender => Self::Borrower,
        }
    }

    /// Its name in files and on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Borrower => "borrower",
            Self::Lender => "lender",
        }
    }
}
