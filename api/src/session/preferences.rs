//! What a session says about notifications (SPEC section 3).

use domain::{Contact, ContactWay};
use serde::Serialize;
use utoipa::ToSchema;

/// Whether the person can be told of critical events outside of the app.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NotificationPreferences {
    /// Whether they want to be.
    critical_alerts: bool,
    /// Their address.
    #[schema(required)]
    email: Option<String>,
    /// Whether it is their own and takes mail.
    is_email_verified: bool,
    /// Their chat with the bot.
    #[schema(required)]
    telegram_chat_id: Option<i64>,
}

impl From<Contact> for NotificationPreferences {
    fn from(contact: Contact) -> Self {
        let is_email_verified = contact.reachable_since(ContactWay::Email).is_some();
        let Contact { email, telegram, choices } = contact;
        Self {
            critical_alerts: choices.critical_alerts,
            is_email_verified,
            email: email.map(|email| email.address),
            telegram_chat_id: telegram.map(|telegram| telegram.chat),
        }
    }
}
