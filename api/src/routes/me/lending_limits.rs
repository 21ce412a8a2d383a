//! `/api/v1/me/lending-limits`: the caller's limits on manual loans and on absence.

use std::collections::BTreeMap;

use actix_web::{HttpResponse, web};
use domain::{LendingLimits, Sats};
use engine::wire::LendingLimitsView;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::extract::own_read::OwnRead;
use crate::extract::write::Write;
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;

/// A collection's budget.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct CollectionBudget {
    /// Id or slug of a collection.
    collection: String,
    /// The maximum principal of manual loans outstanding at a time.
    budget_sats: u64,
}

/// The limits to set, in place of all earlier ones. A field that is absent or `null` sets no limit.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct NewLimits {
    /// The maximum principal of manual loans outstanding at a time, over all collections.
    budget_sats: Option<u64>,
    /// The maximum principal of manual loans accepted in a UTC day.
    daily_sats: Option<u64>,
    /// Collections with a budget of their own, at most 100.
    #[serde(default)]
    collections: Vec<CollectionBudget>,
    /// The minutes without a request or an open connection after which all offers are paused, 5 to 10,080.
    absence_minutes: Option<u16>,
}

/// Returns the caller's limits, and the amounts that they are compared with.
#[utoipa::path(get, path = "/api/v1/me/lending-limits", operation_id = "getMyLendingLimits", tag = "offers", security(("session" = [])),
    responses((status = 200, body = LendingLimitsView), (status = 401, body = Problem)))]
pub async fn show(app: web::Data<App>, OwnRead(caller): OwnRead) -> Result<HttpResponse, ApiError> {
    Ok(HttpResponse::Ok().json(app.market.lending_limits(caller.user()).await?))
}

/// Sets the caller's limits. Manual offers whose principal a limit does not leave are paused, and open again when loans
/// are repaid or the day is over; a lender who is absent for too long has all offers paused until the next request.
///
/// # Errors
/// [`ErrorCode::UnknownCollection`]; [`ErrorCode::InvalidField`] for a limit out of bounds, or a collection that is named
/// twice.
#[utoipa::path(put, path = "/api/v1/me/lending-limits", operation_id = "setMyLendingLimits", tag = "offers", security(("session" = [])),
    request_body = NewLimits,
    responses((status = 200, body = LendingLimitsView), (status = 401, body = Problem), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub async fn set(app: web::Data<App>, write: Write<NewLimits>) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let market = app.clone();
    execution
        .once(&market, async move {
            let limits = LendingLimits {
                budget: body.budget_sats.map(Sats::new),
                daily: body.daily_sats.map(Sats::new),
                collection_budgets: collection_budgets(&app, &body.collections)?,
                absence_minutes: body.absence_minutes,
            };
            Answer::ok(&app.market.set_lending_limits(caller.user(), limits).await?)
        })
        .await
}

fn collection_budgets(app: &App, budgets: &[CollectionBudget]) -> Result<BTreeMap<domain::GroupId, Sats>, ApiError> {
    let mut by_group = BTreeMap::new();
    for CollectionBudget { collection, budget_sats } in budgets {
        let group = app.market.group_named(collection).ok_or_else(|| ApiError::plain(ErrorCode::UnknownCollection))?;
        if by_group.insert(group.id, Sats::new(*budget_sats)).is_some() {
            return Err(ApiError::new(ErrorCode::InvalidField, format!("{collection} is named twice")));
        }
    }
    Ok(by_group)
}
