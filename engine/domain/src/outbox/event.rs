//! The events of messages.

use serde::{Deserialize, Serialize};

use super::{Message, MessageId};
use crate::UnixMs;

/// An event of a message. The journal stores variants by their position, so new ones must be added at the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OutboxEvent {
    /// It is to be sent.
    Queued(Box<Message>),
    /// It is about to be sent. Journaled before the delivery attempt.
    #[serde(rename = "Handed")]
    DeliveryStarted {
        /// The message.
        id: MessageId,
    },
    /// The other side has accepted it.
    Delivered {
        /// The message.
        id: MessageId,
    },
    /// The other side has not accepted it; it is sent again.
    Failed {
        /// The message.
        id: MessageId,
        /// The time of the next attempt.
        retry_at: UnixMs,
    },
    /// It is not sent any more.
    GivenUp {
        /// The message.
        id: MessageId,
        /// The reason.
        #[serde(rename = "why")]
        reason: GiveUpReason,
    },
}

/// The reason why a message was given up. The journal stores variants by their position, so new ones must be added at
/// the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GiveUpReason {
    /// Its delivery is unknown, and it would be shown again.
    Unknown,
    /// The other side permanently rejects it.
    Refused,
    /// It was postponed too often.
    TooManyAttempts,
    /// The user cannot be reached, or does not want it, any more.
    NotWanted,
}
