//! Why an upstream did not help.

use engine::asset_index::AssetError;
use thiserror::Error;

use crate::text::excerpt;

/// Why an upstream did not help; the next one may.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Trouble {
    /// No connection, a broken one, or too slow.
    #[error("no answer: {0}")]
    Unreachable(String),
    /// A status that says no.
    #[error("it answers {0}")]
    Status(u16),
    /// It does not accept our key, which only the operator can repair.
    #[error("it does not accept the key")]
    Key,
    /// An answer that it could not mean.
    #[error("its answer makes no sense: {0}")]
    Nonsense(String),
    /// What was asked is refused for what it is, such as a transaction.
    #[error("it refuses: {0}")]
    Refused(String),
    /// It has not read the blocks that the question is about.
    #[error("it has read up to block {height}, and block {wanted} is wanted")]
    Behind {
        /// Its last block.
        height: u32,
        /// The one that it should have read.
        wanted: u32,
    },
    /// It failed too often and is left alone.
    #[error("it failed and is left alone for {rest_ms} ms more")]
    Resting {
        /// For how long.
        rest_ms: u64,
    },
    /// Our own rate limit for it is used up.
    #[error("it has been asked as often as it may be")]
    Busy,
    /// Of another Bitcoin network.
    #[error("it reads the blocks of another network")]
    OtherNetwork,
    /// It has no such thing to offer.
    #[error("it does not know {0}")]
    Unknown(String),
}

impl From<AssetError> for Trouble {
    fn from(error: AssetError) -> Self {
        match error {
            AssetError::Unreachable(why) => Self::Unreachable(why),
            AssetError::Nonsense(why) => Self::Nonsense(why),
        }
    }
}

impl From<Trouble> for AssetError {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Unreachable(why) => Self::Unreachable(why),
            Trouble::Nonsense(why) => Self::Nonsense(why),
            other => Self::Unreachable(other.to_string()),
        }
    }
}

impl Trouble {
    pub(crate) fn nonsense(why: &str) -> Self {
        Self::Nonsense(excerpt(why))
    }

    /// A short name for figures.
    #[must_use]
    pub const fn label(&self) -> &'static str {
        match self {
            Self::Unreachable(_) => "unreachable",
            Self::Status(_) => "status",
            Self::Key => "key",
            Self::Nonsense(_) => "nonsense",
            Self::Refused(_) => "refused",
            Self::Behind { .. } => "behind",
            Self::Resting { .. } => "resting",
            Self::Busy => "busy",
            Self::OtherNetwork => "other_network",
            Self::Unknown(_) => "unknown",
        }
    }
}
