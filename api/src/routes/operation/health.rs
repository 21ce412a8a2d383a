//! `/health/live` and `/health/ready`.

use actix_web::{HttpResponse, web};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;

/// The process answers.
#[derive(Serialize, ToSchema)]
pub struct Liveness {
    /// Always `live`.
    status: &'static str,
}

/// The server accepts requests.
#[derive(Serialize, ToSchema)]
pub struct Readiness {
    /// Always `ready`.
    status: &'static str,
    /// The number of collection groups.
    collections: usize,
    /// The epoch of the feed; sequences are comparable only within one epoch.
    epoch: String,
}

/// Reports that the process answers.
#[utoipa::path(get, path = "/health/live", operation_id = "getLiveness", tag = "operation", responses((status = 200, body = Liveness)))]
pub async fn live() -> HttpResponse {
    HttpResponse::Ok().json(Liveness { status: "live" })
}

/// Reports whether the server accepts requests.
///
/// # Errors
/// [`ErrorCode::NotReady`] while the server starts or stops.
#[utoipa::path(get, path = "/health/ready", operation_id = "getReadiness", tag = "operation",
    responses((status = 200, body = Readiness), (status = 503, body = Problem)))]
pub async fn ready(app: web::Data<App>) -> Result<HttpResponse, ApiError> {
    if !app.readiness.is_ready() {
        return Err(ApiError::plain(ErrorCode::NotReady));
    }
    let collections = app.market.groups().len();
    let epoch = app.market.epoch().to_owned();
    Ok(HttpResponse::Ok().json(Readiness { status: "ready", collections, epoch }))
}
