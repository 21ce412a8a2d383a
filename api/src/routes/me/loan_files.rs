//! `/api/v1/me/loans.csv` and `/api/v1/me/due-dates.ics`: the caller's loans as files for other programs.

use crate::exports::calendar::{DueDate, calendar};
use crate::exports::collateral_text;
use crate::exports::csv::{self, HistoryRow};
use actix_web::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use actix_web::{HttpResponse, web};
use domain::{Role, UserId};
use engine::wire::{LoanView, RoleName};
use engine::{LoanCursor, LoanFilter, LoanList};
use futures_util::stream;

use super::loans::MyLoansQuery;
use crate::app::App;
use crate::extract::own_read::OwnRead;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;

/// The number of loans that are written at a time, which bounds the memory of a request.
const ROWS_AT_ONCE: usize = 500;

/// The largest number of entries of a calendar; it contains the loans that were prepared last.
const DUE_DATES_MAX: usize = 1_000;

/// The state of a table that is being written.
struct CsvExport {
    app: web::Data<App>,
    user: UserId,
    filter: LoanFilter,
    after: Option<LoanCursor>,
}

/// Returns the caller's loans as a CSV table, newest first. Amounts are whole sats, times are UTC.
///
/// # Errors
/// [`ErrorCode::InvalidQuery`], [`ErrorCode::UnknownCollection`]. `limit` and `cursor` are ignored.
#[utoipa::path(get, path = "/api/v1/me/loans.csv", operation_id = "exportMyLoans", tag = "loans", security(("session" = [])), params(MyLoansQuery),
    responses((status = 200, content_type = "text/csv", body = String), (status = 401, body = Problem)))]
pub async fn table(
    app: web::Data<App>,
    OwnRead(caller): OwnRead,
    query: web::Query<MyLoansQuery>,
) -> Result<HttpResponse, ApiError> {
    let filter = query.filter(&app, LoanList::All)?;
    let header = csv::header();
    let start = Some((Some(header), CsvExport { app, user: caller.user(), filter, after: None }));
    let parts = stream::try_unfold(start, async |next| {
        let Some((header, written)) = next else { return Ok(None) };
        let page = written.app.market.my_loans(written.user, &written.filter, written.after, ROWS_AT_ONCE).await;
        // The response has started, so the only way to report a failure is to abort it.
        let page = page.map_err(ApiError::from)?;
        let rows: Vec<HistoryRow> = page.items.iter().map(row).collect();
        let text = header.unwrap_or_default() + &csv::records(&rows);
        let rest = page.next.map(|next| (None, CsvExport { after: Some(next), ..written }));
        Ok::<_, ApiError>(Some((web::Bytes::from(text), rest)))
    });
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "text/csv; charset=utf-8"))
        .insert_header((CONTENT_DISPOSITION, "attachment; filename=\"lienbook-loans.csv\""))
        .streaming(parts))
}

/// Returns the due dates of the caller's running loans as a calendar.
///
/// # Errors
/// [`ErrorCode::InvalidQuery`], [`ErrorCode::UnknownCollection`]. `limit` and `cursor` are ignored.
#[utoipa::path(get, path = "/api/v1/me/due-dates.ics", operation_id = "exportMyDueDates", tag = "loans", security(("session" = [])), params(MyLoansQuery),
    responses((status = 200, content_type = "text/calendar", body = String), (status = 401, body = Problem)))]
pub async fn due_dates(
    app: web::Data<App>,
    OwnRead(caller): OwnRead,
    query: web::Query<MyLoansQuery>,
) -> Result<HttpResponse, ApiError> {
    let filter = query.filter(&app, LoanList::Open)?;
    let (mut dates, mut after) = (Vec::new(), None);
    loop {
        let page = app.market.my_loans(caller.user(), &filter, after, ROWS_AT_ONCE).await?;
        dates.extend(page.items.iter().filter_map(due_date));
        after = page.next;
        if after.is_none() || dates.len() >= DUE_DATES_MAX {
            break;
        }
    }
    dates.truncate(DUE_DATES_MAX);
    let text = calendar(&dates, app.public_url.domain(), app.now());
    let text = text.map_err(|error| ApiError::new(ErrorCode::Internal, error))?;
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "text/calendar; charset=utf-8"))
        .insert_header((CONTENT_DISPOSITION, "attachment; filename=\"lienbook-due-dates.ics\""))
        .body(text))
}

const fn role(role: RoleName) -> Role {
    match role {
        RoleName::Borrower => Role::Borrower,
        RoleName::Lender => Role::Lender,
    }
}

fn due_date(loan: &LoanView) -> Option<DueDate> {
    Some(DueDate {
        loan: loan.loan_id.0,
        role: role(loan.role),
        due_at: loan.due_at?,
        collection: loan.collection_name.to_string(),
        payout: loan.payout_sats,
    })
}

fn row(loan: &LoanView) -> HistoryRow {
    HistoryRow {
        loan: loan.loan_id.0,
        role: role(loan.role),
        state: loan.state.name().to_owned(),
        collection: loan.collection_name.to_string(),
        collateral: collateral_text::items(loan).into_iter().next().unwrap_or_default(),
        principal: loan.principal,
        interest: loan.interest_sats,
        started_at: loan.started_at,
        due_at: loan.due_at,
        ended_at: loan.ended_at,
        payout: loan.payout_sats,
        platform_fee: loan.platform_fee_sats,
        apy: loan.apy,
        transaction: loan.transaction_id.map(|txid| txid.0),
        ending_transaction: loan.ending_transaction_id.map(|txid| txid.0),
    }
}
