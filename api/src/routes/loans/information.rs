//! `/api/v1/loans/{loan_id}/information`: the terms of a loan and their cost as a file, before the signature and after it.

use actix_web::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, ContentType};
use actix_web::{HttpResponse, web};

use super::ids;
use crate::app::App;
use crate::exports::collateral_text;
use crate::exports::loan_terms::LoanTermsDocument;
use crate::extract::own_read::OwnRead;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;

/// Returns the terms of one of the caller's loans as a document: to the borrower with the total cost of credit and the
/// annual percentage rate, to the lender with the yearly return. It follows from what was recorded when the loan was
/// prepared, and is the same before the signature and after it.
///
/// # Errors
/// [`ErrorCode::UnknownLoan`], also for the lender before the borrower has signed; [`ErrorCode::LoanStage`] for a loan
/// that ended before both sides had signed.
#[utoipa::path(get, path = "/api/v1/loans/{loan_id}/information", operation_id = "downloadLoanTerms", tag = "loans", security(("session" = [])),
    params(("loan_id" = String, Path,)),
    responses((status = 200, content_type = "text/html", body = String, description = "The document, to be kept as a file"),
        (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn download(
    app: web::Data<App>,
    OwnRead(caller): OwnRead,
    path: web::Path<String>,
) -> Result<HttpResponse, ApiError> {
    let loan = ids::loan(&path)?;
    let information = app.loan_service()?.information(caller.user(), loan).await?;
    let view = app.market.my_loan(caller.user(), loan).await;
    let view = view.ok_or_else(|| ApiError::plain(ErrorCode::UnknownLoan))?;
    let collateral = collateral_text::items(&view);
    let document = LoanTermsDocument { loan, information, collection: view.collection_name.to_string(), collateral };
    Ok(HttpResponse::Ok()
        .insert_header(ContentType::html())
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header((CONTENT_DISPOSITION, format!("attachment; filename=\"{}\"", document.file_name())))
        .body(document.html()))
}
