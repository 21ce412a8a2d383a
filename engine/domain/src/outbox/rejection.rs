//! The refusals of commands to the outbox.

use thiserror::Error;

use super::MessageId;

/// The reason why an outbox command was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum OutboxRejection {
    /// Too many messages are waiting.
    #[error("at most {max} messages are pending")]
    Full {
        /// The maximum.
        max: usize,
    },
    /// The user has reached the daily limit of messages.
    #[error("at most {max} such messages in a day")]
    TooMany {
        /// The maximum.
        max: usize,
    },
    /// Too many messages to one webhook are waiting, or were queued within a day.
    #[error("at most {max} such messages to a webhook")]
    WebhookFull {
        /// The maximum.
        max: usize,
    },
    /// No notice of the user has this id, or it is too long ago.
    #[error("there is no such event")]
    UnknownEvent,
    /// The message is not known, or has ended.
    #[error("there is no message {0}")]
    Unknown(MessageId),
    /// The message is in flight already, or its time has not come yet.
    #[error("message {0} is not due")]
    NotDue(MessageId),
    /// A message that is not in flight has no outcome.
    #[error("message {0} is not in flight")]
    NotInFlight(MessageId),
}
