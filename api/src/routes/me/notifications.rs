//! `/api/v1/me/notifications`: the caller's settings of notifications by e-mail and Telegram.

use actix_web::{HttpRequest, HttpResponse, web};
use domain::{Contact, NoticeChoices, UnixMs, UserId};
use engine::wire::NoticeKind;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::email_address;
use crate::extract::own_read::OwnRead;
use crate::extract::signed_in::SignedIn;
use crate::http::api_error::{ApiError, Problem};
use crate::http::body::JsonBody;
use crate::http::error_code::ErrorCode;
use crate::http::request_limits::NOTICE_KINDS_MAX;

/// The caller's notification channels, and the kinds of events that are sent.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Notifications {
    /// The e-mail channel.
    email: EmailWay,
    /// The Telegram channel.
    telegram: TelegramWay,
    /// Whether critical events are sent at all.
    critical_alerts: bool,
    /// Every kind of event that is a matter of choice.
    choices: Vec<Choice>,
}

/// The e-mail channel.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct EmailWay {
    /// Whether this server sends mail.
    is_available: bool,
    /// The caller's address.
    #[schema(required)]
    address: Option<String>,
    /// Whether the caller has proven to receive mail there.
    is_verified: bool,
    /// The time until which it can be verified, in unix milliseconds, while it is not.
    #[schema(value_type = Option<u64>, required)]
    verify_until: Option<UnixMs>,
    /// The time since which its mail server has refused it permanently, in unix milliseconds. No mail is sent there
    /// until the address is set again.
    #[schema(value_type = Option<u64>, required)]
    refused_at: Option<UnixMs>,
}

/// The Telegram channel.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct TelegramWay {
    /// Whether this server has a bot.
    is_available: bool,
    /// Whether a chat with the bot is linked to the caller.
    is_linked: bool,
    /// The bot's name, without `@`, once it is known.
    #[schema(required)]
    bot_name: Option<String>,
}

/// The setting of one kind of event.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Choice {
    /// The kind.
    kind: NoticeKind,
    /// Whether missing the event can cost money, collateral or a deal; such events are sent only with `criticalAlerts`.
    is_critical: bool,
    /// Whether the caller has selected it.
    is_chosen: bool,
}

/// The events that the caller wants to receive.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NotificationChoices {
    /// Whether critical events are sent at all.
    critical_alerts: bool,
    /// The kinds that are sent; no others are.
    kinds: Vec<NoticeKind>,
}

/// An e-mail address.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewEmail {
    /// The address, such as `name@host.example`.
    email: String,
}

/// A link that connects a Telegram chat.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TelegramLink {
    /// The URL that opens the chat with the bot.
    url: String,
    /// The time until which it connects one chat, in unix milliseconds.
    #[schema(value_type = u64)]
    expires_at: UnixMs,
}

/// Returns the caller's notification channels and settings.
///
/// # Errors
/// [`ErrorCode::NotReady`].
#[utoipa::path(get, path = "/api/v1/me/notifications", operation_id = "getMyNotifications", tag = "notifications", security(("session" = [])),
    responses((status = 200, body = Notifications), (status = 401, body = Problem)))]
pub async fn show(app: web::Data<App>, OwnRead(caller): OwnRead) -> Result<HttpResponse, ApiError> {
    answer(&app, caller.user()).await
}

/// Sets the events that are sent to the caller.
///
/// # Errors
/// [`ErrorCode::InvalidField`].
#[utoipa::path(put, path = "/api/v1/me/notifications", operation_id = "setMyNotifications", tag = "notifications", security(("session" = [])),
    request_body = NotificationChoices,
    responses((status = 200, body = Notifications), (status = 401, body = Problem), (status = 422, body = Problem)))]
pub async fn choose(
    app: web::Data<App>,
    caller: SignedIn,
    body: JsonBody<NotificationChoices>,
) -> Result<HttpResponse, ApiError> {
    caller.take_write(&app)?;
    let NotificationChoices { critical_alerts, kinds } = body.value;
    if kinds.len() > NOTICE_KINDS_MAX {
        return Err(ApiError::new(ErrorCode::InvalidField, format!("at most {NOTICE_KINDS_MAX} kinds")));
    }
    let kinds = kinds.into_iter().map(domain::NoticeKind::from).filter(|kind| kind.is_choosable()).collect();
    app.market.choose_notices(caller.user(), NoticeChoices { critical_alerts, kinds }).await?;
    answer(&app, caller.user()).await
}

/// Sets the caller's e-mail address and sends a verification mail to it. A previous address is removed.
///
/// # Errors
/// [`ErrorCode::EmailUnset`], [`ErrorCode::EmailMalformed`], [`ErrorCode::EmailLimit`], [`ErrorCode::RateLimited`].
#[utoipa::path(post, path = "/api/v1/me/notifications/email", operation_id = "setMyEmail", tag = "notifications", security(("session" = [])),
    request_body = NewEmail,
    responses((status = 200, body = Notifications), (status = 401, body = Problem), (status = 422, body = Problem), (status = 429, body = Problem)))]
pub async fn give_email(
    app: web::Data<App>,
    request: HttpRequest,
    caller: SignedIn,
    body: JsonBody<NewEmail>,
) -> Result<HttpResponse, ApiError> {
    caller.take_write(&app)?;
    if !app.delivery.has_mail() {
        return Err(ApiError::plain(ErrorCode::EmailUnset));
    }
    let address =
        email_address::parse(&body.value.email).map_err(|error| ApiError::new(ErrorCode::EmailMalformed, error))?;
    // Wallets cost nothing to create, so mails are limited by IP address as well.
    app.rates.emails.take(app.client_ip(&request), app.now())?;
    app.market.set_email(caller.user(), address.as_ref()).await?;
    app.delivery.wake();
    answer(&app, caller.user()).await
}

/// Removes the caller's e-mail address.
#[utoipa::path(delete, path = "/api/v1/me/notifications/email", operation_id = "removeMyEmail", tag = "notifications", security(("session" = [])),
    responses((status = 200, body = Notifications), (status = 401, body = Problem)))]
pub async fn remove_email(app: web::Data<App>, caller: SignedIn) -> Result<HttpResponse, ApiError> {
    caller.take_write(&app)?;
    app.market.remove_email(caller.user(), None).await?;
    answer(&app, caller.user()).await
}

/// Issues a link that opens a chat with the bot and connects it to the caller. An earlier link becomes invalid.
///
/// # Errors
/// [`ErrorCode::TelegramUnset`], [`ErrorCode::TelegramUnavailable`].
#[utoipa::path(post, path = "/api/v1/me/notifications/telegram", operation_id = "linkMyTelegram", tag = "notifications", security(("session" = [])),
    responses((status = 200, body = TelegramLink), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn link_telegram(app: web::Data<App>, caller: SignedIn) -> Result<HttpResponse, ApiError> {
    caller.take_write(&app)?;
    let bot = app.delivery.bot().ok_or_else(|| ApiError::plain(ErrorCode::TelegramUnset))?;
    let (token, expires_at) = app.delivery.link_tokens.issue(caller.user(), app.now());
    let url = bot.link(&token).ok_or_else(|| ApiError::plain(ErrorCode::TelegramUnavailable))?;
    Ok(HttpResponse::Ok().json(TelegramLink { url, expires_at }))
}

/// Disconnects the caller's Telegram chat.
#[utoipa::path(delete, path = "/api/v1/me/notifications/telegram", operation_id = "unlinkMyTelegram", tag = "notifications", security(("session" = [])),
    responses((status = 200, body = Notifications), (status = 401, body = Problem)))]
pub async fn unlink_telegram(app: web::Data<App>, caller: SignedIn) -> Result<HttpResponse, ApiError> {
    caller.take_write(&app)?;
    app.market.unlink_telegram(caller.user()).await?;
    answer(&app, caller.user()).await
}

async fn answer(app: &App, user: UserId) -> Result<HttpResponse, ApiError> {
    Ok(HttpResponse::Ok().json(settings(app, app.market.contact(user).await?)))
}

/// Returns the settings of a contact.
pub(super) fn settings(app: &App, contact: Contact) -> Notifications {
    let Contact { email, telegram, choices, .. } = contact;
    let is_verified = email.as_ref().is_some_and(|email| email.verified_at.is_some());
    let choice = |kind: domain::NoticeKind| Choice {
        kind: kind.into(),
        is_critical: kind.is_critical(),
        is_chosen: choices.kinds.contains(kind),
    };
    Notifications {
        email: EmailWay {
            is_available: app.delivery.has_mail(),
            is_verified,
            verify_until: email.as_ref().map(|email| email.expires_at).filter(|_| !is_verified),
            refused_at: email.as_ref().and_then(|email| email.bounced_at),
            address: email.map(|email| email.address),
        },
        telegram: TelegramWay {
            is_available: app.delivery.bot().is_some(),
            is_linked: telegram.is_some(),
            bot_name: app.delivery.bot().and_then(|bot| bot.name().map(str::to_owned)),
        },
        critical_alerts: choices.critical_alerts,
        choices: domain::NoticeKind::ALL.into_iter().filter(|kind| kind.is_choosable()).map(choice).collect(),
    }
}
