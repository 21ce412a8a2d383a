//! `/api/v1/feed/ticket`: one-time tickets for the private channel of the feed.

use actix_web::{HttpRequest, HttpResponse, web};
use domain::UnixMs;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::extract::signed_in::SignedIn;
use crate::http::api_error::{ApiError, Problem};

/// A ticket.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FeedTicket {
    /// The ticket, to be sent once when subscribing to `me`.
    ticket: String,
    /// The time at which it expires, in unix milliseconds: 30 seconds after issue.
    #[schema(value_type = u64)]
    expires_at: UnixMs,
}

/// Issues a ticket for the caller.
///
/// # Errors
/// [`crate::http::error_code::ErrorCode::RateLimited`].
#[utoipa::path(post, path = "/api/v1/feed/ticket", operation_id = "issueFeedTicket", tag = "feed", security(("session" = [])),
    responses((status = 200, body = FeedTicket), (status = 401, body = Problem), (status = 429, body = Problem)))]
pub async fn issue(app: web::Data<App>, request: HttpRequest, caller: SignedIn) -> Result<HttpResponse, ApiError> {
    app.rates.tickets.take(app.client_ip(&request), app.now())?;
    let (ticket, expires_at) = app.keys.tickets.issue(caller.credential, app.now());
    Ok(HttpResponse::Ok().json(FeedTicket { ticket, expires_at }))
}
