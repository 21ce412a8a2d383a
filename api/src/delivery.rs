//! Delivery of notifications outside of the app: by e-mail and by Telegram, as far as the operator has configured them,
//! and to the webhooks and the browsers of users.
//!
//! ```text
//! event -> enqueue -> outbox in the journal -> worker: recorded, sent, recorded -> mail server
//!                                                                               -> Telegram
//!                                                                               -> webhooks
//!                                                                               -> push services of browsers
//! users -> bot: /start TOKEN links a chat, /stop ends that
//! ```
//!
//! Invariants:
//! - Nothing is sent that the journal has not recorded as handed over, and no message is dropped before the other side
//!   has accepted it, refused it permanently, or was asked [`domain::Outbox::ATTEMPTS_MAX`] times.
//! - A message is delivered once, unless it was sent and the answer was lost: because the process ended, the connection
//!   broke or the answer came too late, between the last byte of the message and the journal's record of the answer.
//!   Neither SMTP nor Telegram can be asked whether they accepted it, so it is sent again. A mail has the same
//!   `Message-ID` each time, by which mailboxes recognize it. A chat shows it again, which happens at most
//!   [`domain::Outbox::UNKNOWN_ATTEMPTS_MAX`] - 1 times. At most [`mailer::CONCURRENT_MAILS_MAX`] mails and
//!   [`worker::CONCURRENT_CHATS_MAX`] chat messages are in that state when a process crashes. An orderly stop waits for
//!   them.
//! - An event reaches a webhook at least once, each time with the same `webhook-id`, and not before the earlier events of
//!   the same loan or offer were accepted or given up.
//! - A message to a browser is sent again under the same topic and the same tag, by which the push service or the browser
//!   replaces it. A subscription that its push service does not know any more is removed.
//! - A webhook or a push service is called at addresses of the public Internet alone, checked when the connection is made.
//! - A failing or slow channel delays only its own messages: each channel has a worker of its own, conversations are
//!   bounded in number and time, and answers in size.
//! - Addresses, texts, tokens and passwords are in no log and no error.

pub mod bot;
pub mod context;
pub mod enqueue;
pub mod link_tokens;
pub mod links;
pub mod mail;
pub mod mail_tokens;
pub mod mailer;
pub mod message_text;
pub mod notice_text;
pub mod outcome;
pub mod outcome_log;
pub mod payload;
pub mod push_address;
pub mod push_key;
pub mod push_request;
pub mod pushes;
pub mod webhook_answers;
pub mod webhook_delivery;
pub mod webhook_event;
pub mod webhook_request;
pub mod webhook_secret;
pub mod webhooks;
pub mod worker;

use domain::{ChannelKind, Message};
use providers::AddressPolicy;
use secrecy::ExposeSecret as _;
use tokio::sync::{Notify, watch};

use self::bot::Bot;
use self::link_tokens::LinkTokens;
use self::mail_tokens::MailTokens;
use self::mailer::Mailer;
use self::push_key::PushKey;
use self::pushes::Pushes;
use self::webhooks::Webhooks;
use crate::config::delivery_settings::{DeliverySetup, MailAccess, PUSH_KEY_VARIABLE, push_contact_of, telegram_of};
use crate::config::delivery_timing::DeliveryTiming;
use crate::config::server_key::ServerKey;
use crate::config::settings::Settings;
use crate::failure::Failure;

/// The delivery of notifications by all configured channels.
pub struct Delivery {
    /// The tokens in mails.
    pub mail_tokens: MailTokens,
    /// The tokens that link chats.
    pub link_tokens: LinkTokens,
    /// The timeouts and retry delays.
    pub timing: DeliveryTiming,
    mailer: Option<Mailer>,
    bot: Option<Bot>,
    webhooks: Option<Webhooks>,
    pushes: Option<Pushes>,
    /// The key of message ids, which makes them unique among all journals.
    id_key: [u8; 32],
    mail_ready: Notify,
    chat_ready: Notify,
    webhook_ready: Notify,
    push_ready: Notify,
    is_stopping: watch::Sender<bool>,
}

impl Delivery {
    /// Builds the configured channels; `fallback` replaces those that are not configured.
    ///
    /// # Errors
    /// One line: a setting is missing or malformed.
    pub fn new(
        settings: &Settings,
        setup: DeliverySetup,
        fallback: Option<(MailAccess, Bot)>,
        key: &ServerKey,
    ) -> Result<Self, Failure> {
        let DeliverySetup { smtp_password, telegram_token, push_key, timing } = setup;
        let (fallback_mail, fallback_bot) = fallback.unzip();
        let mail = MailAccess::of(settings, smtp_password)?.or(fallback_mail);
        let policy = AddressPolicy { is_loopback_permitted: settings.webhook_loopback };
        let bot = telegram_of(settings, telegram_token.as_ref())?.map(Bot::new).or(fallback_bot);
        let push_key = match push_key {
            Some(text) => PushKey::parse(text.expose_secret())
                .map_err(|failure| Failure::new(format!("{PUSH_KEY_VARIABLE} is {failure}")))?,
            None => PushKey::derive(&key.derive("push key"))?,
        };
        let pushes = settings
            .push
            .then(|| Pushes::new(policy, timing, push_key, push_contact_of(settings), key.derive("push topic")));
        Ok(Self {
            mail_tokens: MailTokens::new(key.derive("mail token")),
            link_tokens: LinkTokens::default(),
            timing,
            mailer: mail.map(|access| Mailer::new(access, timing.mail_timeout)).transpose()?,
            bot,
            webhooks: settings.webhooks.then(|| Webhooks::new(policy, timing, key.derive("webhook secret"))),
            pushes,
            id_key: key.derive("message id"),
            mail_ready: Notify::new(),
            chat_ready: Notify::new(),
            webhook_ready: Notify::new(),
            push_ready: Notify::new(),
            is_stopping: watch::Sender::new(false),
        })
    }

    /// Returns whether mails can be sent.
    #[must_use]
    pub const fn has_mail(&self) -> bool {
        self.mailer.is_some()
    }

    /// Returns the sender of mails, if there is one.
    #[must_use]
    pub const fn mailer(&self) -> Option<&Mailer> {
        self.mailer.as_ref()
    }

    /// Returns the bot, if there is one.
    #[must_use]
    pub const fn bot(&self) -> Option<&Bot> {
        self.bot.as_ref()
    }

    /// Returns the channel of webhooks, if users can register them.
    #[must_use]
    pub const fn webhooks(&self) -> Option<&Webhooks> {
        self.webhooks.as_ref()
    }

    /// Returns the channel of Web Push, if users can subscribe browsers.
    #[must_use]
    pub const fn pushes(&self) -> Option<&Pushes> {
        self.pushes.as_ref()
    }

    /// Returns the available kinds of channels.
    #[must_use]
    pub fn channels(&self) -> Vec<ChannelKind> {
        let channels = [
            (ChannelKind::Email, self.mailer.is_some()),
            (ChannelKind::Telegram, self.bot.is_some()),
            (ChannelKind::Webhook, self.webhooks.is_some()),
            (ChannelKind::Push, self.pushes.is_some()),
        ];
        channels.into_iter().filter_map(|(channel, is_configured)| is_configured.then_some(channel)).collect()
    }

    /// Wakes the delivery after a message was put into the outbox.
    pub fn wake(&self) {
        self.mail_ready.notify_one();
        self.chat_ready.notify_one();
        self.webhook_ready.notify_one();
        self.push_ready.notify_one();
    }

    /// Stops sending.
    pub fn stop(&self) {
        self.is_stopping.send_replace(true);
    }

    /// Checks the channels and returns a line for each; an error is the reason why one cannot be used.
    pub async fn check(&self) -> Vec<Result<String, String>> {
        let mut lines = Vec::new();
        if let Some(mailer) = &self.mailer {
            let from = mailer.from();
            let checked = mailer.check().await;
            lines.push(match checked {
                Ok(()) => Ok(format!("Mail goes out as {from}.")),
                Err(why) => Err(format!("No mail goes out now, and messages wait: {why}.")),
            });
        }
        if let Some(bot) = &self.bot {
            lines.push(match bot.fetch_name().await {
                Ok(name) => Ok(format!("Telegram knows the bot as @{name}.")),
                Err(error) => Err(format!("The Telegram bot cannot be used now, and messages wait: {error}.")),
            });
        }
        lines
    }

    fn waits(&self, channel: ChannelKind) -> &Notify {
        match channel {
            ChannelKind::Email => &self.mail_ready,
            ChannelKind::Telegram => &self.chat_ready,
            ChannelKind::Webhook => &self.webhook_ready,
            ChannelKind::Push => &self.push_ready,
        }
    }

    /// Resolves when the delivery is stopped.
    async fn stopped(&self) {
        // The sender lives as long as `self`.
        let _ = self.is_stopping.subscribe().wait_for(|is_stopping| *is_stopping).await;
    }

    fn is_stopping(&self) -> bool {
        *self.is_stopping.borrow()
    }

    /// Returns the part before the `@` of a mail's `Message-ID`: the same whenever it is sent, and unique even among
    /// journals that number their messages alike.
    fn mail_id(&self, message: &Message) -> String {
        // Everything that the journal stores can be written as JSON.
        let content = serde_json::to_vec(message).unwrap_or_default();
        let mark: [u8; 32] = *blake3::keyed_hash(&self.id_key, &content).as_bytes();
        format!("{}.{}", message.id, hex::encode(&mark[..12]))
    }
}
