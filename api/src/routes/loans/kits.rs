//! `/api/v1/loans/{loan_id}/kit`: the file that ends a loan without this server.

use actix_web::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use actix_web::{HttpResponse, web};

use super::ids;
use crate::app::App;
use crate::extract::own_read::OwnRead;
use crate::http::api_error::{ApiError, Problem};

/// Returns the caller's kit of a running loan: the borrower's kit repays it, the lender's kit claims its collateral,
/// with `lienbook kit` and a Bitcoin node only. It contains no private key.
///
/// # Errors
/// [`crate::http::error_code::ErrorCode::UnknownLoan`], [`crate::http::error_code::ErrorCode::LoanStage`] before both
/// sides have signed.
#[utoipa::path(get, path = "/api/v1/loans/{loan_id}/kit", operation_id = "downloadKit", tag = "loans", security(("session" = [])),
    params(("loan_id" = String, Path,)),
    responses((status = 200, body = Object, description = "The kit, to be kept as a file"), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn download(
    app: web::Data<App>,
    OwnRead(caller): OwnRead,
    path: web::Path<String>,
) -> Result<HttpResponse, ApiError> {
    let id = ids::loan(&path)?;
    let kit = app.loan_service()?.kit(caller.user(), id).await?;
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "application/json"))
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header((CONTENT_DISPOSITION, format!("attachment; filename=\"lienbook-{id}-{}.json\"", kit.role)))
        .body(kit.text))
}
