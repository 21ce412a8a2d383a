//! `/api/v1/me/loans` and `/api/v1/me/history`: the caller's own loans, as borrower or lender.

use actix_web::{HttpResponse, web};
use domain::{GroupId, LoanStage, Role, UnixMs, UserId};
use engine::wire::LoanView;
use engine::{LoanCursor, LoanFilter, LoanList, Page};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::app::App;
use crate::extract::own_read::OwnRead;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;

/// The largest page.
pub(crate) const LIMIT_MAX: usize = 200;

/// The caller's side of a loan.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum WantedRole {
    /// As the borrower.
    Borrower,
    /// As the lender.
    Lender,
}

impl From<WantedRole> for Role {
    fn from(role: WantedRole) -> Self {
        match role {
            WantedRole::Borrower => Self::Borrower,
            WantedRole::Lender => Self::Lender,
        }
    }
}

/// Filters of the caller's loans.
#[derive(Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct MyLoansQuery {
    /// Loans per page, at most 200.
    limit: Option<usize>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
    /// Only loans in which the caller has this role.
    #[param(inline)]
    pub(super) role: Option<WantedRole>,
    /// Only loans at one of these stages, separated by commas.
    stage: Option<String>,
    /// Only loans of one collection, by its id or slug.
    collection: Option<String>,
    /// Only loans from this time on, in unix milliseconds: the time of preparation, or in the history the time of the
    /// end.
    from: Option<u64>,
    /// Only loans before this time, in unix milliseconds.
    to: Option<u64>,
}

/// A page of loans.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LoansPage {
    /// The loans, newest first. A page can be short or empty although there are more.
    data: Vec<LoanView>,
    /// The cursor of the next page; `null` on the last page.
    #[schema(required)]
    next_cursor: Option<String>,
}

impl MyLoansQuery {
    /// Parses the filters.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidQuery`], [`ErrorCode::UnknownCollection`].
    pub(super) fn filter(&self, app: &App, which: LoanList) -> Result<LoanFilter, ApiError> {
        let stages = self.stage.as_deref().map(stages).transpose()?.unwrap_or_default();
        let group = self.collection.as_deref().map(|name| group(app, name)).transpose()?;
        let from = UnixMs(self.from.unwrap_or(0));
        let to = self.to.map(UnixMs);
        limit(self.limit)?;
        let role = self.role.map(Into::into);
        Ok(LoanFilter { role, stages, group, from, to, ..LoanFilter::of(which) })
    }
}

fn stages(text: &str) -> Result<Vec<LoanStage>, ApiError> {
    let unknown = |name: &str| {
        let name: String = name.chars().take(64).collect();
        ApiError::new(ErrorCode::InvalidQuery, format!("there is no stage {name:?}"))
    };
    let names = text.split(',').map(|name| LoanStage::from_name(name).ok_or_else(|| unknown(name)));
    let mut stages = Vec::with_capacity(LoanStage::ALL.len());
    // Each once: a list of more names than there are stages repeats some.
    for stage in names {
        let stage = stage?;
        if !stages.contains(&stage) {
            stages.push(stage);
        }
    }
    Ok(stages)
}

fn group(app: &App, name: &str) -> Result<GroupId, ApiError> {
    let group = app.market.group_named(name).ok_or_else(|| ApiError::plain(ErrorCode::UnknownCollection))?;
    Ok(group.id)
}

/// Returns the number of items per page.
///
/// # Errors
/// [`ErrorCode::InvalidQuery`].
pub(super) fn limit(limit: Option<usize>) -> Result<usize, ApiError> {
    let limit = limit.unwrap_or(LIMIT_MAX);
    if (1..=LIMIT_MAX).contains(&limit) {
        Ok(limit)
    } else {
        Err(ApiError::new(ErrorCode::InvalidQuery, format!("limit must be 1 to {LIMIT_MAX}")))
    }
}

/// Returns the position at which a page begins.
///
/// # Errors
/// [`ErrorCode::InvalidCursor`].
pub(super) fn place(app: &App, list: &str, cursor: Option<&str>) -> Result<Option<LoanCursor>, ApiError> {
    let Some(cursor) = cursor else { return Ok(None) };
    let (at, loan): (u64, String) = app.keys.cursors.open(list, cursor)?;
    let loan = loan.parse().map_err(|_| ApiError::plain(ErrorCode::InvalidCursor))?;
    Ok(Some(LoanCursor { at: UnixMs(at), loan }))
}

/// Returns the cursor of the page after this one.
///
/// # Errors
/// Those of [`crate::http::cursor::CursorSeal::seal`].
pub(super) fn next_cursor<T>(app: &App, list: &str, page: &Page<T>) -> Result<Option<String>, ApiError> {
    page.next.map(|next| app.keys.cursors.seal(list, &(next.at.0, next.loan.to_string()))).transpose()
}

/// Lists the caller's loans.
///
/// # Errors
/// [`ErrorCode::InvalidQuery`], [`ErrorCode::InvalidCursor`], [`ErrorCode::UnknownCollection`].
#[utoipa::path(get, path = "/api/v1/me/loans", operation_id = "listMyLoans", tag = "loans", security(("session" = [])), params(MyLoansQuery),
    responses((status = 200, body = LoansPage), (status = 401, body = Problem)))]
pub async fn list(
    app: web::Data<App>,
    OwnRead(caller): OwnRead,
    query: web::Query<MyLoansQuery>,
) -> Result<HttpResponse, ApiError> {
    let filter = query.filter(&app, LoanList::All)?;
    page(&app, caller.user(), &query, filter).await
}

/// Lists the caller's loans that wait for the caller: for a signature, a counter-signature, a repayment or a claim.
///
/// # Errors
/// [`ErrorCode::InvalidQuery`], [`ErrorCode::InvalidCursor`], [`ErrorCode::UnknownCollection`].
#[utoipa::path(get, path = "/api/v1/me/loans/waiting", operation_id = "listMyWaitingLoans", tag = "loans", security(("session" = [])), params(MyLoansQuery),
    responses((status = 200, body = LoansPage), (status = 401, body = Problem)))]
pub async fn waiting(
    app: web::Data<App>,
    OwnRead(caller): OwnRead,
    query: web::Query<MyLoansQuery>,
) -> Result<HttpResponse, ApiError> {
    let filter = LoanFilter { is_waiting: true, ..query.filter(&app, LoanList::Open)? };
    page(&app, caller.user(), &query, filter).await
}

/// Lists the caller's loans that ended, by the time of their end.
///
/// # Errors
/// [`ErrorCode::InvalidQuery`], [`ErrorCode::InvalidCursor`], [`ErrorCode::UnknownCollection`].
#[utoipa::path(get, path = "/api/v1/me/history", operation_id = "listMyHistory", tag = "loans", security(("session" = [])), params(MyLoansQuery),
    responses((status = 200, body = LoansPage), (status = 401, body = Problem)))]
pub async fn history(
    app: web::Data<App>,
    OwnRead(caller): OwnRead,
    query: web::Query<MyLoansQuery>,
) -> Result<HttpResponse, ApiError> {
    let filter = query.filter(&app, LoanList::Ended)?;
    page(&app, caller.user(), &query, filter).await
}

/// Returns one of the caller's loans. Other users get the same answer as for a loan that does not exist.
///
/// # Errors
/// [`ErrorCode::UnknownLoan`].
#[utoipa::path(get, path = "/api/v1/me/loans/{loan_id}", operation_id = "getMyLoan", tag = "loans", security(("session" = [])),
    params(("loan_id" = String, Path,)),
    responses((status = 200, body = LoanView), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn show(
    app: web::Data<App>,
    OwnRead(caller): OwnRead,
    loan_id: web::Path<String>,
) -> Result<HttpResponse, ApiError> {
    let unknown = || ApiError::plain(ErrorCode::UnknownLoan);
    let loan_id = loan_id.parse().map_err(|_| unknown())?;
    let loan = app.market.my_loan(caller.user(), loan_id).await.ok_or_else(unknown)?;
    Ok(HttpResponse::Ok().json(loan))
}

async fn page(app: &App, user: UserId, query: &MyLoansQuery, filter: LoanFilter) -> Result<HttpResponse, ApiError> {
    let limit = limit(query.limit)?;
    // A cursor is valid only for the same list: the same user and the same filters.
    let list = format!("loans {user} {filter:?}");
    let after = place(app, &list, query.cursor.as_deref())?;
    let page = app.market.my_loans(user, &filter, after, limit).await?;
    let next_cursor = next_cursor(app, &list, &page)?;
    Ok(HttpResponse::Ok().json(LoansPage { data: page.items, next_cursor }))
}
