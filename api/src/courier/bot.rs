//! The Telegram bot: it tells people what happened, and links their chats when they ask it to.

use std::sync::OnceLock;
use std::time::Duration;

use domain::{ContactRejection, UserId};
use engine::Refusal;
use providers::{ChatNews, Telegram, TelegramError, Update};

use super::outcome::Outcome;
use crate::app::App;
use crate::http::rate_limit::RateLimit;

/// Where chats with bots are opened.
const CHATS_URL: &str = "https://t.me/";
/// What is answered to one chat in a minute; more is not.
const ANSWERS_OF_CHAT_MAX: u32 = 10;
/// What is answered to everybody in a minute.
const ANSWERS_MAX: u32 = 300;

/// The bot that people talk to.
pub struct Bot {
    telegram: Telegram,
    name: OnceLock<String>,
    chats_url: String,
    of_chat: RateLimit<i64>,
    of_all: RateLimit<()>,
}

impl Bot {
    /// The bot of Telegram.
    #[must_use]
    pub fn new(telegram: Telegram) -> Self {
        Self::at(telegram, CHATS_URL.to_owned())
    }

    /// A bot whose chats are opened below another address.
    #[must_use]
    pub fn at(telegram: Telegram, chats_url: String) -> Self {
        let (of_chat, of_all) = (RateLimit::new(ANSWERS_OF_CHAT_MAX), RateLimit::new(ANSWERS_MAX));
        Self { telegram, name: OnceLock::new(), chats_url, of_chat, of_all }
    }

    /// Its name without `@`, once Telegram has told it.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.get().map(String::as_str)
    }

    /// Asks Telegram who it is.
    pub(super) async fn learn_name(&self) -> Result<&str, TelegramError> {
        let name = self.telegram.name().await?;
        Ok(self.name.get_or_init(|| name))
    }

    /// What opens a chat with it and links that by a token; `None` while its name is not known.
    #[must_use]
    pub fn link(&self, token: &str) -> Option<String> {
        self.name().map(|name| format!("{}{name}?start={token}", self.chats_url))
    }

    /// Says something in a chat.
    pub(super) async fn tell(&self, chat: i64, text: &str) -> Outcome {
        match self.telegram.say(chat, text).await {
            Ok(()) => Outcome::Taken,
            Err(TelegramError::TooMany { retry_after_s }) => {
                let why = format!("Telegram asks for {retry_after_s} s of patience");
                Outcome::Later { why, after: Some(Duration::from_secs(retry_after_s)) }
            }
            Err(TelegramError::ChatClosed(why)) => Outcome::Closed(why),
            Err(TelegramError::Refused(why)) => Outcome::Refused(why),
            Err(TelegramError::NoAnswer(why)) => Outcome::Unknown(why),
            // Whoever says to be in trouble has not done it.
            Err(error @ (TelegramError::Unreachable(_) | TelegramError::Trouble(_) | TelegramError::Token)) => {
                Outcome::Down(error.to_string())
            }
        }
    }

    /// Answers in a chat, unless it has had many answers lately. One that is lost is not repeated: people ask again.
    async fn answer(&self, app: &App, chat: i64, text: &str) {
        let now = app.now();
        if self.of_chat.try_take(chat, now)
            && self.of_all.try_take((), now)
            && let Err(error) = self.telegram.say(chat, text).await
        {
            tracing::debug!(%error, "an answer of the bot is lost");
        }
    }
}

/// Listens to what people tell the bot, until the courier stops.
pub async fn listen(app: &App) {
    let Some(bot) = app.courier.bot() else { return };
    tokio::select! {
        () = app.courier.stopped() => {}
        () = hear(app, bot) => {}
    }
}

async fn hear(app: &App, bot: &Bot) {
    let (mut from, mut failures) = (0, 0);
    loop {
        let heard = match bot.name() {
            Some(_) => bot.telegram.updates(from).await,
            None => bot.learn_name().await.map(|_| Vec::new()),
        };
        match heard {
            Ok(updates) => {
                failures = 0;
                for Update { id, news } in updates {
                    // Telegram forgets what is below the number it is asked for next.
                    from = from.max(id.saturating_add(1));
                    if let Some(news) = news {
                        act_on(app, bot, news).await;
                    }
                }
            }
            Err(error) => {
                failures = u32::saturating_add(failures, 1);
                tracing::warn!(%error, "the bot hears nothing");
                let asked = match error {
                    TelegramError::TooMany { retry_after_s } => Duration::from_secs(retry_after_s),
                    _ => Duration::ZERO,
                };
                tokio::time::sleep(app.courier.tempo.rest(failures, rand::random()).max(asked)).await;
            }
        }
    }
}

async fn act_on(app: &App, bot: &Bot, news: ChatNews) {
    match news {
        ChatNews::Left { chat } => {
            if let Err(refusal) = app.market.leave_chat(chat).await {
                tracing::warn!(%refusal, "a chat that was left stays linked");
            }
        }
        ChatNews::Said { chat, text } => {
            let answer = answer_to(app, chat, text.trim()).await;
            bot.answer(app, chat, &answer).await;
        }
    }
}

/// Does what somebody asks for, and says what was done.
async fn answer_to(app: &App, chat: i64, text: &str) -> String {
    let site = app.public_url.domain();
    let (command, token) = text.split_once(' ').unwrap_or((text, ""));
    match (command, token.trim()) {
        ("/start", "") => {
            format!("To be told here of your loans and offers, sign in at {site} and link Telegram in the settings.")
        }
        ("/start", token) => match app.courier.links.redeem(token, app.now()) {
            Some(user) => link(app, user, chat).await,
            None if app.market.people_of_chat(chat) > 0 => {
                "This link was used or is too old, but this chat is linked. /stop ends that.".to_owned()
            }
            None => format!("This link was used or is too old. Ask for another one in the settings at {site}."),
        },
        ("/stop", _) => match app.market.leave_chat(chat).await {
            Ok(()) => format!("Nothing of {site} is told here any more."),
            Err(_) => "That did not work. Please try again.".to_owned(),
        },
        _ => format!("I tell you of your loans and offers at {site}. /stop ends that."),
    }
}

async fn link(app: &App, user: UserId, chat: i64) -> String {
    match app.market.link_telegram(user, chat).await {
        Ok(()) => {
            let account = app.market.account(user).await.map(|account| short(&account.addresses.payment_address));
            let whose = account.map_or_else(String::new, |address| format!(" of the account {address}"));
            format!(
                "Linked. You are told here of the loans and offers{whose} at {}. /stop ends that.",
                app.public_url.domain()
            )
        }
        Err(Refusal::Contact(ContactRejection::ChatFull { max })) => {
            format!("This chat is linked to {max} accounts already. /stop unlinks all of them.")
        }
        // The token is used up.
        Err(_) => "That did not work. Please ask for another link and try again.".to_owned(),
    }
}

/// An address, as far as it takes to know it again.
fn short(address: &str) -> String {
    match (address.get(..8), address.get(address.len().saturating_sub(6)..)) {
        (Some(head), Some(tail)) if address.len() > 16 => format!("{head}...{tail}"),
        _ => address.to_owned(),
    }
}
