//! `/api/v1/me/personal-data`: the removal of contacts and favourites in one action.

use actix_web::{HttpResponse, web};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::extract::signed_in::SignedIn;
use crate::http::api_error::{ApiError, Problem};

/// The data that was removed.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RemovedPersonalData {
    /// Whether there was an e-mail address.
    email: bool,
    /// Whether a Telegram chat was linked.
    telegram: bool,
    /// The number of webhooks, each with the record of its deliveries.
    webhooks: usize,
    /// The number of subscribed browsers.
    push_subscriptions: usize,
    /// The number of favourite collections.
    favourites: usize,
}

/// Removes the caller's e-mail address, Telegram chat, webhooks, subscribed browsers, choices of notices and favourites, at
/// once. No notice is sent outside of the app any more, also none about a due date. Sessions, keys, offers, loans and the
/// vault stay. A repeated request finds nothing.
///
/// # Errors
/// [`crate::http::error_code::ErrorCode::RateLimited`].
#[utoipa::path(delete, path = "/api/v1/me/personal-data", operation_id = "removeMyPersonalData", tag = "notifications", security(("session" = [])),
    responses((status = 200, body = RemovedPersonalData), (status = 401, body = Problem), (status = 429, body = Problem)))]
pub async fn remove(app: web::Data<App>, caller: SignedIn) -> Result<HttpResponse, ApiError> {
    caller.take_write(&app)?;
    let removed = app.market.remove_personal_data(caller.user()).await?;
    Ok(HttpResponse::Ok().json(RemovedPersonalData {
        email: removed.email,
        telegram: removed.telegram,
        webhooks: removed.webhooks,
        push_subscriptions: removed.pushes,
        favourites: removed.favourites,
    }))
}
