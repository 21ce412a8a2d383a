//! `/api/v1/me/push-subscriptions`: the browsers that get the caller's notices by Web Push.

use actix_web::http::header::USER_AGENT;
use actix_web::{HttpRequest, HttpResponse, web};
use domain::{PushId, PushSubscription, PushTarget, UnixMs};
use engine::wire::NoticeKind;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::webhooks::{kinds, url_reason};
use crate::app::App;
use crate::delivery::push_address::{PushAddress, PushAddressError};
use crate::extract::own_read::OwnRead;
use crate::extract::signed_in::SignedIn;
use crate::http::api_error::{ApiError, Problem};
use crate::http::body::JsonBody;
use crate::http::error_code::ErrorCode;

/// The caller's subscribed browsers.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MyPushSubscriptions {
    /// Whether this server sends to browsers.
    is_available: bool,
    /// The key to subscribe with (`applicationServerKey`): an uncompressed point of P-256 in base64url. A subscription under
    /// another key is refused by its push service.
    #[schema(required)]
    public_key: Option<String>,
    /// The largest number of browsers of one user.
    max: usize,
    /// In the order in which they were added.
    subscriptions: Vec<PushSubscriptionView>,
}

/// A subscribed browser.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PushSubscriptionView {
    /// The id.
    push_id: String,
    /// The URL at the push service, by which a browser recognizes its own.
    endpoint: String,
    /// The `User-Agent` of the browser; empty when there was none.
    agent: String,
    /// The kinds of events that are sent to it.
    kinds: Vec<NoticeKind>,
    /// The time at which it was added, in unix milliseconds.
    #[schema(value_type = u64)]
    added_at: UnixMs,
}

/// A browser to subscribe, as its `PushSubscription` describes it.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPushSubscription {
    /// The URL at the push service: `https`, in the public Internet.
    endpoint: String,
    /// The browser's public key: an uncompressed point of P-256 in base64url.
    p256dh: String,
    /// The browser's secret: 16 bytes in base64url.
    auth: String,
    /// The kinds of events to send to it.
    kinds: Vec<NoticeKind>,
}

/// The kinds of events to send to a browser.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PushKinds {
    /// The kinds; no others are sent.
    kinds: Vec<NoticeKind>,
}

impl PushSubscriptionView {
    pub(super) fn of(push: &PushSubscription) -> Self {
        Self {
            push_id: push.id.to_string(),
            endpoint: push.target.endpoint.clone(),
            agent: push.agent.clone(),
            kinds: push.kinds.iter().map(Into::into).collect(),
            added_at: push.added_at,
        }
    }
}

/// Lists the caller's subscribed browsers.
///
/// # Errors
/// [`ErrorCode::NotReady`].
#[utoipa::path(get, path = "/api/v1/me/push-subscriptions", operation_id = "listMyPushSubscriptions", tag = "notifications", security(("session" = [])),
    responses((status = 200, body = MyPushSubscriptions), (status = 401, body = Problem)))]
pub async fn list(app: web::Data<App>, OwnRead(caller): OwnRead) -> Result<HttpResponse, ApiError> {
    let contact = app.market.contact(caller.user()).await?;
    let pushes = app.delivery.pushes();
    Ok(HttpResponse::Ok().json(MyPushSubscriptions {
        is_available: pushes.is_some(),
        public_key: pushes.map(|pushes| pushes.key.public().to_owned()),
        max: PushSubscription::PER_USER_MAX,
        subscriptions: contact.pushes.iter().map(PushSubscriptionView::of).collect(),
    }))
}

/// Subscribes a browser. One that is subscribed already keeps its id and its kinds.
///
/// # Errors
/// [`ErrorCode::PushSubscription`] with the `reason`, [`ErrorCode::TooManyBrowsers`], [`ErrorCode::RateLimited`];
/// [`ErrorCode::NotFound`] where the server sends to no browsers.
#[utoipa::path(post, path = "/api/v1/me/push-subscriptions", operation_id = "addPushSubscription", tag = "notifications", security(("session" = [])),
    request_body = NewPushSubscription,
    responses((status = 201, body = PushSubscriptionView), (status = 401, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
pub async fn add(
    app: web::Data<App>,
    request: HttpRequest,
    caller: SignedIn,
    body: JsonBody<NewPushSubscription>,
) -> Result<HttpResponse, ApiError> {
    caller.take_write(&app)?;
    let pushes = app.delivery.pushes().ok_or_else(|| ApiError::plain(ErrorCode::NotFound))?;
    let NewPushSubscription { endpoint, p256dh, auth, kinds: chosen } = body.value;
    let mut target = PushTarget { endpoint, public_key: p256dh, auth };
    let address = PushAddress::parse(&target, pushes.client.policy()).map_err(refused)?;
    address.url.as_str().clone_into(&mut target.endpoint);
    // Wallets cost nothing to create, and each could name the server of another.
    app.rates.webhook_calls.take(app.client_ip(&request), app.now())?;
    let agent = request.headers().get(USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
    let push = app.market.add_push(caller.user(), target, agent, kinds(chosen)).await?;
    Ok(HttpResponse::Created().json(PushSubscriptionView::of(&push)))
}

/// Sets the kinds of events that are sent to a browser.
///
/// # Errors
/// [`ErrorCode::UnknownBrowser`].
#[utoipa::path(put, path = "/api/v1/me/push-subscriptions/{push_id}", operation_id = "setPushKinds", tag = "notifications", security(("session" = [])),
    params(("push_id" = String, Path,)), request_body = PushKinds,
    responses((status = 200, body = PushSubscriptionView), (status = 401, body = Problem), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub async fn change(
    app: web::Data<App>,
    caller: SignedIn,
    path: web::Path<String>,
    body: JsonBody<PushKinds>,
) -> Result<HttpResponse, ApiError> {
    caller.take_write(&app)?;
    let push = app.market.set_push_kinds(caller.user(), id(&path)?, kinds(body.value.kinds)).await?;
    Ok(HttpResponse::Ok().json(PushSubscriptionView::of(&push)))
}

/// Removes a browser. What waits for it is not sent any more.
///
/// # Errors
/// [`ErrorCode::UnknownBrowser`].
#[utoipa::path(delete, path = "/api/v1/me/push-subscriptions/{push_id}", operation_id = "removePushSubscription", tag = "notifications", security(("session" = [])),
    params(("push_id" = String, Path,)),
    responses((status = 204, description = "The browser is removed"), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn remove(app: web::Data<App>, caller: SignedIn, path: web::Path<String>) -> Result<HttpResponse, ApiError> {
    caller.take_write(&app)?;
    app.market.remove_push(caller.user(), id(&path)?).await?;
    Ok(HttpResponse::NoContent().finish())
}

fn id(text: &str) -> Result<PushId, ApiError> {
    text.parse().map_err(|_| ApiError::plain(ErrorCode::UnknownBrowser))
}

fn refused(error: PushAddressError) -> ApiError {
    let reason = match error {
        PushAddressError::Url(error) => url_reason(error),
        PushAddressError::PublicKey => "p256dh",
        PushAddressError::Auth => "auth",
    };
    ApiError::new(ErrorCode::PushSubscription, error).with_values(json!({"reason": reason}))
}
