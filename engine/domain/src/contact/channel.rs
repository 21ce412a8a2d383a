//! The channels to reach a user outside the app.

use serde::{Deserialize, Serialize};

use crate::WebhookId;

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
}

impl ContactChannel {
    /// The kind of the channel.
    #[must_use]
    pub const fn kind(self) -> ChannelKind {
        match self {
            Self::Email => ChannelKind::Email,
            Self::Telegram => ChannelKind::Telegram,
            Self::Webhook(_) => ChannelKind::Webhook,
        }
    }

    /// The webhook, if it is one.
    #[must_use]
    pub const fn webhook(self) -> Option<WebhookId> {
        match self {
            Self::Webhook(id) => Some(id),
            Self::Email | Self::Telegram => None,
        }
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
}

impl ChannelKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Email, Self::Telegram, Self::Webhook];
}
