//! What a session says about notifications (SPEC section 3).

use domain::Contact;
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
    /// Whether it is their own.
    is_email_verified: bool,
    /// Their chat with the bot.
    #[schema(required)]
    telegram_chat_id: Option<i64>,
}

impl From<Contact> for NotificationPreferences {
    fn from(contact: Contact) -> Self {
        let Contact { email, telegram, choices } = contact;
        Self {
            critical_alerts: choices.critical_alerts,
            is_email_verified: email.as_ref().is_some_and(|email| email.verified_at.is_some()),
            email: email.map(|email| email.address),
            telegram_chat_id: telegram.map(|telegram| telegram.chat),
        }
    }
}
