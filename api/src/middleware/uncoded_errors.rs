//! The middleware that gives errors without an error code one from the table.
//!
//! Compression can refuse a request before it gets an id, and pages of libraries have errors of their own, so this
//! wraps both. Requests that cannot be parsed are refused by actix itself, with a bare status and no code: a malformed
//! request line or header, a head that is too large or too slow.

use actix_web::body::{EitherBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::CONTENT_TYPE;
use actix_web::middleware::Next;
use actix_web::{Error, web};

use super::request_id::{self, RequestId};
use crate::app::App;
use crate::http::api_error::{ApiError, PROBLEM_JSON};
use crate::http::page_mark::Page;
use crate::http::status_error;

/// Replaces errors without a code.
///
/// # Errors
/// Never.
pub async fn add_error_codes<B: MessageBody>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<EitherBody<B>>, Error> {
    let response = next.call(request).await?;
    let status = response.status();
    let is_problem = response.headers().get(CONTENT_TYPE).is_some_and(|value| value == PROBLEM_JSON);
    // A page that says for itself that there is nothing is for people.
    let is_page = response.response().extensions().get::<Page>().is_some();
    if is_problem || is_page || !(status.is_client_error() || status.is_server_error()) {
        return Ok(response.map_into_left_body());
    }
    let code = status_error::code_of(status);
    if let Some(app) = response.request().app_data::<web::Data<App>>() {
        app.metrics.count_refusal(code);
    }
    let refusal = ApiError::plain(code);
    let id = RequestId::of(response.request().headers());
    let (request, old) = response.into_parts();
    let named = request_id::answer_again(&refusal, &id, old.headers());
    Ok(ServiceResponse::new(request, named).map_into_right_body())
}
