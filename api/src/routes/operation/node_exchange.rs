//! `/nodes/exchange`: the reports of the other nodes of a cluster, which is not for clients.

use actix_web::{HttpRequest, HttpResponse, web};

use crate::app::App;
use crate::cluster::node_credential;
use crate::cluster::node_exchange::{self, Report};
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;

/// Takes the report of a node that follows.
///
/// # Errors
/// [`ErrorCode::NotFound`] without the credential of a node, [`ErrorCode::NoWriter`] if this node does not decide, and
/// [`ErrorCode::InvalidBody`].
pub async fn take(request: HttpRequest, app: web::Data<App>, body: web::Bytes) -> Result<HttpResponse, ApiError> {
    let not_found = || ApiError::plain(ErrorCode::NotFound);
    let cluster = app.cluster.as_ref().ok_or_else(not_found)?;
    let credential = request.headers().get(node_credential::HEADER).and_then(|value| value.to_str().ok());
    let credential = credential.ok_or_else(not_found)?;
    cluster.credential().check(credential, node_exchange::PATH, app.now()).ok_or_else(not_found)?;
    if !cluster.is_writer() {
        return Err(ApiError::plain(ErrorCode::NoWriter));
    }
    let report: Report =
        serde_json::from_slice(&body).map_err(|error| ApiError::new(ErrorCode::InvalidBody, error.to_string()))?;
    Ok(HttpResponse::Ok().json(node_exchange::answer(&app.market, report).await))
}
