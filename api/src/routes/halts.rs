//! `/api/v1/halts`: the parts of the market that its operator has halted.

use actix_web::{HttpRequest, HttpResponse, web};
use engine::wire::HaltView;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::http::api_error::{ApiError, Problem};

/// The halts in effect.
#[derive(Serialize, ToSchema)]
pub struct HaltList {
    /// The halts; empty while everything works.
    halts: Vec<HaltView>,
}

/// Returns the halts in effect, as the `halts` channel of the feed shows them.
///
/// # Errors
/// [`crate::http::error_code::ErrorCode::RateLimited`].
#[utoipa::path(get, path = "/api/v1/halts", operation_id = "listHalts", tag = "market",
    responses((status = 200, body = HaltList), (status = 429, body = Problem)))]
pub async fn list(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    app.take_read(&request)?;
    let halts = app.market.halts().iter().map(|halt| HaltView::clone(halt)).collect();
    Ok(HttpResponse::Ok().json(HaltList { halts }))
}
