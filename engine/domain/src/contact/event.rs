//! The events of contacts.

use serde::{Deserialize, Serialize};

use super::{NoticeChoices, PushTarget, WebhookPauseReason};
use crate::{NoticeKinds, PushId, UnixMs, UserId, WebhookId};

/// An event of a user's contact. The journal stores variants by their position, so new ones must be added at the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ContactEvent {
    /// A user set an address, which is not verified yet; it replaces the one before.
    #[serde(rename = "EmailGiven")]
    EmailSet {
        /// The user.
        user: UserId,
        /// The address.
        address: String,
        /// The unique number of this setting.
        serial: u64,
        /// The deadline of the verification.
        expires_at: UnixMs,
    },
    /// The address was verified as the user's own.
    EmailVerified {
        /// The user.
        user: UserId,
    },
    /// The address was removed.
    EmailRemoved {
        /// The user.
        user: UserId,
    },
    /// A chat was linked to a user; it replaces the one before.
    TelegramLinked {
        /// The user.
        user: UserId,
        /// Telegram's id of the chat.
        chat: i64,
    },
    /// The chat was unlinked.
    TelegramUnlinked {
        /// The user.
        user: UserId,
    },
    /// A user chose notices.
    #[serde(rename = "Chosen")]
    ChoicesSet {
        /// The user.
        user: UserId,
        /// The choices.
        choices: NoticeChoices,
    },
    /// The mail server of the address rejects it permanently. No mail is sent there until it is set again.
    #[serde(rename = "EmailRefused")]
    EmailBounced {
        /// The user.
        user: UserId,
    },
    /// A user registered a webhook.
    WebhookAdded {
        /// The user.
        user: UserId,
        /// The webhook.
        webhook: WebhookId,
        /// The URL, already validated.
        url: String,
        /// The kinds that are sent to it.
        kinds: NoticeKinds,
    },
    /// A user chose the kinds of a webhook.
    WebhookKindsSet {
        /// The user.
        user: UserId,
        /// The webhook.
        webhook: WebhookId,
        /// The kinds that are sent to it.
        kinds: NoticeKinds,
    },
    /// A user replaced the secret of a webhook. The one before signs as well for [`super::Webhook::OVERLAP_MS`].
    WebhookSecretRotated {
        /// The user.
        user: UserId,
        /// The webhook.
        webhook: WebhookId,
    },
    /// Nothing is sent to the webhook until it is resumed.
    WebhookPaused {
        /// The user.
        user: UserId,
        /// The webhook.
        webhook: WebhookId,
        /// The reason.
        reason: WebhookPauseReason,
    },
    /// A user resumed a webhook.
    WebhookResumed {
        /// The user.
        user: UserId,
        /// The webhook.
        webhook: WebhookId,
    },
    /// A user removed a webhook.
    WebhookRemoved {
        /// The user.
        user: UserId,
        /// The webhook.
        webhook: WebhookId,
    },
    /// A user subscribed a browser.
    PushAdded {
        /// The user.
        user: UserId,
        /// The subscription.
        push: PushId,
        /// Its address and keys, already validated.
        target: PushTarget,
        /// The `User-Agent` of the browser.
        agent: String,
        /// The kinds that are sent to it.
        kinds: NoticeKinds,
    },
    /// A user chose the kinds of a browser.
    PushKindsSet {
        /// The user.
        user: UserId,
        /// The subscription.
        push: PushId,
        /// The kinds that are sent to it.
        kinds: NoticeKinds,
    },
    /// A user removed a subscription, or its push service does not know it any more.
    PushRemoved {
        /// The user.
        user: UserId,
        /// The subscription.
        push: PushId,
    },
}

impl ContactEvent {
    /// The user whose contact changed.
    #[must_use]
    pub const fn user(&self) -> UserId {
        match self {
            Self::EmailSet { user, .. }
            | Self::EmailVerified { user }
            | Self::EmailRemoved { user }
            | Self::TelegramLinked { user, .. }
            | Self::TelegramUnlinked { user }
            | Self::ChoicesSet { user, .. }
            | Self::EmailBounced { user }
            | Self::WebhookAdded { user, .. }
            | Self::WebhookKindsSet { user, .. }
            | Self::WebhookSecretRotated { user, .. }
            | Self::WebhookPaused { user, .. }
            | Self::WebhookResumed { user, .. }
            | Self::WebhookRemoved { user, .. }
            | Self::PushAdded { user, .. }
            | Self::PushKindsSet { user, .. }
            | Self::PushRemoved { user, .. } => *user,
        }
    }
}
