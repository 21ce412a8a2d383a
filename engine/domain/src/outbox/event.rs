//! What happens to messages.

use serde::{Deserialize, Serialize};

use super::{Message, MessageId};
use crate::UnixMs;

/// Something that happened to a message. The journal counts these by their place: new ones come last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OutboxEvent {
    /// It is to be sent.
    Queued(Box<Message>),
    /// It is about to be handed over. Written before that is done.
    Handed {
        /// Which one.
        id: MessageId,
    },
    /// The other side has taken it.
    Delivered {
        /// Which one.
        id: MessageId,
    },
    /// The other side has not taken it, and is asked again.
    Failed {
        /// Which one.
        id: MessageId,
        /// When.
        retry_at: UnixMs,
    },
    /// It is not sent any more.
    GivenUp {
        /// Which one.
        id: MessageId,
        /// Why.
        why: WhyGivenUp,
    },
}

/// Why a message was given up. The journal counts these by their place: new ones come last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WhyGivenUp {
    /// It was handed over, nobody knows whether it was taken, and it would be shown again.
    Unknown,
    /// The other side will never take it.
    Refused,
    /// It was postponed too often.
    TooManyAttempts,
    /// Nobody can or wants to be told any more.
    NotWanted,
}
