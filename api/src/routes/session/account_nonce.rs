//! `/api/v1/account/nonce`: nonces for signed actions.

use actix_web::{HttpRequest, HttpResponse, web};

use super::nonce::{self, NonceAnswer, NonceRequest};
use crate::app::App;
use crate::extract::signed_in::SignedIn;
use crate::http::api_error::{ApiError, Problem};
use crate::http::body::JsonBody;
use crate::session::nonce_issuer::Purpose;

/// Issues a nonce for one signed message of the caller.
///
/// # Errors
/// [`crate::http::error_code::ErrorCode::RateLimited`], and the codes of addresses.
#[utoipa::path(post, path = "/api/v1/account/nonce", operation_id = "issueMessageNonce", tag = "session", security(("session" = [])),
    request_body = NonceRequest,
    responses((status = 200, body = NonceAnswer), (status = 401, body = Problem), (status = 422, body = Problem)))]
pub async fn issue(
    app: web::Data<App>,
    request: HttpRequest,
    _caller: SignedIn,
    body: JsonBody<NonceRequest>,
) -> Result<HttpResponse, ApiError> {
    app.rates.tickets.take(app.client_ip(&request), app.now())?;
    Ok(HttpResponse::Ok().json(nonce::answer(&app, Purpose::Action, &body.value.address)?))
}
