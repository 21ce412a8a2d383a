//! The two sides of a loan.

use serde::{Deserialize, Serialize};

/// Which side of a loan somebody is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Role {
    /// Pledged the collateral and owes the money.
    Borrower,
    /// Gave the money.
    Lender,
}

impl std::fmt::Display for Role {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl Role {
    /// Its name in files and on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Borrower => "borrower",
            Self::Lender => "lender",
        }
    }
}
