//! `GET /api/v1/requests/{request_id}/borrower`: the borrower's address, which a lender's message names.

use actix_web::{HttpResponse, web};
use serde::Serialize;
use utoipa::ToSchema;

use super::parse_id;
use crate::app::App;
use crate::extract::own_read::OwnRead;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;

/// The borrower of a request.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequestBorrower {
    /// The payment address, to which the principal is paid; an offer from a vault names it.
    payment_address: String,
}

/// Returns the borrower of a request, to users who have signed in.
///
/// # Errors
/// [`ErrorCode::UnknownRequest`].
#[utoipa::path(get, path = "/api/v1/requests/{request_id}/borrower", operation_id = "getRequestBorrower", tag = "offers",
    security(("session" = [])), params(("request_id" = String, Path,)),
    responses((status = 200, body = RequestBorrower), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn show(app: web::Data<App>, _lender: OwnRead, path: web::Path<String>) -> Result<HttpResponse, ApiError> {
    let unknown = || ApiError::plain(ErrorCode::UnknownRequest);
    let id = parse_id(&path)?;
    app.market.group(id.group()).ok_or_else(unknown)?;
    let request = app.market.request_terms(id).await?.ok_or_else(unknown)?;
    Ok(HttpResponse::Ok().json(RequestBorrower { payment_address: request.terms.borrower.payment_address }))
}
