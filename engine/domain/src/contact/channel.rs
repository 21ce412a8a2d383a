//! The channels to reach a user outside the app.

use serde::{Deserialize, Serialize};

use crate::{PushId, WebhookId};

/// A channel to reach a user outside the app. The journal stores variants by their position, so new ones must be added
/// at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ContactChannel {
    /// By e-mail.
    Email,
    /// By Telegram.
    Telegram,
    /// By a request to a webhook.
    Webhook(WebhookId),
    /// By a message to a browser's push service.
    Push(PushId),
}

impl ContactChannel {
    /// The kind of the channel.
    #[must_use]
    pub const fn kind(self) -> ChannelKind {
        match self {
            Self::Email => ChannelKind::Email,
            Self::Telegram => ChannelKind::Telegram,
            Self::Webhook(_) => ChannelKind::Webhook,
            Self::Push(_) => ChannelKind::Push,
        }
    }

    /// The webhook, if it is one.
    #[must_use]
    pub const fn webhook(self) -> Option<WebhookId> {
        match self {
            Self::Webhook(id) => Some(id),
            Self::Email | Self::Telegram | Self::Push(_) => None,
        }
    }

    /// Whether messages go to a URL that a user gave, which may never accept one.
    #[must_use]
    pub const fn is_callback(self) -> bool {
        matches!(self, Self::Webhook(_) | Self::Push(_))
    }
}

/// A kind of channel. Each has a delivery worker of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChannelKind {
    /// E-mail.
    Email,
    /// Telegram.
    Telegram,
    /// Webhooks.
    Webhook,
    /// Web Push.
    Push,
}

impl ChannelKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Email, Self::Telegram, Self::Webhook, Self::Push];
}
