//! The events of messages.

use serde::{Deserialize, Serialize};

use super::{Message, MessageId};
use crate::{PushId, UnixMs, WebhookId};

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
    /// An attempt at a webhook has ended. Journaled with its outcome.
    Attempted {
        /// The message.
        id: MessageId,
        /// The result.
        result: AttemptResult,
        /// The duration, in milliseconds.
        duration_ms: u32,
    },
    /// A webhook was paused: its waiting messages are not sent any more.
    WebhookStopped {
        /// The webhook.
        webhook: WebhookId,
    },
    /// A webhook was removed, and the record of its messages with it.
    WebhookForgotten {
        /// The webhook.
        webhook: WebhookId,
    },
    /// A push subscription was removed: its waiting messages are not sent any more.
    PushStopped {
        /// The subscription.
        push: PushId,
    },
}

/// The result of an attempt at a webhook. The journal stores variants by their position, so new ones must be added at
/// the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AttemptResult {
    /// It answered with this HTTP status.
    Status(u16),
    /// Its name has no address that is reachable from the public Internet.
    AddressRefused,
    /// No connection was made, or not one that its certificate is valid for.
    Unreachable,
    /// It did not answer in time.
    TimedOut,
    /// The connection was lost before the answer.
    NoAnswer,
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
