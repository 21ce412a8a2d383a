//! Errors of upstreams.

use engine::asset_index::AssetError;
use thiserror::Error;

use crate::parsing::address_script::NoAddress;
use crate::parsing::text::excerpt;

/// The reason why an upstream failed to answer; the next one may succeed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UpstreamError {
    /// No connection, a broken one, or a timeout.
    #[error("no answer: {0}")]
    Unreachable(String),
    /// An error status.
    #[error("it answers {0}")]
    Status(u16),
    /// It rejects our key, which only the operator can fix.
    #[error("it does not accept the key")]
    Unauthorized,
    /// An invalid or contradictory answer.
    #[error("invalid response: {0}")]
    InvalidResponse(String),
    /// The request itself is refused, such as a transaction.
    #[error("it refuses: {0}")]
    Refused(String),
    /// It has not read the blocks that the request is about.
    #[error("it has read up to block {height}, and block {wanted} is wanted")]
    Behind {
        /// Its height.
        height: u32,
        /// The height that it should have reached.
        wanted: u32,
    },
    /// Its circuit breaker is open after too many failures.
    #[error("its circuit breaker is open for {remaining_ms} ms more")]
    CircuitOpen {
        /// The remaining time, in milliseconds.
        remaining_ms: u64,
    },
    /// Our own rate limit for it is exhausted.
    #[error("its rate limit is reached")]
    RateLimited,
    /// It reads another Bitcoin network.
    #[error("it reads the blocks of another network")]
    WrongNetwork,
    /// It does not have or offer what was requested.
    #[error("it does not know {0}")]
    Unknown(String),
}

impl From<NoAddress> for UpstreamError {
    fn from(_: NoAddress) -> Self {
        Self::Unknown("scripts without an address".to_owned())
    }
}

impl From<AssetError> for UpstreamError {
    fn from(error: AssetError) -> Self {
        match error {
            AssetError::Unreachable(why) => Self::Unreachable(why),
            AssetError::InvalidResponse(why) => Self::InvalidResponse(why),
        }
    }
}

impl From<UpstreamError> for AssetError {
    fn from(error: UpstreamError) -> Self {
        match error {
            UpstreamError::Unreachable(why) => Self::Unreachable(why),
            UpstreamError::InvalidResponse(why) => Self::InvalidResponse(why),
            other => Self::Unreachable(other.to_string()),
        }
    }
}

impl UpstreamError {
    pub(crate) fn invalid_response(why: &str) -> Self {
        Self::InvalidResponse(excerpt(why))
    }

    /// Returns a short label for metrics.
    #[must_use]
    pub const fn label(&self) -> &'static str {
        match self {
            Self::Unreachable(_) => "unreachable",
            Self::Status(_) => "status",
            Self::Unauthorized => "key",
            Self::InvalidResponse(_) => "nonsense",
            Self::Refused(_) => "refused",
            Self::Behind { .. } => "behind",
            Self::CircuitOpen { .. } => "resting",
            Self::RateLimited => "busy",
            Self::WrongNetwork => "other_network",
            Self::Unknown(_) => "unknown",
        }
    }
}
