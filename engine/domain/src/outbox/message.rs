//! What is sent.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Outbox;
use crate::{Contact, ContactWay, LoanId, NoticeKind, OfferId, Role, UnixMs, UserId};

/// The number of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MessageId(pub u64);

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ms_{:x}", self.0)
    }
}

/// A message to one person. Where it goes follows from their contact when it goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Its number.
    pub id: MessageId,
    /// To whom.
    pub user: UserId,
    /// In which way.
    pub way: ContactWay,
    /// What it says.
    pub content: MessageContent,
}

impl Message {
    /// Whether it is to be sent still: whoever it is for can be reached and wants to be told, and it is news.
    #[must_use]
    pub fn is_wanted(&self, contact: &Contact, now: UnixMs) -> bool {
        match &self.content {
            MessageContent::Verification { serial } => contact.email.as_ref().is_some_and(|email| {
                self.way == ContactWay::Email
                    && email.serial == *serial
                    && email.verified_at.is_none()
                    && email.refused_at.is_none()
                    && email.expires_at > now
            }),
            // Whoever comes to be reached in another way is told of nothing older.
            MessageContent::Notice(facts) => {
                contact.reachable_since(self.way).is_some_and(|since| since <= facts.at)
                    && contact.choices.takes(facts.kind)
                    && !self.is_stale(now)
            }
        }
    }

    /// Whether it is no news any more, whoever it is for.
    #[must_use]
    pub fn is_stale(&self, now: UnixMs) -> bool {
        match &self.content {
            MessageContent::Verification { .. } => false,
            MessageContent::Notice(facts) => facts.at.plus_ms(Outbox::NEWS_MS) <= now,
        }
    }
}

/// What a message says. The journal counts these by their place: new ones come last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MessageContent {
    /// How to verify the e-mail address.
    Verification {
        /// The number of the giving of the address.
        serial: u64,
    },
    /// Something that the person is told in the app, too.
    Notice(NoticeFacts),
}

impl MessageContent {
    /// Whether it goes before others.
    #[must_use]
    pub const fn is_critical(&self) -> bool {
        match self {
            Self::Verification { .. } => true,
            Self::Notice(facts) => facts.kind.is_critical(),
        }
    }
}

/// What is told by a notice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoticeFacts {
    /// The same for what is the same news.
    pub id: String,
    /// What happened.
    pub kind: NoticeKind,
    /// When.
    pub at: UnixMs,
    /// In which collection, for people.
    pub collection_name: String,
    /// The loan it is about.
    pub loan: Option<LoanId>,
    /// The reader's side of that loan.
    pub role: Option<Role>,
    /// The offer it is about.
    pub offer: Option<OfferId>,
}
