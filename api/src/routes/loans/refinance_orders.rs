//! `/api/v1/loans/{loan_id}/refinance-order`: a borrower's standing order to refinance a loan near its due date.

use actix_web::{HttpRequest, HttpResponse, web};
use domain::{InterestRate, RefinanceOrder, Sats, TermDays};
use engine::wire::RefinanceOrderView;
use serde::Deserialize;
use utoipa::ToSchema;

use super::ids;
use crate::app::App;
use crate::extract::bodiless_write;
use crate::extract::signed_in::SignedIn;
use crate::extract::write::Write;
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};

/// The terms within which a loan is to be refinanced.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct SetRefinanceOrder {
    /// The least principal of the next loan.
    principal_min_sats: u64,
    /// The highest interest for the whole term of the next loan, in percent times 100.
    interest_max: u32,
    /// The shortest term of the next loan, in days.
    term_min_days: u16,
    /// The longest term of the next loan, in days.
    term_max_days: u16,
    /// The number of days before the due date from which an offer is looked for, 1 to 14.
    days_before: u8,
}

/// Sets the standing order of one of the caller's running loans, in place of an earlier one. It signs nothing: when there
/// is an offer within its terms, the caller gets the notice `refinance_ordered`, and signs the refinance.
///
/// # Errors
/// [`ErrorCode::UnknownLoan`], [`ErrorCode::LoanStage`], [`ErrorCode::NotReplaceable`] for a loan that no offer can
/// refinance, [`ErrorCode::InvalidField`].
#[utoipa::path(put, path = "/api/v1/loans/{loan_id}/refinance-order", operation_id = "setRefinanceOrder", tag = "loans", security(("session" = [])),
    params(("loan_id" = String, Path,)), request_body = SetRefinanceOrder,
    responses((status = 200, body = RefinanceOrderView), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem)))]
pub async fn set(
    app: web::Data<App>,
    path: web::Path<String>,
    write: Write<SetRefinanceOrder>,
) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let shared = app.clone();
    execution
        .once(&shared, async move {
            let id = ids::loan(&path)?;
            let order = RefinanceOrder {
                principal_min: Sats::new(body.principal_min_sats),
                interest_max: InterestRate::from_basis_points(body.interest_max),
                term_min: TermDays(body.term_min_days),
                term_max: TermDays(body.term_max_days),
                days_before: body.days_before,
            };
            app.market.order_refinance(caller.user(), id, Some(order)).await?;
            Answer::ok(&RefinanceOrderView::from(order))
        })
        .await
}

/// Withdraws the standing order of one of the caller's loans.
///
/// # Errors
/// [`ErrorCode::UnknownLoan`], [`ErrorCode::LoanStage`].
#[utoipa::path(delete, path = "/api/v1/loans/{loan_id}/refinance-order", operation_id = "withdrawRefinanceOrder", tag = "loans", security(("session" = [])),
    params(("loan_id" = String, Path,)),
    responses((status = 204), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn withdraw(
    app: web::Data<App>,
    request: HttpRequest,
    borrower: SignedIn,
    path: web::Path<String>,
) -> Result<HttpResponse, ApiError> {
    let work = async {
        app.market.order_refinance(borrower.user(), ids::loan(&path)?, None).await?;
        Ok(Answer::no_content())
    };
    bodiless_write::execute(&app, &request, &borrower, work).await
}
