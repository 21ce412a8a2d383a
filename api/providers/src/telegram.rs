//! A client of Telegram's bot API, with the parts that are needed: the bot's name, received messages, and sending.
//!
//! The bot's token is part of every request URL, so URLs are never shown: not in errors, not in debug output. Only
//! messages in private chats are read.

mod responses;
#[cfg(test)]
mod tests;

use std::time::Duration;

use hyper::StatusCode;
use secrecy::{ExposeSecret as _, SecretString};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use thiserror::Error;

use self::responses::{Answer, Me, RawUpdate};
use crate::http::{HttpEndpoint, HttpRequest, HttpResponse};
use crate::http::{RequestError, SetupError, TIME_LIMIT};
use crate::parsing::text::excerpt;

/// An update has a few kilobytes at most, and up to `UPDATES_MAX` arrive together.
const ANSWER_BYTES_MAX: usize = 1_048_576;
const UPDATES_MAX: u32 = 50;
/// The time that Telegram may hold a request for updates, in seconds.
const POLL_S: u64 = 25;
/// Telegram's limit for the length of a message, in characters.
const TEXT_LENGTH_MAX: usize = 4_096;
/// The length at which received messages are truncated, in characters.
const RECEIVED_LENGTH_MAX: usize = 256;
/// The maximum length of a bot's name.
const NAME_LENGTH_MAX: usize = 64;
/// The maximum `retry_after` that is accepted, in seconds.
const RETRY_AFTER_S_MAX: u64 = 86_400;

/// The reason why the bot cannot be set up.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TelegramSetupError {
    /// The URL is invalid.
    #[error(transparent)]
    Url(#[from] SetupError),
    /// The token does not have Telegram's format. It is not shown.
    #[error("the bot's token is not of the form 123456:ABC-DEF")]
    Token,
}

/// The reason why a request to Telegram failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TelegramError {
    /// No connection: nothing was sent.
    #[error("Telegram cannot be reached: {0}")]
    Unreachable(String),
    /// The request was sent, and its outcome is unknown.
    #[error("Telegram gives no answer: {0}")]
    NoAnswer(String),
    /// Telegram returned a server error.
    #[error("Telegram answers {0}")]
    ServerError(StatusCode),
    /// Too many requests.
    #[error("Telegram's rate limit is reached: retry after {retry_after_s} s")]
    RateLimited {
        /// The time to wait before the next request, in seconds.
        retry_after_s: u64,
    },
    /// The user has blocked the bot, or is gone.
    #[error("the chat is closed: {0}")]
    ChatClosed(String),
    /// Telegram refuses the request permanently.
    #[error("Telegram refuses: {0}")]
    Refused(String),
    /// Telegram rejects the bot's token, which only the operator can fix.
    #[error("Telegram does not accept the bot's token")]
    Token,
}

/// An event in a private chat with the bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChatEvent {
    /// A user sent a message.
    Message {
        /// The chat's id.
        chat: i64,
        /// The text, truncated where it is too long.
        text: String,
    },
    /// A user blocked the bot.
    Blocked {
        /// The chat's id.
        chat: i64,
    },
}

/// An update from Telegram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    /// Its id; later ones are greater.
    pub id: i64,
    /// The event, if it is relevant.
    pub event: Option<ChatEvent>,
}

/// A client of one bot.
pub struct Telegram {
    endpoint: HttpEndpoint,
    time_limit: Duration,
    poll_s: u64,
}

impl Telegram {
    /// The address of the API.
    pub const URL: &'static str = "https://api.telegram.org";

    /// Creates a client for the bot of a token, at `url`: over TLS, or unencrypted on this machine.
    pub fn new(url: &str, token: &SecretString) -> Result<Self, TelegramSetupError> {
        Self::within(TIME_LIMIT, POLL_S, url, token)
    }

    fn within(time_limit: Duration, poll_s: u64, url: &str, token: &SecretString) -> Result<Self, TelegramSetupError> {
        let base = url.trim_end_matches('/');
        // Validated without the token, which must not appear in an error.
        HttpEndpoint::remote(base, time_limit, ANSWER_BYTES_MAX)?;
        let token = token.expose_secret();
        if !is_token(token) {
            return Err(TelegramSetupError::Token);
        }
        let endpoint = HttpEndpoint::remote(&format!("{base}/bot{token}"), time_limit, ANSWER_BYTES_MAX);
        let endpoint = endpoint.map_err(|_| TelegramSetupError::Token)?;
        Ok(Self { endpoint, time_limit, poll_s })
    }

    /// Returns the bot's name, without `@`.
    pub async fn name(&self) -> Result<String, TelegramError> {
        let Me { username } = self.call("/getMe", &json!({}), self.time_limit).await?;
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let is_name = (1..=NAME_LENGTH_MAX).contains(&username.len()) && username.bytes().all(is_plain);
        is_name.then_some(username).ok_or_else(|| TelegramError::NoAnswer("the bot has no name".to_owned()))
    }

    /// Waits for the next updates, of which there may be none. Updates with an id below `from` are confirmed and not
    /// sent again.
    pub async fn updates(&self, from: i64) -> Result<Vec<Update>, TelegramError> {
        let request = json!({
            "offset": from, "limit": UPDATES_MAX, "timeout": self.poll_s, "allowed_updates": ["message", "my_chat_member"],
        });
        let updates: Vec<RawUpdate> =
            self.call("/getUpdates", &request, self.time_limit + Duration::from_secs(self.poll_s)).await?;
        Ok(updates.into_iter().map(|update| update.read(RECEIVED_LENGTH_MAX)).collect())
    }

    /// Sends a message to a chat, as plain text without link previews.
    pub async fn send_message(&self, chat: i64, text: &str) -> Result<(), TelegramError> {
        let text: String = text.chars().take(TEXT_LENGTH_MAX).collect();
        let request = json!({ "chat_id": chat, "text": text, "link_preview_options": {"is_disabled": true} });
        self.call::<serde::de::IgnoredAny>("/sendMessage", &request, self.time_limit).await.map(drop)
    }

    async fn call<T: DeserializeOwned>(
        &self,
        method: &str,
        request: &Value,
        time_limit: Duration,
    ) -> Result<T, TelegramError> {
        let request = HttpRequest::json(method, request.to_string());
        let answer = self.endpoint.send(request, time_limit).await;
        let HttpResponse { status, body, .. } = answer.map_err(|error| match error.failure {
            RequestError::Unreachable(why) if error.may_be_sent => TelegramError::NoAnswer(excerpt(&why)),
            RequestError::Unreachable(why) => TelegramError::Unreachable(excerpt(&why)),
            too_large @ RequestError::TooLarge { .. } => TelegramError::NoAnswer(too_large.to_string()),
        })?;
        read(status, &body)
    }
}

/// Returns whether a text has the format of a token, so that it can be part of a URL.
fn is_token(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    text.split_once(':').is_some_and(|(id, secret)| {
        (1..=20).contains(&id.len())
            && id.bytes().all(|byte| byte.is_ascii_digit())
            && (1..=128).contains(&secret.len())
            && secret.bytes().all(is_plain)
    })
}

/// Interprets an answer.
fn read<T: DeserializeOwned>(status: StatusCode, body: &[u8]) -> Result<T, TelegramError> {
    if status.is_server_error() {
        return Err(TelegramError::ServerError(status));
    }
    let nonsense = |why: &str| TelegramError::NoAnswer(format!("invalid response: {}", excerpt(why)));
    let Answer { ok, result, error_code, description, parameters } = match serde_json::from_slice(body) {
        Ok(answer) => answer,
        // Only Telegram's own error response means that a request is refused permanently.
        Err(error) => return Err(nonsense(&error.to_string())),
    };
    if ok {
        return result.ok_or_else(|| nonsense("it has no result"));
    }
    let description = excerpt(&description);
    Err(match error_code.unwrap_or(status.as_u16()) {
        401 | 404 => TelegramError::Token,
        403 => TelegramError::ChatClosed(description),
        429 => TelegramError::RateLimited { retry_after_s: parameters.retry_after.unwrap_or(1).min(RETRY_AFTER_S_MAX) },
        code if code >= 500 => TelegramError::ServerError(status),
        _ => TelegramError::Refused(description),
    })
}
