//! `/api/v1/notifications`: the actions behind links in mails. They need no session, because the mail may be read on
//! another device.

use actix_web::http::header::LOCATION;
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::delivery::mail_tokens::MailTask;
use crate::http::api_error::{ApiError, Problem};
use crate::http::body::JsonBody;
use crate::http::error_code::ErrorCode;

/// The fragment of the link, behind its `#`.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MailToken {
    /// The token.
    token: String,
}

/// Verifies the address that a mail was sent to.
///
/// # Errors
/// [`ErrorCode::LinkInvalid`], [`ErrorCode::LinkExpired`], [`ErrorCode::LinkUsed`], [`ErrorCode::RateLimited`].
#[utoipa::path(post, path = "/api/v1/notifications/verification", operation_id = "verifyEmail", tag = "notifications",
    request_body = MailToken,
    responses((status = 204, description = "The address is verified"), (status = 409, body = Problem), (status = 422, body = Problem)))]
pub async fn verify(
    app: web::Data<App>,
    request: HttpRequest,
    body: JsonBody<MailToken>,
) -> Result<HttpResponse, ApiError> {
    app.rates.tickets.take(app.client_ip(&request), app.now())?;
    let found = app.delivery.mail_tokens.read(MailTask::Verify, &body.value.token);
    let (user, serial) = found.ok_or_else(|| ApiError::plain(ErrorCode::LinkInvalid))?;
    app.market.verify_email(user, serial).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Stops mails to the address that a mail was sent to, after confirmation on the page. A repeated request changes
/// nothing.
///
/// # Errors
/// [`ErrorCode::LinkInvalid`], [`ErrorCode::RateLimited`].
#[utoipa::path(post, path = "/api/v1/notifications/unsubscription", operation_id = "unsubscribe", tag = "notifications",
    request_body = MailToken,
    responses((status = 204, description = "The address gets no more mail"), (status = 422, body = Problem)))]
pub async fn unsubscribe(
    app: web::Data<App>,
    request: HttpRequest,
    body: JsonBody<MailToken>,
) -> Result<HttpResponse, ApiError> {
    end(&app, &request, &body.value.token).await
}

/// Stops mails at the request of a mail client (RFC 8058). The token permits nothing else, so it may be part of the
/// URL.
///
/// # Errors
/// [`ErrorCode::LinkInvalid`], [`ErrorCode::RateLimited`].
#[utoipa::path(post, path = "/api/v1/notifications/unsubscription/{token}", operation_id = "unsubscribeOneClick", tag = "notifications",
    params(("token" = String, Path, description = "From the header `List-Unsubscribe`")),
    responses((status = 204, description = "The address gets no more mail"), (status = 422, body = Problem)))]
pub async fn unsubscribe_one_click(
    app: web::Data<App>,
    request: HttpRequest,
    token: web::Path<String>,
) -> Result<HttpResponse, ApiError> {
    end(&app, &request, &token).await
}

/// Redirects a user who opened the URL of the header to a page that asks for confirmation: a GET request stops nothing.
///
/// # Errors
/// [`ErrorCode::LinkInvalid`], [`ErrorCode::RateLimited`].
#[utoipa::path(get, path = "/api/v1/notifications/unsubscription/{token}", operation_id = "openUnsubscription", tag = "notifications",
    params(("token" = String, Path, description = "From the header `List-Unsubscribe`")),
    responses((status = 303, description = "To the page of notifications")))]
pub async fn open_unsubscription(
    app: web::Data<App>,
    request: HttpRequest,
    token: web::Path<String>,
) -> Result<HttpResponse, ApiError> {
    app.take_read(&request)?;
    // The redirect contains a token built here, never the text of the request.
    let found = app.delivery.mail_tokens.read(MailTask::Unsubscribe, &token);
    let (user, serial) = found.ok_or_else(|| ApiError::plain(ErrorCode::LinkInvalid))?;
    let token = app.delivery.mail_tokens.token(MailTask::Unsubscribe, user, serial);
    let page = format!("/settings/notifications#unsubscribe={token}");
    Ok(HttpResponse::SeeOther().insert_header((LOCATION, page)).finish())
}

async fn end(app: &App, request: &HttpRequest, token: &str) -> Result<HttpResponse, ApiError> {
    app.rates.tickets.take(app.client_ip(request), app.now())?;
    let found = app.delivery.mail_tokens.read(MailTask::Unsubscribe, token);
    let (user, serial) = found.ok_or_else(|| ApiError::plain(ErrorCode::LinkInvalid))?;
    app.market.remove_email(user, Some(serial)).await?;
    Ok(HttpResponse::NoContent().finish())
}
