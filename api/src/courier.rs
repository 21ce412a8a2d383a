//! Telling people outside of the app: by e-mail and by Telegram, as far as the operator has set them up.

pub mod email_address;
pub mod link_office;
pub mod mail_tokens;

use std::sync::OnceLock;

use crate::config::session_key::SessionKey;
use crate::config::settings::Settings;
use link_office::LinkOffice;
use mail_tokens::MailTokens;

/// What there is to tell people with.
pub struct Courier {
    /// Tokens in mails.
    pub mail_tokens: MailTokens,
    /// Tokens that link chats.
    pub links: LinkOffice,
    has_mail: bool,
    bot: Option<Bot>,
}

/// The bot that people talk to.
pub struct Bot {
    /// Its name, once Telegram has told it.
    pub name: OnceLock<String>,
}

impl Courier {
    /// What the settings ask for.
    #[must_use]
    pub fn new(settings: &Settings, key: &SessionKey) -> Self {
        Self {
            mail_tokens: MailTokens::new(key.derive("mail token")),
            links: LinkOffice::default(),
            has_mail: settings.smtp_url.is_some(),
            bot: None,
        }
    }

    /// Whether mails can be sent.
    #[must_use]
    pub const fn has_mail(&self) -> bool {
        self.has_mail
    }

    /// The bot, if there is one.
    #[must_use]
    pub const fn bot(&self) -> Option<&Bot> {
        self.bot.as_ref()
    }
}
