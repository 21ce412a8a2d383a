//! `/api/v1/collections`: the rows of the market tables.

use std::cmp::Ordering;
use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, web};
use domain::GroupId;
use engine::wire::{CollateralName, Row};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::row_order::{Process, SortBy, SortKey};
use crate::app::App;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;
use crate::http::request_limits::SEARCH_LENGTH_MAX;

/// The largest page.
pub(crate) const LIMIT_MAX: usize = 500;

/// The kind of collateral of a table.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Category {
    /// Inscriptions.
    Ordinals,
    /// Runes.
    Runes,
    /// BRC-20 tokens.
    #[serde(rename = "brc-20")]
    Brc20,
}

/// The direction of sorting.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// Smallest first.
    Asc,
    /// Greatest first.
    Desc,
}

/// The query.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct CollectionsQuery {
    /// Rows per page, at most 500.
    limit: Option<usize>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
    /// The kind of collateral.
    #[param(inline)]
    category: Option<Category>,
    /// Only groups that take offers of this process type; offers are filtered and sorted by it too.
    #[param(inline)]
    process: Option<Process>,
    /// A part of a name, symbol or slug.
    search: Option<String>,
    /// Only groups with, or without, offers.
    has_offers: Option<bool>,
    /// The sort key; the order of listing by default.
    #[param(inline)]
    sort: Option<SortBy>,
    /// The direction of sorting; ascending by default.
    #[param(inline)]
    order: Option<Order>,
}

/// A page of rows.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CollectionsPage {
    /// The rows.
    #[schema(value_type = Vec<Row>)]
    data: Vec<Arc<Row>>,
    /// The cursor of the next page; `null` on the last page.
    #[schema(required)]
    next_cursor: Option<String>,
}

/// Lists the market's groups.
///
/// # Errors
/// [`ErrorCode::InvalidQuery`], [`ErrorCode::InvalidCursor`].
#[utoipa::path(get, path = "/api/v1/collections", operation_id = "listCollections", tag = "market", params(CollectionsQuery),
    responses((status = 200, body = CollectionsPage), (status = 400, body = Problem)))]
pub async fn list(
    app: web::Data<App>,
    request: HttpRequest,
    query: web::Query<CollectionsQuery>,
) -> Result<HttpResponse, ApiError> {
    app.take_read(&request)?;
    let limit = query.limit.unwrap_or(100);
    if !(1..=LIMIT_MAX).contains(&limit) {
        return Err(ApiError::new(ErrorCode::InvalidQuery, format!("limit must be 1 to {LIMIT_MAX}")));
    }
    let search = query.search.as_deref().unwrap_or_default().trim().to_lowercase();
    if search.chars().count() > SEARCH_LENGTH_MAX {
        let detail = format!("search has at most {SEARCH_LENGTH_MAX} characters");
        return Err(ApiError::new(ErrorCode::InvalidQuery, detail));
    }
    let mut rows: Vec<(SortKey, Arc<Row>)> = app
        .market
        .rows()
        .into_iter()
        .filter(|row| is_wanted(row, &query, &search))
        .map(|row| (SortKey::of(&row, query.sort, query.process), row))
        .collect();
    let order = query.order.unwrap_or(Order::Asc);
    rows.sort_by(|(key, row), (other_key, other)| compare(order, (key, row.id.0), (other_key, other.id.0)));
    let list = list_name(&query, &search);
    if let Some(cursor) = &query.cursor {
        let (key, id): (SortKey, u32) = app.keys.cursors.open(&list, cursor)?;
        rows.retain(|(own, row)| compare(order, (own, row.id.0), (&key, GroupId(id))) == Ordering::Greater);
    }
    let next_cursor = match rows.get(limit - 1) {
        Some((key, row)) if rows.len() > limit => Some(app.keys.cursors.seal(&list, &(key, row.id.0.0))?),
        _ => None,
    };
    let data = rows.into_iter().take(limit).map(|(_, row)| row).collect();
    Ok(HttpResponse::Ok().json(CollectionsPage { data, next_cursor }))
}

/// Returns the row of one group.
///
/// # Errors
/// [`ErrorCode::UnknownCollection`].
#[utoipa::path(get, path = "/api/v1/collections/{name}", operation_id = "getCollection", tag = "market",
    params(("name" = String, Path, description = "Id or group slug")),
    responses((status = 200, body = Row), (status = 404, body = Problem)))]
pub async fn show(
    app: web::Data<App>,
    request: HttpRequest,
    name: web::Path<String>,
) -> Result<HttpResponse, ApiError> {
    app.take_read(&request)?;
    let unknown = || ApiError::plain(ErrorCode::UnknownCollection);
    let group = app.market.group_named(&name).ok_or_else(unknown)?;
    let row = app.market.row(group.id).ok_or_else(unknown)?;
    Ok(HttpResponse::Ok().json(row))
}

/// Missing values come last in both directions; equal values keep the order of listing.
fn compare(order: Order, one: (&SortKey, GroupId), other: (&SortKey, GroupId)) -> Ordering {
    let by_key = match (one.0.is_missing(), other.0.is_missing()) {
        (false, false) if order == Order::Desc => other.0.cmp(one.0),
        (false, false) => one.0.cmp(other.0),
        (one, other) => one.cmp(&other),
    };
    by_key.then(one.1.cmp(&other.1))
}

fn is_wanted(row: &Row, query: &CollectionsQuery, search: &str) -> bool {
    let category = match row.collateral_type {
        CollateralName::Inscription => Category::Ordinals,
        CollateralName::Rune => Category::Runes,
        CollateralName::Brc20 => Category::Brc20,
    };
    let quotes = |process: Process| process.quotes(row);
    let count = |process: Process| quotes(process).map_or(0, |quotes| quotes.offer_count);
    let offers = query.process.map_or_else(|| count(Process::Manual) + count(Process::Instant), count);
    let names = [&row.collection_name, &row.collection_symbol];
    query.category.is_none_or(|wanted| wanted == category)
        && query.process.is_none_or(|process| quotes(process).is_some())
        && query.has_offers.is_none_or(|wanted| wanted == (offers > 0))
        && (names.iter().any(|name| name.to_lowercase().contains(search)) || row.group_slug.as_str().contains(search))
}

/// The list that a cursor is valid for: the same filters and the same sorting.
fn list_name(query: &CollectionsQuery, search: &str) -> String {
    let filters = (query.category, query.process, query.has_offers, query.sort, query.order, search);
    format!("collections {}", serde_json::to_string(&filters).unwrap_or_default())
}
