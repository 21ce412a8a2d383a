//! `DELETE /api/v1/requests/{request_id}`: a borrower withdraws a request.

use actix_web::{HttpRequest, HttpResponse, web};
use domain::Command;

use super::parse_id;
use crate::app::App;
use crate::extract::bodiless_write;
use crate::extract::signed_in::SignedIn;
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;

/// Withdraws a borrow request that no lender has filled.
///
/// # Errors
/// [`ErrorCode::UnknownRequest`], [`ErrorCode::NotOwner`], [`ErrorCode::RequestFilled`].
#[utoipa::path(delete, path = "/api/v1/requests/{request_id}", operation_id = "withdrawBorrowRequest", tag = "borrow",
    security(("session" = [])), params(("request_id" = String, Path,)),
    responses((status = 204), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn withdraw(
    app: web::Data<App>,
    http_request: HttpRequest,
    borrower: SignedIn,
    path: web::Path<String>,
) -> Result<HttpResponse, ApiError> {
    let work = async {
        let request = parse_id(&path)?;
        app.market.group(request.group()).ok_or_else(|| ApiError::plain(ErrorCode::UnknownRequest))?;
        let command = Command::WithdrawRequest { borrower: borrower.user(), request };
        app.market.command(request.group(), command, None).await?;
        Ok(Answer::no_content())
    };
    bodiless_write::execute(&app, &http_request, &borrower, work).await
}
