//! `/metrics`: counters for monitoring, served on a listener of its own.

use actix_web::{HttpRequest, HttpResponse, web};

use crate::app::App;
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;

/// Returns the counters in the text format of Prometheus.
///
/// # Errors
/// [`ErrorCode::RateLimited`]; [`ErrorCode::Internal`] when the page cannot be written.
pub async fn page(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    app.rates.metrics.take(app.client_ip(&request), app.now())?;
    let page = app.metrics.page(&app.market, app.journal.stats());
    let page = page.map_err(|failure| ApiError::new(ErrorCode::Internal, failure))?;
    Ok(HttpResponse::Ok().content_type("text/plain; version=0.0.4; charset=utf-8").body(page))
}
