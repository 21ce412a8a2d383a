//! The user's settings of notifications, as part of the session.

use domain::{Contact, ContactChannel, NoticeKind};
use serde::Serialize;
use utoipa::ToSchema;

/// The channels on which critical events can be sent to the user outside of the app.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NotificationPreferences {
    /// Whether the user wants to receive them.
    critical_alerts: bool,
    /// The user's e-mail address.
    #[schema(required)]
    email: Option<String>,
    /// Whether the address is verified and its mail server accepts mail.
    is_email_verified: bool,
    /// The user's chat with the Telegram bot.
    #[schema(required)]
    telegram_chat_id: Option<i64>,
    /// Whether a browser of the user gets critical events by Web Push.
    is_browser_notified: bool,
}

impl From<Contact> for NotificationPreferences {
    fn from(contact: Contact) -> Self {
        let is_email_verified = contact.reachable_since(ContactChannel::Email).is_some();
        let has_critical = |kinds: domain::NoticeKinds| kinds.iter().any(NoticeKind::is_critical);
        let is_browser_notified = contact.pushes.iter().any(|push| has_critical(push.kinds));
        let Contact { email, telegram, choices, .. } = contact;
        Self {
            critical_alerts: choices.critical_alerts,
            is_email_verified,
            is_browser_notified,
            email: email.map(|email| email.address),
            telegram_chat_id: telegram.map(|telegram| telegram.chat),
        }
    }
}
