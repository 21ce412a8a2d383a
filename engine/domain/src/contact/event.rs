//! What happens to contacts.

use serde::{Deserialize, Serialize};

use super::NoticeChoices;
use crate::{UnixMs, UserId};

/// Something that happened to somebody's contact. The journal counts these by their place: new ones come last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ContactEvent {
    /// Somebody gave an address, which is not verified yet; the one before is forgotten.
    EmailGiven {
        /// Who.
        user: UserId,
        /// The address.
        address: String,
        /// The number of this giving.
        serial: u64,
        /// Until when it can be verified.
        expires_at: UnixMs,
    },
    /// The address is the person's own.
    EmailVerified {
        /// Whose.
        user: UserId,
    },
    /// The address is forgotten.
    EmailRemoved {
        /// Whose.
        user: UserId,
    },
    /// A chat belongs to somebody; the one before is forgotten.
    TelegramLinked {
        /// Who.
        user: UserId,
        /// Telegram's id of the chat.
        chat: i64,
    },
    /// The chat is forgotten.
    TelegramUnlinked {
        /// Whose.
        user: UserId,
    },
    /// Somebody said what they want to be told.
    Chosen {
        /// Who.
        user: UserId,
        /// What.
        choices: NoticeChoices,
    },
    /// The mail server of the address refuses it for good. Nothing goes there until it is given again.
    EmailRefused {
        /// Whose.
        user: UserId,
    },
}

impl ContactEvent {
    /// Whose contact it happened to.
    #[must_use]
    pub const fn user(&self) -> UserId {
        match self {
            Self::EmailGiven { user, .. }
            | Self::EmailVerified { user }
            | Self::EmailRemoved { user }
            | Self::TelegramLinked { user, .. }
            | Self::TelegramUnlinked { user }
            | Self::Chosen { user, .. }
            | Self::EmailRefused { user } => *user,
        }
    }
}
