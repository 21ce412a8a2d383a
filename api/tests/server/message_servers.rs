//! A mail server and a test double of Telegram, both on local sockets, and the messages sent to them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::{
    ContactChannel, Event, Message, MessageContent, MessageId, NoticeChoices, NoticeKind, OutboxEvent, Stream, UserId,
};
use engine::journal::{Append, Batch, Journal as _};
use lienbook::config::delivery_settings::DeliverySetup;
use lienbook::config::delivery_timing::{DeliveryTiming, WEBHOOK_RETRIES};
use lienbook::config::settings::Settings;
use lienbook::demo::mail_catcher::{self, MailCatcher, ReadMail};
use lienbook::demo::telegram_double::{self, TelegramDouble};
use persistence::{Options, SledJournal};
use secrecy::SecretString;
use tempfile::TempDir;

use super::lender::TestUser;
use super::rig::{Rig, settings};

pub const BOT: &str = "lienbook_test_bot";

/// A retry policy with short intervals. Where nothing hangs no timeout passes, however slow the machine.
pub const FAST_DELIVERY: DeliveryTiming = DeliveryTiming {
    poll_interval: Duration::from_millis(20),
    sweep_interval: Duration::from_millis(200),
    first_retry_delay: Duration::from_millis(100),
    first_backoff: Duration::from_millis(20),
    mail_timeout: Duration::from_secs(30),
    webhook_timeout: Duration::from_secs(30),
    webhook_retry_delays: [Duration::from_millis(50); WEBHOOK_RETRIES],
    stop_timeout: Duration::from_secs(30),
};

/// The limit of every wait. Reaching it fails the test.
const WAIT_MAX: Duration = Duration::from_secs(90);

pub struct MessageServers {
    pub mail: MailCatcher,
    pub telegram: TelegramDouble,
}

impl MessageServers {
    pub fn open() -> Self {
        Self::open_with(
            Arc::new(|_| mail_catcher::SmtpReply::Normal),
            Arc::new(|_, _| telegram_double::TelegramReply::Normal),
        )
    }

    pub fn open_with(mail: mail_catcher::Script, telegram: telegram_double::Script) -> Self {
        Self {
            mail: MailCatcher::open_with(mail).unwrap(),
            telegram: TelegramDouble::open_with(BOT, telegram).unwrap(),
        }
    }

    pub fn open_with_mail(script: mail_catcher::Script) -> Self {
        Self::open_with(script, Arc::new(|_, _| telegram_double::TelegramReply::Normal))
    }

    /// A server that sends through it.
    pub async fn serve(&self, folder: TempDir) -> Rig {
        self.serve_within(folder, FAST_DELIVERY).await
    }

    /// The same with these times.
    pub async fn serve_within(&self, folder: TempDir, timing: DeliveryTiming) -> Rig {
        let settings = Settings {
            smtp_url: Some(format!("smtp://{}", self.mail.address())),
            mail_from: Some("Lienbook <notices@lienbook.example>".to_owned()),
            telegram_url: Some(self.telegram.url()),
            public_url: Some("https://lienbook.example".parse().unwrap()),
            ..settings(&folder)
        };
        let telegram_token = Some(SecretString::from(self.telegram.token().to_owned()));
        let delivery = DeliverySetup { telegram_token, timing, ..DeliverySetup::default() };
        Rig::start_with_delivery(folder, settings, delivery).await
    }

    /// Every mail in readable form, the oldest first.
    pub fn mails(&self) -> Vec<ReadMail> {
        self.mail.mails().iter().map(mail_catcher::CaughtMail::read).collect()
    }

    /// Waits for `count` mails, and for unexpected further ones.
    pub async fn mails_when(&self, count: usize) -> Vec<ReadMail> {
        wait_until(|| self.mail.mails().len() >= count).await;
        tokio::time::sleep(Duration::from_millis(150)).await;
        self.mails()
    }

    /// The bot's texts in a chat, the oldest first.
    pub fn sent_texts(&self, chat: i64) -> Vec<String> {
        self.telegram.sent_messages().into_iter().filter(|said| said.chat == chat).map(|said| said.text).collect()
    }

    /// Waits for `count` texts of the bot, and for unexpected further ones.
    pub async fn sent_texts_when(&self, chat: i64, count: usize) -> Vec<String> {
        wait_until(|| self.sent_texts(chat).len() >= count).await;
        tokio::time::sleep(Duration::from_millis(150)).await;
        self.sent_texts(chat)
    }
}

/// Waits until a condition holds, for 90 seconds.
#[track_caller]
pub fn wait_until(mut is_so: impl FnMut() -> bool) -> impl Future<Output = ()> {
    wait_until_async(move || std::future::ready(is_so()))
}

/// The same for an asynchronous condition.
#[track_caller]
pub fn wait_until_async<Asked: Future<Output = bool>>(mut is_so: impl FnMut() -> Asked) -> impl Future<Output = ()> {
    let place = std::panic::Location::caller();
    async move {
        let began = Instant::now();
        while !is_so().await {
            assert!(began.elapsed() < WAIT_MAX, "not within {WAIT_MAX:?} at {place}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

/// Enables both channels of a user, for all kinds of notices.
pub async fn add_contacts(rig: &Rig, user: &TestUser, address: &str, chat: i64) {
    let market = &rig.app().market;
    market.set_email(user.id, address).await.unwrap();
    let serial = market.contact(user.id).await.unwrap().email.unwrap().serial;
    market.verify_email(user.id, serial).await.unwrap();
    market.link_telegram(user.id, chat).await.unwrap();
    let kinds = NoticeKind::ALL.into_iter().collect();
    market.choose_notices(user.id, NoticeChoices { critical_alerts: true, kinds }).await.unwrap();
}

/// Stops a server and puts messages into its outbox, as if it had died with them undelivered.
pub async fn crash_with_outbox(rig: Rig, messages: Vec<(UserId, ContactChannel, MessageContent)>) -> TempDir {
    let Rig { server, folder, .. } = rig;
    let at = server.app().now();
    server.stop().await;
    let journal = SledJournal::open(folder.path(), Options::default()).unwrap();
    let mut latest = 0;
    let after = journal
        .replay(Stream::Outbox, 0, &mut |recorded| {
            if let Event::Message(OutboxEvent::Queued(message)) = recorded.event {
                latest = message.id.0;
            }
        })
        .unwrap();
    let queued = messages.into_iter().zip(latest + 1..).map(|((user, channel, content), id)| {
        Event::Message(OutboxEvent::Queued(Box::new(Message { id: MessageId(id), user, channel, content })))
    });
    let append = Append { stream: Stream::Outbox, after, events: queued.collect() };
    journal.append(Batch { at, appends: vec![append] }).await.unwrap().unwrap();
    journal.close();
    folder
}
