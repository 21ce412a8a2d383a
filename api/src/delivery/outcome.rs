//! The result of sending a message.

use std::time::Duration;

/// The result of sending a message. Reasons contain neither the recipient nor the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SendOutcome {
    /// The message was accepted.
    Accepted,
    /// The message was refused permanently.
    Refused(String),
    /// All messages to the recipient are refused permanently: the mailbox does not exist, or the chat was closed.
    Closed(String),
    /// The message was not accepted, and may be later.
    Deferred {
        /// The reason.
        why: String,
        /// The requested retry delay.
        after: Option<Duration>,
    },
    /// The channel is unavailable to all recipients. The message was not sent.
    Unavailable(String),
    /// The message was sent, and it is unknown whether it was accepted.
    Unknown(String),
}
