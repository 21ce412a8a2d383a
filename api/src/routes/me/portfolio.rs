//! `/api/v1/me/portfolio` and `/api/v1/me/points`: totals of the caller's loans, and the points earned with them.

use actix_web::{HttpResponse, web};
use engine::wire::{LoanPointsView, PointTotals, PortfolioView};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::loans::{limit, next_cursor, place};
use crate::app::App;
use crate::extract::own_read::OwnRead;
use crate::http::api_error::{ApiError, Problem};

/// The query.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct PointsQuery {
    /// Loans per page, at most 200.
    limit: Option<usize>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
}

/// The total points, and a page of the loans that earned them.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PointsPage {
    /// The totals of all loans.
    #[serde(flatten)]
    totals: PointTotals,
    /// The loans that earned points, newest first. A page can be short or empty although there are more.
    data: Vec<LoanPointsView>,
    /// The cursor of the next page; `null` on the last page.
    #[schema(required)]
    next_cursor: Option<String>,
}

/// Returns the totals of the caller's loans.
///
/// # Errors
/// [`crate::http::error_code::ErrorCode::NotReady`].
#[utoipa::path(get, path = "/api/v1/me/portfolio", operation_id = "getMyPortfolio", tag = "loans", security(("session" = [])),
    responses((status = 200, body = PortfolioView), (status = 401, body = Problem)))]
pub async fn show(app: web::Data<App>, OwnRead(caller): OwnRead) -> Result<HttpResponse, ApiError> {
    Ok(HttpResponse::Ok().json(app.market.my_portfolio(caller.user()).await?))
}

/// Returns the caller's points. A lender earns a loan's points when it starts; a borrower earns half of them then, and
/// the other half at repayment.
///
/// # Errors
/// [`crate::http::error_code::ErrorCode::InvalidQuery`], [`crate::http::error_code::ErrorCode::InvalidCursor`].
#[utoipa::path(get, path = "/api/v1/me/points", operation_id = "getMyPoints", tag = "loans", security(("session" = [])), params(PointsQuery),
    responses((status = 200, body = PointsPage), (status = 401, body = Problem)))]
pub async fn points(
    app: web::Data<App>,
    OwnRead(caller): OwnRead,
    query: web::Query<PointsQuery>,
) -> Result<HttpResponse, ApiError> {
    let (user, limit) = (caller.user(), limit(query.limit)?);
    let list = format!("points {user}");
    let after = place(&app, &list, query.cursor.as_deref())?;
    let totals = app.market.my_points(user).await?;
    let page = app.market.my_points_by_loan(user, after, limit).await?;
    let next_cursor = next_cursor(&app, &list, &page)?;
    Ok(HttpResponse::Ok().json(PointsPage { totals, data: page.items, next_cursor }))
}
