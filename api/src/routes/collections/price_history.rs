//! `/api/v1/collections/{name}/price-history`: price charts.

use actix_web::{HttpRequest, HttpResponse, web};
use engine::PriceRange;
use engine::wire::PriceHistory;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::read_of;
use crate::app::App;
use crate::http::api_error::{ApiError, Problem};

/// The period of a chart.
#[derive(Clone, Copy, Deserialize, ToSchema)]
pub enum Range {
    /// 24 hours in steps of 10 minutes.
    #[serde(rename = "24h")]
    Day,
    /// 7 days in steps of 2 hours.
    #[serde(rename = "7d")]
    Week,
    /// 30 days in steps of 8 hours.
    #[serde(rename = "30d")]
    Month,
    /// 90 days in steps of 24 hours.
    #[serde(rename = "90d")]
    Quarter,
}

/// The query.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct HistoryQuery {
    /// The period; 24 hours by default.
    #[serde(default = "default_range")]
    #[param(inline)]
    range: Range,
}

fn default_range() -> Range {
    Range::Day
}

impl From<Range> for PriceRange {
    fn from(range: Range) -> Self {
        match range {
            Range::Day => Self::Day,
            Range::Week => Self::Week,
            Range::Month => Self::Month,
            Range::Quarter => Self::Quarter,
        }
    }
}

/// Returns the price chart of a collection.
///
/// # Errors
/// [`crate::http::error_code::ErrorCode::UnknownCollection`].
#[utoipa::path(get, path = "/api/v1/collections/{name}/price-history", operation_id = "getPriceHistory", tag = "market",
    params(("name" = String, Path, description = "Id or group slug"), HistoryQuery),
    responses((status = 200, body = PriceHistory), (status = 404, body = Problem)))]
pub async fn show(
    app: web::Data<App>,
    request: HttpRequest,
    name: web::Path<String>,
    query: web::Query<HistoryQuery>,
) -> Result<HttpResponse, ApiError> {
    let group = read_of(&app, &request, &name)?;
    let history = app.market.price_history(group.id, query.range.into()).await?;
    Ok(HttpResponse::Ok().json(history))
}
