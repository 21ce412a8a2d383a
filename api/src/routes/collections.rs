//! `/api/v1/collections`: the market, one row for each collection, with its order book and prices; and pictures.

pub mod activity;
pub mod backtest;
pub mod images;
pub mod log;
pub mod order_book;
pub mod price_history;
pub mod price_source;
pub mod quote;
pub mod row_order;
pub mod rows;
pub mod share_images;

use std::sync::Arc;

use actix_web::HttpRequest;
use actix_web::web::ServiceConfig;
use domain::CollectionGroup;

use crate::app::App;
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;
use crate::http::methods::at;

/// Registers the resources at their paths.
pub(super) fn configure(config: &mut ServiceConfig) {
    config
        .service(at("/collections").read(rows::list))
        .service(at("/collections/{name}").read(rows::show))
        .service(at("/collections/{name}/activity.atom").read(activity::feed))
        .service(at("/collections/{name}/backtest").read(backtest::show))
        .service(at("/collections/{name}/log").read(log::read))
        .service(at("/collections/{name}/orderbook").read(order_book::show))
        .service(at("/collections/{name}/price-history").read(price_history::show))
        .service(at("/collections/{name}/price-source").read(price_source::show))
        .service(at("/collections/{name}/quote").read(quote::show));
}

/// Counts a public read, and returns the collection with this id or slug.
///
/// # Errors
/// [`ErrorCode::RateLimited`], [`ErrorCode::UnknownCollection`].
fn read_of(app: &App, request: &HttpRequest, name: &str) -> Result<Arc<CollectionGroup>, ApiError> {
    app.take_read(request)?;
    app.market.group_named(name).ok_or_else(|| ApiError::plain(ErrorCode::UnknownCollection))
}
