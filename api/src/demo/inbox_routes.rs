//! `/api/v1/devnet/mail` and `/api/v1/devnet/telegram`: the messages that were sent to the caller. Available in the
//! demo only, where no message leaves the machine. A caller sees only its own messages.

use actix_web::http::header::LOCATION;
use actix_web::{HttpRequest, HttpResponse, web};
use domain::UnixMs;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::inbox::{BOT_NAME, DemoInbox};
use crate::app::App;
use crate::extract::own_read::OwnRead;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;
use crate::http::request_limits::START_TOKEN_LENGTH_MAX;

/// The mails that were sent to the caller.
#[derive(Serialize, ToSchema)]
pub struct DemoMails {
    /// Newest first, as far as the demo keeps them.
    data: Vec<DemoMail>,
}

/// A mail.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DemoMail {
    /// The time of arrival, in unix milliseconds.
    #[schema(value_type = u64)]
    at: UnixMs,
    /// The recipient's address.
    to: String,
    /// The id of the message, which is the same when it is sent again.
    message_id: String,
    /// The subject.
    subject: String,
    /// The text.
    text: String,
}

/// The bot's messages to the caller.
#[derive(Serialize, ToSchema)]
pub struct DemoChat {
    /// Newest first, as far as the demo keeps them.
    data: Vec<DemoChatMessage>,
}

/// A message of the bot.
#[derive(Serialize, ToSchema)]
pub struct DemoChatMessage {
    /// The time of arrival, in unix milliseconds.
    #[schema(value_type = u64)]
    at: UnixMs,
    /// The text.
    text: String,
}

/// The parameter of a link to the bot.
#[derive(Deserialize)]
pub struct Start {
    start: String,
}

/// Returns the mails that were sent to the caller's address, verified or not. Available in the demo only.
///
/// # Errors
/// [`ErrorCode::NotFound`] outside the demo, [`ErrorCode::RateLimited`].
#[utoipa::path(get, path = "/api/v1/devnet/mail", operation_id = "listDemoMails", tag = "devnet", security(("session" = [])),
    responses((status = 200, body = DemoMails), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn mails(
    inbox: web::Data<DemoInbox>,
    app: web::Data<App>,
    OwnRead(caller): OwnRead,
) -> Result<HttpResponse, ApiError> {
    let contact = app.market.contact(caller.user()).await?;
    let mails = inbox.mails_of(caller.user(), &contact, &app.delivery.mail_tokens);
    let shown = mails.into_iter().map(|(mail, read)| DemoMail {
        at: mail.at,
        to: mail.to,
        message_id: read.message_id,
        subject: read.subject,
        text: read.text,
    });
    Ok(HttpResponse::Ok().json(DemoMails { data: shown.collect() }))
}

/// Returns the bot's messages in the caller's chat. Available in the demo only.
///
/// # Errors
/// [`ErrorCode::NotFound`] outside the demo, [`ErrorCode::RateLimited`].
#[utoipa::path(get, path = "/api/v1/devnet/telegram", operation_id = "listDemoChat", tag = "devnet", security(("session" = [])),
    responses((status = 200, body = DemoChat), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn chat(
    inbox: web::Data<DemoInbox>,
    app: web::Data<App>,
    OwnRead(caller): OwnRead,
) -> Result<HttpResponse, ApiError> {
    let contact = app.market.contact(caller.user()).await?;
    let messages =
        inbox.chat_of(&contact).into_iter().map(|message| DemoChatMessage { at: message.at, text: message.text });
    Ok(HttpResponse::Ok().json(DemoChat { data: messages.collect() }))
}

/// Replaces Telegram's own page of the bot: opens a chat, presses *Start* and redirects to the settings. Available in
/// the demo only. The token identifies the user, so no session is required.
///
/// # Errors
/// [`ErrorCode::NotFound`] outside the demo or for another bot, [`ErrorCode::LinkInvalid`], [`ErrorCode::RateLimited`].
#[utoipa::path(get, path = "/api/v1/devnet/telegram/{bot}", operation_id = "openDemoChat", tag = "devnet",
    params(("bot" = String, Path, description = "The name of the demo's bot"),
        ("start" = String, Query, description = "The token of the link")),
    responses((status = 303, description = "To the page of notifications"), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub async fn press_start(
    inbox: web::Data<DemoInbox>,
    app: web::Data<App>,
    request: HttpRequest,
    bot: web::Path<String>,
    query: web::Query<Start>,
) -> Result<HttpResponse, ApiError> {
    app.rates.tickets.take(app.client_ip(&request), app.now())?;
    if bot.as_str() != BOT_NAME {
        return Err(ApiError::plain(ErrorCode::NotFound));
    }
    let token = &query.start;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if !(1..=START_TOKEN_LENGTH_MAX).contains(&token.len()) || !token.bytes().all(is_plain) {
        return Err(ApiError::plain(ErrorCode::LinkInvalid));
    }
    inbox.press_start(token).await;
    Ok(HttpResponse::SeeOther().insert_header((LOCATION, "/settings/notifications")).finish())
}
