//! The Telegram bot, which sends notifications and links users' chats at their request.

use std::sync::OnceLock;
use std::time::Duration;

use domain::{ContactRejection, UserId};
use engine::Refusal;
use providers::{ChatEvent, Telegram, TelegramError, Update};

use super::context::DeliveryContext;
use super::outcome::SendOutcome;
use crate::http::rate_limit::RateLimit;

/// The base URL of chats with bots.
const CHATS_URL: &str = "https://t.me/";
/// The largest number of answers to one chat per minute.
const ANSWERS_OF_CHAT_MAX: u32 = 10;
/// The largest number of answers to all chats per minute.
const ANSWERS_MAX: u32 = 300;

/// The Telegram bot.
pub struct Bot {
    telegram: Telegram,
    name: OnceLock<String>,
    chats_url: String,
    of_chat: RateLimit<i64>,
    of_all: RateLimit<()>,
}

impl Bot {
    /// Builds a bot at Telegram.
    #[must_use]
    pub fn new(telegram: Telegram) -> Self {
        Self::at(telegram, CHATS_URL.to_owned())
    }

    /// Builds a bot whose chats have another base URL.
    #[must_use]
    pub fn at(telegram: Telegram, chats_url: String) -> Self {
        let (of_chat, of_all) = (RateLimit::new(ANSWERS_OF_CHAT_MAX), RateLimit::new(ANSWERS_MAX));
        Self { telegram, name: OnceLock::new(), chats_url, of_chat, of_all }
    }

    /// Returns its name without `@`, once Telegram has reported it.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.get().map(String::as_str)
    }

    /// Asks Telegram for the bot's name.
    pub(super) async fn fetch_name(&self) -> Result<&str, TelegramError> {
        let name = self.telegram.name().await?;
        Ok(self.name.get_or_init(|| name))
    }

    /// Returns a link that opens a chat with the bot and links it by a token; `None` while the bot's name is unknown.
    #[must_use]
    pub fn link(&self, token: &str) -> Option<String> {
        self.name().map(|name| format!("{}{name}?start={token}", self.chats_url))
    }

    /// Sends a message to a chat.
    pub(super) async fn send(&self, chat: i64, text: &str) -> SendOutcome {
        match self.telegram.send_message(chat, text).await {
            Ok(()) => SendOutcome::Accepted,
            Err(TelegramError::RateLimited { retry_after_s }) => {
                let why = format!("Telegram asks to retry after {retry_after_s} s");
                SendOutcome::Deferred { why, after: Some(Duration::from_secs(retry_after_s)) }
            }
            Err(TelegramError::ChatClosed(why)) => SendOutcome::Closed(why),
            Err(TelegramError::Refused(why)) => SendOutcome::Refused(why),
            Err(TelegramError::NoAnswer(why)) => SendOutcome::Unknown(why),
            // Telegram reports a failure, so the message was not sent.
            Err(error @ (TelegramError::Unreachable(_) | TelegramError::ServerError(_) | TelegramError::Token)) => {
                SendOutcome::Unavailable(error.to_string())
            }
        }
    }

    /// Answers in a chat within the rate limits. A lost answer is not repeated, because users can ask again.
    async fn answer(&self, context: &DeliveryContext, chat: i64, text: &str) {
        let now = context.now();
        if self.of_chat.try_take(chat, now)
            && self.of_all.try_take((), now)
            && let Err(error) = self.telegram.send_message(chat, text).await
        {
            tracing::debug!(%error, "an answer of the bot was not sent");
        }
    }
}

/// Handles messages to the bot until the delivery is stopped.
pub async fn listen(context: &DeliveryContext) {
    let Some(bot) = context.delivery.bot() else { return };
    tokio::select! {
        () = context.delivery.stopped() => {}
        () = poll_updates(context, bot) => {}
    }
}

async fn poll_updates(context: &DeliveryContext, bot: &Bot) {
    let (mut from, mut failures) = (0, 0);
    loop {
        let result = match bot.name() {
            Some(_) => bot.telegram.updates(from).await,
            None => bot.fetch_name().await.map(|_| Vec::new()),
        };
        match result {
            Ok(updates) => {
                failures = 0;
                for Update { id, event } in updates {
                    // Telegram drops updates below the number that is requested next.
                    from = from.max(id.saturating_add(1));
                    if let Some(news) = event {
                        handle_update(context, bot, news).await;
                    }
                }
            }
            Err(error) => {
                failures = u32::saturating_add(failures, 1);
                tracing::warn!(%error, "updates of the bot cannot be fetched");
                let requested_delay = match error {
                    TelegramError::RateLimited { retry_after_s } => Duration::from_secs(retry_after_s),
                    _ => Duration::ZERO,
                };
                tokio::time::sleep(context.delivery.timing.backoff(failures, rand::random()).max(requested_delay))
                    .await;
            }
        }
    }
}

async fn handle_update(context: &DeliveryContext, bot: &Bot, news: ChatEvent) {
    match news {
        ChatEvent::Blocked { chat } => {
            if let Err(refusal) = context.market.unlink_chat(chat).await {
                tracing::warn!(%refusal, "a chat that was left stays linked");
            }
        }
        ChatEvent::Message { chat, text } => {
            let answer = reply_to(context, chat, text.trim()).await;
            bot.answer(context, chat, &answer).await;
        }
    }
}

/// Executes a command of a chat, and returns the answer.
async fn reply_to(context: &DeliveryContext, chat: i64, text: &str) -> String {
    let site = context.public_url.domain();
    let (command, token) = text.split_once(' ').unwrap_or((text, ""));
    match (command, token.trim()) {
        ("/start", "") => {
            format!(
                "To get notifications about your loans and offers here, sign in at {site} and link Telegram in the settings."
            )
        }
        ("/start", token) => match context.delivery.link_tokens.redeem(token, context.now()) {
            Some(user) => link(context, user, chat).await,
            None if context.market.chat_user_count(chat) > 0 => {
                "This link was used or is too old, but this chat is linked. /stop ends that.".to_owned()
            }
            None => format!("This link was used or is too old. Ask for another one in the settings at {site}."),
        },
        ("/stop", _) => match context.market.unlink_chat(chat).await {
            Ok(()) => format!("Notifications from {site} are no longer sent to this chat."),
            Err(_) => "That did not work. Please try again.".to_owned(),
        },
        _ => format!("I tell you of your loans and offers at {site}. /stop ends that."),
    }
}

async fn link(context: &DeliveryContext, user: UserId, chat: i64) -> String {
    match context.market.link_telegram(user, chat).await {
        Ok(()) => {
            let account = context.market.account(user).await.map(|account| short(&account.addresses.payment_address));
            let whose = account.map_or_else(String::new, |address| format!(" of the account {address}"));
            format!(
                "Linked. Notifications about the loans and offers{whose} at {} are sent here. /stop ends that.",
                context.public_url.domain()
            )
        }
        Err(Refusal::Contact(ContactRejection::ChatFull { max })) => {
            format!("This chat is linked to {max} accounts already. /stop unlinks all of them.")
        }
        // The token is used.
        Err(_) => "That did not work. Please ask for another link and try again.".to_owned(),
    }
}

/// An address shortened to a recognizable form.
fn short(address: &str) -> String {
    match (address.get(..8), address.get(address.len().saturating_sub(6)..)) {
        (Some(head), Some(tail)) if address.len() > 16 => format!("{head}...{tail}"),
        _ => address.to_owned(),
    }
}
