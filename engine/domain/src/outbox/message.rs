//! Messages and their contents.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::Outbox;
use crate::{Contact, ContactChannel, LoanId, NoticeKind, OfferId, ParseIdError, Role, UnixMs, UserId};

/// The id of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MessageId(pub u64);

impl FromStr for MessageId {
    type Err = ParseIdError;

    fn from_str(text: &str) -> Result<Self, ParseIdError> {
        let number = text.strip_prefix("ms_").and_then(|digits| u64::from_str_radix(digits, 16).ok());
        // Each id has one spelling.
        let id = number.map(Self).filter(|id| id.to_string() == text);
        id.ok_or_else(|| ParseIdError::new("message", text))
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ms_{:x}", self.0)
    }
}

/// A message to one user. Its destination follows from the user's contact at the time of the delivery.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The id.
    pub id: MessageId,
    /// The user.
    pub user: UserId,
    /// The channel of delivery.
    #[serde(rename = "way")]
    pub channel: ContactChannel,
    /// The content.
    pub content: MessageContent,
}

impl Message {
    /// Whether it is still to be sent: the user is reachable and wants it, and it is not stale.
    #[must_use]
    pub fn is_wanted(&self, contact: &Contact, now: UnixMs) -> bool {
        match &self.content {
            MessageContent::Verification { serial } => contact.email.as_ref().is_some_and(|email| {
                self.channel == ContactChannel::Email
                    && email.serial == *serial
                    && email.verified_at.is_none()
                    && email.bounced_at.is_none()
                    && email.expires_at > now
            }),
            // A newly reachable user gets no notices older than that.
            MessageContent::Notice(facts) => {
                contact.reachable_since(self.channel).is_some_and(|since| since <= facts.at)
                    && contact.wants(self.channel, facts.kind)
                    && !self.is_stale(now)
            }
            // The user asked for it.
            MessageContent::Replayed(_) => contact.reachable_since(self.channel).is_some(),
            MessageContent::Test { .. } => {
                self.channel.webhook().is_some_and(|webhook| contact.webhook(webhook).is_some())
            }
        }
    }

    /// Whether it is too old to be sent.
    #[must_use]
    pub fn is_stale(&self, now: UnixMs) -> bool {
        match &self.content {
            MessageContent::Verification { .. } | MessageContent::Replayed(_) | MessageContent::Test { .. } => false,
            MessageContent::Notice(facts) => {
                let age_max = match self.channel {
                    ContactChannel::Webhook(_) => Outbox::WEBHOOK_AGE_MAX_MS,
                    ContactChannel::Email | ContactChannel::Telegram | ContactChannel::Push(_) => {
                        Outbox::NOTICE_AGE_MAX_MS
                    }
                };
                facts.at.plus_ms(age_max) <= now
            }
        }
    }

    /// The number of delivery attempts after which it is given up. A test event shows the result of one.
    #[must_use]
    pub const fn attempts_max(&self) -> u32 {
        match (self.channel, &self.content) {
            (_, MessageContent::Test { .. }) => 1,
            (ContactChannel::Webhook(_) | ContactChannel::Push(_), _) => Outbox::WEBHOOK_ATTEMPTS_MAX,
            (ContactChannel::Email | ContactChannel::Telegram, _) => Outbox::ATTEMPTS_MAX,
        }
    }
}

/// The content of a message. The journal stores variants by their position, so new ones must be added at the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MessageContent {
    /// The verification of an e-mail address.
    Verification {
        /// The number of the setting of the address.
        serial: u64,
    },
    /// A notice that the user also gets in the app.
    Notice(NoticeFacts),
    /// A notice that the user asked to send to a webhook again.
    Replayed(NoticeFacts),
    /// A test event for a webhook.
    Test {
        /// The time of the request.
        at: UnixMs,
    },
}

impl MessageContent {
    /// Whether it is sent before others.
    #[must_use]
    pub const fn is_critical(&self) -> bool {
        match self {
            Self::Verification { .. } => true,
            Self::Notice(facts) | Self::Replayed(facts) => facts.kind.is_critical(),
            Self::Test { .. } => false,
        }
    }

    /// The facts of the notice; `None` if it is not one.
    #[must_use]
    pub const fn facts(&self) -> Option<&NoticeFacts> {
        match self {
            Self::Notice(facts) | Self::Replayed(facts) => Some(facts),
            Self::Verification { .. } | Self::Test { .. } => None,
        }
    }
}

/// The facts of a notice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoticeFacts {
    /// An id that is the same for the same notice.
    pub id: String,
    /// The kind.
    pub kind: NoticeKind,
    /// The time.
    pub at: UnixMs,
    /// The display name of the collection; of a paused webhook, its host.
    pub collection_name: String,
    /// The loan that it is about.
    pub loan: Option<LoanId>,
    /// The reader's side of that loan.
    pub role: Option<Role>,
    /// The offer that it is about.
    pub offer: Option<OfferId>,
}
