//! Retries: the time after which the same request may succeed, by error code.

use super::error_code::ErrorCode;

impl ErrorCode {
    /// Returns the value of `Retry-After`, in seconds, if the same request may succeed soon.
    #[must_use]
    pub const fn retry_after_s(self) -> Option<u64> {
        match self {
            Self::Overloaded | Self::NotReady | Self::TooManySockets | Self::IdempotencyInFlight => Some(1),
            Self::RateLimited
            | Self::NodeUnavailable
            | Self::IndexerUnavailable
            | Self::NotesUnavailable
            | Self::IndexerLagging
            | Self::SignerUnavailable
            | Self::TelegramUnavailable
            | Self::TurnstileValidationFailed => Some(5),
            Self::TurnstileRateLimited | Self::EmailLimit | Self::PreparePostponed => Some(60),
            _ => None,
        }
    }

    /// Whether the refusal holds for this attempt only, so that it is not stored as the answer for the key.
    #[must_use]
    pub const fn is_transient(self) -> bool {
        let asks_for_token = matches!(self, Self::TurnstileRequired | Self::TurnstileBotDetection);
        asks_for_token || self.retry_after_s().is_some() || self.status() >= 500
    }
}
