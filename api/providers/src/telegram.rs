//! Telegram's API for bots, as far as it is needed: who the bot is, what people tell it, and telling them something.
//!
//! The bot's token stands in the address of every request, so no address is ever shown: not in errors, not in debug output.
//! Only private chats are listened to.

mod answers;
#[cfg(test)]
mod tests;

use std::time::Duration;

use hyper::StatusCode;
use secrecy::{ExposeSecret as _, SecretString};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use thiserror::Error;

use self::answers::{Answer, Me, RawUpdate};
use crate::https::{HttpsAnswer, HttpsEndpoint, Question, Undelivered};
use crate::text::excerpt;
use crate::upstream::{NoAnswer, SetupError, TIME_LIMIT};

/// An update has a few kilobytes at most, and so many come at once.
const ANSWER_BYTES_MAX: usize = 1_048_576;
const UPDATES_MAX: u32 = 50;
/// For how long Telegram may wait for an update, in seconds.
const POLL_S: u64 = 25;
/// Telegram takes no longer texts, in characters.
const TEXT_LENGTH_MAX: usize = 4_096;
/// What somebody says to the bot is cut there, in characters.
const SAID_LENGTH_MAX: usize = 256;
/// No bot's name is longer.
const NAME_LENGTH_MAX: usize = 64;
/// Telegram never asks for more patience, in seconds.
const RETRY_AFTER_S_MAX: u64 = 86_400;

/// Why the bot cannot be set up.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TelegramSetupError {
    /// No address of a server.
    #[error(transparent)]
    Url(#[from] SetupError),
    /// Not of the form that Telegram gives out. It is not shown.
    #[error("the bot's token is not of the form 123456:ABC-DEF")]
    Token,
}

/// Why Telegram has not done something.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TelegramError {
    /// No connection: nothing was sent.
    #[error("Telegram cannot be reached: {0}")]
    Unreachable(String),
    /// Something was sent, and nobody knows what came of it.
    #[error("Telegram gives no answer: {0}")]
    NoAnswer(String),
    /// Telegram is in trouble.
    #[error("Telegram answers {0}")]
    Trouble(StatusCode),
    /// Too much at once.
    #[error("Telegram asks for {retry_after_s} s of patience")]
    TooMany {
        /// How much patience is needed, in seconds.
        retry_after_s: u64,
    },
    /// The person has blocked the bot, or is gone.
    #[error("the chat is closed: {0}")]
    ChatClosed(String),
    /// Telegram will never do that.
    #[error("Telegram refuses: {0}")]
    Refused(String),
    /// Telegram does not know the bot, which only the operator can repair.
    #[error("Telegram does not accept the bot's token")]
    Token,
}

/// Something that happened in a private chat with the bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChatNews {
    /// A person said something.
    Said {
        /// In which chat.
        chat: i64,
        /// What, cut where it is too long.
        text: String,
    },
    /// A person blocked the bot.
    Left {
        /// In which chat.
        chat: i64,
    },
}

/// What Telegram has to tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    /// Its number; later ones have greater numbers.
    pub id: i64,
    /// What happened, if it concerns us.
    pub news: Option<ChatNews>,
}

/// A bot.
pub struct Telegram {
    endpoint: HttpsEndpoint,
    time_limit: Duration,
    poll_s: u64,
}

impl Telegram {
    /// Where Telegram answers.
    pub const URL: &'static str = "https://api.telegram.org";

    /// The bot of a token, at `url`: by TLS, or in clear on this machine.
    pub fn new(url: &str, token: &SecretString) -> Result<Self, TelegramSetupError> {
        Self::within(TIME_LIMIT, POLL_S, url, token)
    }

    fn within(time_limit: Duration, poll_s: u64, url: &str, token: &SecretString) -> Result<Self, TelegramSetupError> {
        let base = url.trim_end_matches('/');
        // Looked at without the token, which no error may show.
        HttpsEndpoint::new(base, time_limit, ANSWER_BYTES_MAX)?;
        let token = token.expose_secret();
        if !is_token(token) {
            return Err(TelegramSetupError::Token);
        }
        let endpoint = HttpsEndpoint::new(&format!("{base}/bot{token}"), time_limit, ANSWER_BYTES_MAX);
        let endpoint = endpoint.map_err(|_| TelegramSetupError::Token)?;
        Ok(Self { endpoint, time_limit, poll_s })
    }

    /// The bot's name, without `@`.
    pub async fn name(&self) -> Result<String, TelegramError> {
        let Me { username } = self.ask("/getMe", &json!({}), self.time_limit).await?;
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let is_name = (1..=NAME_LENGTH_MAX).contains(&username.len()) && username.bytes().all(is_plain);
        is_name.then_some(username).ok_or_else(|| TelegramError::NoAnswer("the bot has no name".to_owned()))
    }

    /// Waits for what happens next, which may be nothing. Whatever is numbered below `from` is not told again.
    pub async fn updates(&self, from: i64) -> Result<Vec<Update>, TelegramError> {
        let question = json!({
            "offset": from, "limit": UPDATES_MAX, "timeout": self.poll_s, "allowed_updates": ["message", "my_chat_member"],
        });
        let updates: Vec<RawUpdate> =
            self.ask("/getUpdates", &question, self.time_limit + Duration::from_secs(self.poll_s)).await?;
        Ok(updates.into_iter().map(|update| update.read(SAID_LENGTH_MAX)).collect())
    }

    /// Says something in a chat, in plain text without previews of links.
    pub async fn say(&self, chat: i64, text: &str) -> Result<(), TelegramError> {
        let text: String = text.chars().take(TEXT_LENGTH_MAX).collect();
        let question = json!({ "chat_id": chat, "text": text, "link_preview_options": {"is_disabled": true} });
        self.ask::<serde::de::IgnoredAny>("/sendMessage", &question, self.time_limit).await.map(drop)
    }

    async fn ask<T: DeserializeOwned>(
        &self,
        method: &str,
        question: &Value,
        time_limit: Duration,
    ) -> Result<T, TelegramError> {
        let question = Question::json(method, question.to_string());
        let answer = self.endpoint.deliver(question, None, time_limit).await;
        let HttpsAnswer { status, body, .. } = answer.map_err(|undelivered| match undelivered {
            Undelivered::Unsent(why) => TelegramError::Unreachable(excerpt(&why)),
            Undelivered::Unknown(NoAnswer::Unreachable(why)) => TelegramError::NoAnswer(excerpt(&why)),
            Undelivered::Unknown(too_large) => TelegramError::NoAnswer(too_large.to_string()),
        })?;
        read(status, &body)
    }
}

/// Whether a text is of the form of a token, so that it can stand in an address.
fn is_token(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    text.split_once(':').is_some_and(|(id, secret)| {
        (1..=20).contains(&id.len())
            && id.bytes().all(|byte| byte.is_ascii_digit())
            && (1..=128).contains(&secret.len())
            && secret.bytes().all(is_plain)
    })
}

/// What an answer means.
fn read<T: DeserializeOwned>(status: StatusCode, body: &[u8]) -> Result<T, TelegramError> {
    if status.is_server_error() {
        return Err(TelegramError::Trouble(status));
    }
    let nonsense = |why: &str| TelegramError::NoAnswer(format!("an answer that makes no sense: {}", excerpt(why)));
    let Answer { ok, result, error_code, description, parameters } = match serde_json::from_slice(body) {
        Ok(answer) => answer,
        // Nothing but Telegram's own words says that something will never be done.
        Err(error) => return Err(nonsense(&error.to_string())),
    };
    if ok {
        return result.ok_or_else(|| nonsense("it has no result"));
    }
    let description = excerpt(&description);
    Err(match error_code.unwrap_or(status.as_u16()) {
        401 | 404 => TelegramError::Token,
        403 => TelegramError::ChatClosed(description),
        429 => TelegramError::TooMany { retry_after_s: parameters.retry_after.unwrap_or(1).min(RETRY_AFTER_S_MAX) },
        code if code >= 500 => TelegramError::Trouble(status),
        _ => TelegramError::Refused(description),
    })
}
