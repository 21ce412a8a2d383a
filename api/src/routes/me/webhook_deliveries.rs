//! `/api/v1/me/webhooks/{webhook_id}/deliveries` and what has a webhook called: test, redelivery and replay.

use actix_web::{HttpRequest, HttpResponse, web};
use domain::{MessageId, UnixMs};
use engine::ReplayFrom;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::webhook_view::DeliveryView;
use super::webhooks::{available, id};
use crate::app::App;
use crate::extract::own_read::OwnRead;
use crate::extract::signed_in::SignedIn;
use crate::http::api_error::{ApiError, Problem};
use crate::http::body::JsonBody;
use crate::http::error_code::ErrorCode;

/// The latest deliveries to a webhook.
#[derive(Serialize, ToSchema)]
pub struct WebhookDeliveries {
    /// The newest first, at most 50.
    deliveries: Vec<DeliveryView>,
}

/// A delivery that waits.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueuedDelivery {
    /// Its id; `null` if the event waits already.
    #[schema(required)]
    delivery_id: Option<String>,
}

/// The begin of a replay.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReplayRequest {
    /// The id of the last event that is not to be sent again.
    after_event_id: Option<String>,
    /// The time of the first event to send, in unix milliseconds; ignored with `afterEventId`, and 0 without both.
    #[schema(value_type = Option<u64>)]
    since: Option<UnixMs>,
}

/// A replay that waits.
#[derive(Serialize, ToSchema)]
pub struct QueuedReplay {
    /// The number of events to be sent.
    count: usize,
}

/// Lists the latest deliveries to a webhook, also those that wait for their next attempt.
///
/// # Errors
/// [`ErrorCode::UnknownWebhook`]; [`ErrorCode::NotFound`] where the server calls no webhooks.
#[utoipa::path(get, path = "/api/v1/me/webhooks/{webhook_id}/deliveries", operation_id = "listWebhookDeliveries", tag = "notifications", security(("session" = [])),
    params(("webhook_id" = String, Path,)),
    responses((status = 200, body = WebhookDeliveries), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn list(
    app: web::Data<App>,
    OwnRead(caller): OwnRead,
    path: web::Path<String>,
) -> Result<HttpResponse, ApiError> {
    let webhooks = available(&app)?;
    let deliveries = app.market.webhook_deliveries(caller.user(), id(&path)?).await?;
    let deliveries = deliveries.iter().map(|delivery| DeliveryView::of(delivery, webhooks)).collect();
    Ok(HttpResponse::Ok().json(WebhookDeliveries { deliveries }))
}

/// Sends a test event to a webhook once, also to a paused one. Its result is in the list of deliveries.
///
/// # Errors
/// [`ErrorCode::UnknownWebhook`], [`ErrorCode::RateLimited`]; [`ErrorCode::NotFound`] where the server calls no webhooks.
#[utoipa::path(post, path = "/api/v1/me/webhooks/{webhook_id}/test", operation_id = "testWebhook", tag = "notifications", security(("session" = [])),
    params(("webhook_id" = String, Path,)),
    responses((status = 202, body = QueuedDelivery), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn test(
    app: web::Data<App>,
    request: HttpRequest,
    caller: SignedIn,
    path: web::Path<String>,
) -> Result<HttpResponse, ApiError> {
    let webhook = id(&path)?;
    take_call(&app, &request, &caller)?;
    let delivery = app.market.send_test_event(caller.user(), webhook).await?;
    app.delivery.wake();
    Ok(HttpResponse::Accepted().json(QueuedDelivery { delivery_id: Some(delivery.to_string()) }))
}

/// Sends the event of a delivery again, with the same `webhook-id`.
///
/// # Errors
/// [`ErrorCode::UnknownWebhook`], [`ErrorCode::UnknownEvent`], [`ErrorCode::WebhookPaused`], [`ErrorCode::RateLimited`];
/// [`ErrorCode::NotFound`] where the server calls no webhooks.
#[utoipa::path(post, path = "/api/v1/me/webhooks/{webhook_id}/deliveries/{delivery_id}/redelivery", operation_id = "redeliverWebhookEvent", tag = "notifications", security(("session" = [])),
    params(("webhook_id" = String, Path,), ("delivery_id" = String, Path,)),
    responses((status = 202, body = QueuedDelivery), (status = 401, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn redeliver(
    app: web::Data<App>,
    request: HttpRequest,
    caller: SignedIn,
    path: web::Path<(String, String)>,
) -> Result<HttpResponse, ApiError> {
    let webhook = id(&path.0)?;
    let delivery: MessageId = path.1.parse().map_err(|_| ApiError::plain(ErrorCode::UnknownEvent))?;
    take_call(&app, &request, &caller)?;
    let delivery = app.market.redeliver(caller.user(), webhook, delivery).await?;
    app.delivery.wake();
    Ok(HttpResponse::Accepted().json(QueuedDelivery { delivery_id: delivery.map(|id| id.to_string()) }))
}

/// Sends the caller's latest events of the chosen kinds to a webhook again, in their order and with the same `webhook-id`:
/// at most the 100 latest, after an event or from a time on. An API key with the scope `read` may ask for it too.
///
/// # Errors
/// [`ErrorCode::UnknownWebhook`], [`ErrorCode::UnknownEvent`], [`ErrorCode::WebhookPaused`], [`ErrorCode::RateLimited`];
/// [`ErrorCode::NotFound`] where the server calls no webhooks.
#[utoipa::path(post, path = "/api/v1/me/webhooks/{webhook_id}/replay", operation_id = "replayWebhookEvents", tag = "notifications", security(("session" = [])),
    params(("webhook_id" = String, Path,)), request_body = ReplayRequest,
    responses((status = 202, body = QueuedReplay), (status = 401, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
pub async fn replay(
    app: web::Data<App>,
    request: HttpRequest,
    caller: SignedIn,
    path: web::Path<String>,
    body: JsonBody<ReplayRequest>,
) -> Result<HttpResponse, ApiError> {
    let webhook = id(&path)?;
    take_call(&app, &request, &caller)?;
    let ReplayRequest { after_event_id, since } = body.value;
    let from = after_event_id.map_or_else(|| ReplayFrom::Time(since.unwrap_or(UnixMs(0))), ReplayFrom::After);
    let count = app.market.replay_events(caller.user(), webhook, from).await?;
    app.delivery.wake();
    Ok(HttpResponse::Accepted().json(QueuedReplay { count }))
}

/// Counts a request that has a webhook called.
fn take_call(app: &App, request: &HttpRequest, caller: &SignedIn) -> Result<(), ApiError> {
    caller.take_write(app)?;
    available(app)?;
    app.rates.webhook_calls.take(app.client_ip(request), app.now())?;
    Ok(())
}
