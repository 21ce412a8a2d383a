//! `/api/v1/me/webhooks`: the URLs that get the caller's notices as signed requests.

use actix_web::{HttpRequest, HttpResponse, web};
use domain::{NoticeKinds, UserId, Webhook, WebhookId};
use engine::wire::NoticeKind;
use providers::{CallbackUrl, CallbackUrlError};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::webhook_view::WebhookView;
use crate::app::App;
use crate::delivery::webhooks::Webhooks;
use crate::extract::own_read::OwnRead;
use crate::extract::signed_in::SignedIn;
use crate::http::api_error::{ApiError, Problem};
use crate::http::body::JsonBody;
use crate::http::error_code::ErrorCode;

/// The caller's webhooks.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MyWebhooks {
    /// Whether this server calls webhooks.
    is_available: bool,
    /// The largest number of webhooks of one user.
    max: usize,
    /// In the order of their creation.
    webhooks: Vec<WebhookView>,
}

/// A webhook to register.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewWebhook {
    /// The URL to call: `https`, without a user name, password or fragment, in the public Internet.
    url: String,
    /// The kinds of events to send to it.
    kinds: Vec<NoticeKind>,
}

/// The settings of a webhook.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WebhookSettings {
    /// The kinds of events to send to it; no others are.
    kinds: Vec<NoticeKind>,
    /// Whether nothing is sent to it. What waits for it is dropped.
    is_paused: bool,
}

/// A webhook with its secret, which is shown this once.
#[derive(Serialize, ToSchema)]
pub struct WebhookWithSecret {
    /// The secret that signs requests, beginning with `whsec_`.
    secret: String,
    /// The webhook.
    webhook: WebhookView,
}

/// Lists the caller's webhooks. No secret is shown.
///
/// # Errors
/// [`ErrorCode::NotReady`].
#[utoipa::path(get, path = "/api/v1/me/webhooks", operation_id = "listMyWebhooks", tag = "notifications", security(("session" = [])),
    responses((status = 200, body = MyWebhooks), (status = 401, body = Problem)))]
pub async fn list(app: web::Data<App>, OwnRead(caller): OwnRead) -> Result<HttpResponse, ApiError> {
    let contact = app.market.contact(caller.user()).await?;
    Ok(HttpResponse::Ok().json(MyWebhooks {
        is_available: app.delivery.webhooks().is_some(),
        max: Webhook::PER_USER_MAX,
        webhooks: contact.webhooks.iter().map(|webhook| WebhookView::of(webhook, app.now())).collect(),
    }))
}

/// Registers a webhook. Its secret is in this answer only.
///
/// # Errors
/// [`ErrorCode::WebhookUrl`] with the `reason`, [`ErrorCode::TooManyWebhooks`], [`ErrorCode::RateLimited`];
/// [`ErrorCode::NotFound`] where the server calls no webhooks.
#[utoipa::path(post, path = "/api/v1/me/webhooks", operation_id = "registerWebhook", tag = "notifications", security(("session" = [])),
    request_body = NewWebhook,
    responses((status = 201, body = WebhookWithSecret), (status = 401, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
pub async fn register(
    app: web::Data<App>,
    request: HttpRequest,
    caller: SignedIn,
    body: JsonBody<NewWebhook>,
) -> Result<HttpResponse, ApiError> {
    caller.take_write(&app)?;
    let webhooks = available(&app)?;
    let url = CallbackUrl::parse(&body.value.url, webhooks.client.policy()).map_err(refused_url)?;
    app.rates.webhook_calls.take(app.client_ip(&request), app.now())?;
    let webhook = app.market.add_webhook(caller.user(), url.as_str(), kinds(body.value.kinds)).await?;
    Ok(HttpResponse::Created().json(with_secret(&app, webhooks, caller.user(), &webhook)))
}

/// Sets the kinds of events that are sent to a webhook, and pauses or resumes it. Events of a pause are sent by a replay.
///
/// # Errors
/// [`ErrorCode::UnknownWebhook`].
#[utoipa::path(put, path = "/api/v1/me/webhooks/{webhook_id}", operation_id = "setWebhook", tag = "notifications", security(("session" = [])),
    params(("webhook_id" = String, Path,)), request_body = WebhookSettings,
    responses((status = 200, body = WebhookView), (status = 401, body = Problem), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub async fn change(
    app: web::Data<App>,
    caller: SignedIn,
    path: web::Path<String>,
    body: JsonBody<WebhookSettings>,
) -> Result<HttpResponse, ApiError> {
    caller.take_write(&app)?;
    let WebhookSettings { kinds: chosen, is_paused } = body.value;
    let webhook = app.market.change_webhook(caller.user(), id(&path)?, kinds(chosen), is_paused).await?;
    Ok(HttpResponse::Ok().json(WebhookView::of(&webhook, app.now())))
}

/// Removes a webhook with the record of its deliveries.
///
/// # Errors
/// [`ErrorCode::UnknownWebhook`].
#[utoipa::path(delete, path = "/api/v1/me/webhooks/{webhook_id}", operation_id = "removeWebhook", tag = "notifications", security(("session" = [])),
    params(("webhook_id" = String, Path,)),
    responses((status = 204, description = "The webhook is removed"), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn remove(app: web::Data<App>, caller: SignedIn, path: web::Path<String>) -> Result<HttpResponse, ApiError> {
    caller.take_write(&app)?;
    app.market.remove_webhook(caller.user(), id(&path)?).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Replaces the secret of a webhook. For 24 hours requests carry two signatures, by the new secret and by the one before.
///
/// # Errors
/// [`ErrorCode::UnknownWebhook`]; [`ErrorCode::NotFound`] where the server calls no webhooks.
#[utoipa::path(post, path = "/api/v1/me/webhooks/{webhook_id}/secret", operation_id = "rotateWebhookSecret", tag = "notifications", security(("session" = [])),
    params(("webhook_id" = String, Path,)),
    responses((status = 200, body = WebhookWithSecret), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn rotate(app: web::Data<App>, caller: SignedIn, path: web::Path<String>) -> Result<HttpResponse, ApiError> {
    caller.take_write(&app)?;
    let webhooks = available(&app)?;
    let webhook = app.market.rotate_webhook_secret(caller.user(), id(&path)?).await?;
    Ok(HttpResponse::Ok().json(with_secret(&app, webhooks, caller.user(), &webhook)))
}

/// Parses the id of a webhook in a path.
pub(super) fn id(text: &str) -> Result<WebhookId, ApiError> {
    text.parse().map_err(|_| ApiError::plain(ErrorCode::UnknownWebhook))
}

/// Returns the channel of webhooks.
pub(super) fn available(app: &App) -> Result<&Webhooks, ApiError> {
    app.delivery.webhooks().ok_or_else(|| ApiError::plain(ErrorCode::NotFound))
}

/// Returns the chosen kinds that are a matter of choice.
pub(super) fn kinds(chosen: Vec<NoticeKind>) -> NoticeKinds {
    chosen.into_iter().map(domain::NoticeKind::from).filter(|kind| kind.is_choosable()).collect()
}

fn with_secret(app: &App, webhooks: &Webhooks, user: UserId, webhook: &Webhook) -> WebhookWithSecret {
    let secret = webhooks.secret(user, webhook, webhook.secret_version).shown();
    WebhookWithSecret { secret, webhook: WebhookView::of(webhook, app.now()) }
}

fn refused_url(error: CallbackUrlError) -> ApiError {
    ApiError::new(ErrorCode::WebhookUrl, error).with_values(json!({"reason": url_reason(error)}))
}

/// Returns the name of the reason why a URL is refused.
pub(super) const fn url_reason(error: CallbackUrlError) -> &'static str {
    match error {
        CallbackUrlError::TooLong => "too_long",
        CallbackUrlError::Malformed => "malformed",
        CallbackUrlError::NotHttps => "not_https",
        CallbackUrlError::ForeignPart => "foreign_part",
        CallbackUrlError::AddressRefused => "address_refused",
    }
}
