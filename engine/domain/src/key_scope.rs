//! The scopes of API keys: groups of requests that a key permits.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A group of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum KeyScope {
    /// Reads of the user's own data.
    Read,
    /// Creation and changes of offers.
    Quote,
    /// Cancellation and pauses of offers.
    Cancel,
    /// The lender's part of loans.
    Lend,
    /// The borrower's part of loans.
    Borrow,
    /// The user's vault.
    Vault,
}

impl fmt::Display for KeyScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::Quote => "quote",
            Self::Cancel => "cancel",
            Self::Lend => "lend",
            Self::Borrow => "borrow",
            Self::Vault => "vault",
        })
    }
}
