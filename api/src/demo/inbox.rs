//! The demo's own mail server and its test double of Telegram: messages are actually sent, over sockets of this
//! machine, and their recipients read them in the demo.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use domain::{Contact, UserId};
use lettre::Address;
use lettre::message::Mailbox;
use providers::Telegram;
use secrecy::SecretString;
use tokio::time::timeout;

use super::mail_catcher::{CaughtMail, MailCatcher, ReadMail, SmtpReply, SmtpStage};
use super::telegram_double::{SentMessage, TelegramDouble};
use crate::config::delivery_settings::MailAccess;
use crate::config::mail_server::{MailSecurity, MailServer};
use crate::config::public_url::PublicUrl;
use crate::delivery::bot::Bot;
use crate::delivery::mail_tokens::{MailTask, MailTokens};
use crate::failure::Failure;

/// The name of the demo's bot.
pub const BOT_NAME: &str = "lienbook_demo_bot";
/// The timeout of the bot's answer to an opened link.
const BOT_ANSWER_TIMEOUT: Duration = Duration::from_secs(3);

/// Accepts every mail except those to a reserved host name (RFC 2606), so that a refusal can be demonstrated.
fn accept_unless_invalid(moment: SmtpStage<'_>) -> SmtpReply {
    match moment {
        SmtpStage::Recipient(address) if address.ends_with(".invalid") => SmtpReply::Reply("550 5.1.2 no such host"),
        _ => SmtpReply::Normal,
    }
}

/// The mail server and the test double of Telegram.
pub struct DemoInbox {
    /// The mail server.
    pub mail: MailCatcher,
    /// The test double of Telegram.
    pub telegram: TelegramDouble,
    public_url: PublicUrl,
    latest_chat: AtomicI64,
}

impl DemoInbox {
    /// Opens both.
    ///
    /// # Errors
    /// Fails if no port is free.
    pub fn open(public_url: &PublicUrl) -> Result<Self, Failure> {
        Ok(Self {
            mail: MailCatcher::open_with(Arc::new(accept_unless_invalid)).map_err(Failure::new)?,
            telegram: TelegramDouble::open(BOT_NAME).map_err(Failure::new)?,
            public_url: public_url.clone(),
            // Chat ids of an earlier start are not reused.
            latest_chat: AtomicI64::new(i64::from(rand::random::<u32>()) << 20),
        })
    }

    /// Returns the access to the mail server.
    #[must_use]
    pub fn mail_access(&self) -> MailAccess {
        let address = self.mail.address();
        let server = MailServer { host: address.ip().to_string(), port: address.port(), security: MailSecurity::Clear };
        let sender = Address::new_dangerous("notices", "lienbook.example");
        MailAccess { server, login: None, from: Mailbox::new(Some("Lienbook".to_owned()), sender) }
    }

    /// Returns the bot of the test double. Its chats are opened at this server, not at Telegram, where the name may
    /// belong to another bot.
    ///
    /// # Errors
    /// Never, unless the test double has a malformed token.
    pub fn bot(&self) -> Result<Bot, Failure> {
        let token = SecretString::from(self.telegram.token().to_owned());
        let telegram = Telegram::new(&self.telegram.url(), &token).map_err(Failure::new)?;
        Ok(Bot::at(telegram, format!("{}/api/v1/devnet/telegram/", self.public_url)))
    }

    /// Opens a chat and presses *Start*, like a user who follows the link of a token.
    pub async fn press_start(&self, token: &str) {
        let chat = self.latest_chat.fetch_add(1, Ordering::Relaxed) + 1;
        self.telegram.receive(chat, &format!("/start {token}"));
        // After a timeout the chat is linked a moment later.
        let _ = timeout(BOT_ANSWER_TIMEOUT, self.telegram.wait_for_answer(chat)).await;
    }

    /// Returns the mails to a user at the address that they have given, newest first.
    #[must_use]
    pub fn mails_of(&self, user: UserId, contact: &Contact, tokens: &MailTokens) -> Vec<(CaughtMail, ReadMail)> {
        let Some(email) = &contact.email else { return Vec::new() };
        // Any visitor can claim any address here, so a mail belongs to the user whose token it contains.
        let is_theirs = |read: &ReadMail| {
            let token = read.unsubscribe.rsplit('/').next().unwrap_or_default();
            tokens.read(MailTask::Unsubscribe, token) == Some((user, email.serial))
        };
        let mails = self.mail.mails().into_iter().rev().filter(|mail| mail.to == email.address);
        mails
            .map(|mail| (mail.read(), mail))
            .filter(|(read, _)| is_theirs(read))
            .map(|(read, mail)| (mail, read))
            .collect()
    }

    /// Returns the bot's messages in the user's chat, newest first.
    #[must_use]
    pub fn chat_of(&self, contact: &Contact) -> Vec<SentMessage> {
        let Some(telegram) = contact.telegram else { return Vec::new() };
        self.telegram.sent_messages().into_iter().rev().filter(|said| said.chat == telegram.chat).collect()
    }
}
