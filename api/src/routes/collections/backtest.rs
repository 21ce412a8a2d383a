//! `/api/v1/collections/{name}/backtest`: the return that an offer would have had.

use std::collections::BTreeSet;

use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpRequest, HttpResponse, web};
use backtest::{Figures, FilledLoan, FilledLoanEnd, Principal, Report, Rule};
use domain::{DAY_MS, InterestRate, Ltv, ProcessType, Sats, SubCollectionId, UnixMs};
use engine::wire::Percent;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::read_of;
use crate::app::App;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;

/// The longest time that is looked at, which is what a book keeps.
const DAYS_MAX: u16 = 90;

/// The maximum number of loans in an answer; the totals count all.
const LOANS_MAX: usize = 500;

/// The largest share of the collateral's value, in basis points.
const LTV_MAX_BPS: u32 = 100_000;

/// The share of the collateral's value without any other.
const LTV_DEFAULT: Ltv = Ltv::from_basis_points(5_000);

/// The process type of an offer.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Process {
    /// The lender counter-signs each loan.
    Manual,
    /// The lender's vault pays.
    Instant,
}

/// The offer.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BacktestQuery {
    /// Its sub-collection: the term and the bundle.
    #[param(minimum = 0, maximum = 65_535)]
    sub_collection_id: u16,
    /// Its process type.
    #[param(inline)]
    process: Process,
    /// Its principal in sats. An offer in parts has none that fits every loan: it needs `ltv`.
    #[param(minimum = 1, maximum = 2_100_000_000_000_000_u64)]
    principal: Option<u64>,
    /// Instead of the principal, its share of the collateral's value at the floor, in basis points, half by default; it follows
    /// the floor.
    #[param(minimum = 1, maximum = 100_000)]
    ltv: Option<u32>,
    /// The sats that are lent or promised at any time, at the most.
    #[param(minimum = 0, maximum = 2_100_000_000_000_000_u64)]
    budget: u64,
    /// The number of days until now; 90 by default.
    #[param(minimum = 1, maximum = 90)]
    days: Option<u16>,
}

impl BacktestQuery {
    fn principal(&self) -> Result<Principal, ApiError> {
        match (self.ltv, self.principal) {
            (Some(points @ 1..=LTV_MAX_BPS), _) => Ok(Principal::Ltv(Ltv::from_basis_points(points))),
            (Some(_), _) => Err(ApiError::new(ErrorCode::InvalidQuery, "ltv must be from 1 to 100000 basis points")),
            (None, Some(0)) => Err(ApiError::new(ErrorCode::InvalidQuery, "principal must be positive")),
            (None, Some(sats)) => Ok(Principal::Fixed(Sats::new(sats))),
            (None, None) => Ok(Principal::Ltv(LTV_DEFAULT)),
        }
    }
}

/// The return that an offer would have had, if it had stood all the time and been placed again after each loan. The market
/// is assumed not to react.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BacktestView {
    /// The first time at which the offer stood.
    #[schema(value_type = u64)]
    from: UnixMs,
    /// The end of the time.
    #[schema(value_type = u64)]
    until: UnixMs,
    /// The number of loans.
    loan_count: u64,
    /// The number of acceptances that the rest of the budget did not cover.
    beyond_budget: u64,
    /// The principal lent, in sats; a part of the budget that was lent twice counts twice.
    lent_sats: u64,
    /// The interest that borrowers paid, in sats.
    interest_sats: u64,
    /// The platform's fees, in sats.
    fees_sats: u64,
    /// The number of loans that were not repaid.
    default_count: u64,
    /// Their principal, in sats.
    default_principal_sats: u64,
    /// The value of their collateral at the floor when it was claimed, in sats.
    default_collateral_sats: u64,
    /// The number of loans that still run; their interest is not counted.
    running_count: u64,
    /// Their principal, in sats.
    running_principal_sats: u64,
    /// The interest less fees, and the gain or loss of defaults, in sats.
    #[schema(value_type = i64)]
    result_sats: i128,
    /// The result per year on the whole budget, in percent; `null` without any time.
    #[schema(value_type = Option<f64>, required)]
    yield_on_budget: Option<Percent>,
    /// The result per year of the loans that have ended, on their principal for the time for which it was lent, in
    /// percent; `null` without any.
    #[schema(value_type = Option<f64>, required)]
    yield_on_lent: Option<Percent>,
    /// The latest loans in the order in which they ended, those that run last; at most 500.
    loans: Vec<BacktestLoan>,
}

/// A loan that the offer would have made.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BacktestLoan {
    /// The time at which it began.
    #[schema(value_type = u64)]
    began_at: UnixMs,
    /// The time at which it ended; for one that runs, now.
    #[schema(value_type = u64)]
    until: UnixMs,
    /// Its state then.
    end: BacktestLoanEnd,
    /// Its principal, in sats.
    principal_sats: u64,
    /// Its result, in sats.
    #[schema(value_type = i64)]
    result_sats: i128,
}

/// The state of a loan.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum BacktestLoanEnd {
    /// The borrower repaid it.
    Repaid,
    /// The lender took the collateral.
    Claimed,
    /// It runs.
    Running,
}

impl From<&FilledLoan> for BacktestLoan {
    fn from(loan: &FilledLoan) -> Self {
        let end = match loan.end {
            FilledLoanEnd::Repaid => BacktestLoanEnd::Repaid,
            FilledLoanEnd::Claimed => BacktestLoanEnd::Claimed,
            FilledLoanEnd::Running => BacktestLoanEnd::Running,
        };
        Self {
            began_at: loan.began_at,
            until: loan.until,
            end,
            principal_sats: loan.principal_sats,
            result_sats: loan.result_sats,
        }
    }
}

impl From<&Report> for BacktestView {
    fn from(report: &Report) -> Self {
        let Figures { loans, lent_sats, interest_sats, fees_sats, defaults, running, beyond_budget, .. } = report.total;
        let skipped = report.loans.len().saturating_sub(LOANS_MAX);
        Self {
            from: report.from,
            until: report.until,
            loan_count: loans,
            beyond_budget,
            lent_sats,
            interest_sats,
            fees_sats,
            default_count: defaults.count,
            default_principal_sats: defaults.principal_sats,
            default_collateral_sats: defaults.collateral_sats,
            running_count: running.count,
            running_principal_sats: running.principal_sats,
            result_sats: report.result_sats,
            yield_on_budget: report.yield_on_budget.map(Percent::from_hundredths),
            yield_on_lent: report.yield_on_lent.map(Percent::from_hundredths),
            loans: report.loans.iter().skip(skipped).map(BacktestLoan::from).collect(),
        }
    }
}

/// Returns the return that an offer would have had in the last days.
///
/// # Errors
/// [`ErrorCode::UnknownCollection`], [`ErrorCode::InvalidQuery`].
#[utoipa::path(get, path = "/api/v1/collections/{name}/backtest", operation_id = "getBacktest", tag = "market",
    params(("name" = String, Path, description = "Id or group slug"), BacktestQuery),
    responses((status = 200, body = BacktestView), (status = 400, body = Problem), (status = 404, body = Problem)))]
pub async fn show(
    app: web::Data<App>,
    request: HttpRequest,
    name: web::Path<String>,
    query: web::Query<BacktestQuery>,
) -> Result<HttpResponse, ApiError> {
    let group = read_of(&app, &request, &name)?;
    let sub = group.sub_collection(SubCollectionId(query.sub_collection_id));
    let term = sub.ok_or_else(|| ApiError::plain(ErrorCode::UnknownCollection))?.term;
    let days = query.days.unwrap_or(DAYS_MAX);
    if !(1..=DAYS_MAX).contains(&days) {
        return Err(ApiError::new(ErrorCode::InvalidQuery, "days must be from 1 to 90"));
    }
    let now = app.now();
    let rule = Rule {
        principal: query.principal()?,
        process: match query.process {
            Process::Manual => ProcessType::Manual,
            Process::Instant => ProcessType::Instant,
        },
        budget: Sats::new(query.budget),
        interest_min: InterestRate::from_basis_points(0),
        term: Some(term),
        collections: BTreeSet::new(),
        from: Some(UnixMs(now.0.saturating_sub(u64::from(days) * DAY_MS))),
        until: None,
    };
    let report = app.market.backtest(group.id, &rule).await?;
    Ok(HttpResponse::Ok().insert_header((CACHE_CONTROL, "max-age=60")).json(BacktestView::from(&report)))
}
