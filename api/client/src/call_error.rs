//! The reason why a request has no usable answer.

use std::time::Duration;

use thiserror::Error;

use crate::types::{ErrorCode, Problem};

/// The reason why a request has no usable answer.
#[derive(Debug, Error)]
pub enum CallError {
    /// The server refused it, so it had no effect.
    #[error("refused with {} {}: {}", .0.status, .0.r#type, .0.detail)]
    Refused(Box<Problem>),
    /// The server asks for a longer wait than this client waits by itself.
    #[error("the server asks to wait {} s", .0.as_secs())]
    Busy(Duration),
    /// No connection could be made, at any attempt: the request had no effect.
    #[error("the server cannot be reached: {0}")]
    Unreachable(String),
    /// The connection broke or the time limit passed after the request was sent, and it could not be sent again: whether
    /// it had an effect is not known.
    #[error("no answer, and the outcome is unknown: {0}")]
    Unknown(String),
    /// The answer is not what the description of the API says. A write has had its effect.
    #[error("the answer cannot be read: {0}")]
    Unreadable(String),
    /// The body cannot be written as JSON.
    #[error("the body cannot be written: {0}")]
    Unwritable(serde_json::Error),
    /// The header fields or the path are not valid in HTTP.
    #[error("the request is not valid: {0}")]
    Invalid(String),
}

impl CallError {
    /// The code of a refusal.
    #[must_use]
    pub fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Refused(problem) => Some(problem.code),
            _ => None,
        }
    }

    /// Whether a write may have had an effect.
    #[must_use]
    pub const fn may_have_happened(&self) -> bool {
        matches!(self, Self::Unknown(_) | Self::Unreadable(_))
    }
}
