//! `/api/v1/collections`: the market, one row for each collection, with its order book and prices; and pictures.

pub mod activity;
pub mod images;
pub mod order_book;
pub mod price_history;
pub mod price_source;
pub mod row_order;
pub mod rows;
pub mod share_images;

use actix_web::web::ServiceConfig;

use crate::http::methods::at;

/// Registers the resources at their paths.
pub(super) fn configure(config: &mut ServiceConfig) {
    config
        .service(at("/collections").read(rows::list))
        .service(at("/collections/{name}").read(rows::show))
        .service(at("/collections/{name}/activity.atom").read(activity::feed))
        .service(at("/collections/{name}/orderbook").read(order_book::show))
        .service(at("/collections/{name}/price-history").read(price_history::show))
        .service(at("/collections/{name}/price-source").read(price_source::show));
}
