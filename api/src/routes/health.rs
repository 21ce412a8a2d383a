//! `/health/live` and `/health/ready`.

use actix_web::{HttpResponse, web};
use serde_json::json;

use crate::app::App;
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;

/// Says that the process answers.
#[utoipa::path(get, path = "/health/live", operation_id = "getLiveness", tag = "operation", responses((status = 200, description = "The process answers")))]
pub async fn live() -> HttpResponse {
    HttpResponse::Ok().json(json!({"status": "live"}))
}

/// Says whether requests are welcome.
///
/// # Errors
/// [`ErrorCode::NotReady`] while the server starts or stops.
#[utoipa::path(get, path = "/health/ready", operation_id = "getReadiness", tag = "operation",
    responses((status = 200, description = "Requests are welcome"), (status = 503, description = "Starting or stopping")))]
pub async fn ready(app: web::Data<App>) -> Result<HttpResponse, ApiError> {
    if !app.readiness.is_ready() {
        return Err(ApiError::plain(ErrorCode::NotReady));
    }
    let collections = app.market.groups().len();
    Ok(HttpResponse::Ok().json(json!({"status": "ready", "collections": collections, "epoch": app.market.epoch()})))
}
