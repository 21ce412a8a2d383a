//! The resources, one file each.

pub mod accept_term;
pub mod account_nonce;
pub mod collection_images;
pub mod collections;
pub mod docs;
pub mod feed_ticket;
pub mod health;
pub mod instant_cancellations;
pub mod instant_edits;
pub mod instant_offers;
pub mod instant_ordinal_quotes;
pub mod manual_offers;
pub mod manual_terms;
pub mod metrics;
pub mod offer_results;
pub mod offers;
pub mod order_book;
pub mod price_history;
pub mod public_config;
pub mod row_order;
pub mod session;
pub mod session_nonce;
pub mod signed_batch;
pub mod signed_terms;
pub mod vault;

use actix_web::web::{self, ServiceConfig};
use actix_web::{Route, guard};

use crate::feed::feed_route;
use crate::http::api_error::ApiError;
use crate::http::body::BODY_LENGTH_MAX;
use crate::http::error_code::ErrorCode;
use crate::web_app;

/// Puts every resource at its address.
pub fn configure(config: &mut ServiceConfig) {
    config
        .app_data(web::PayloadConfig::new(BODY_LENGTH_MAX))
        .app_data(web::QueryConfig::default().error_handler(|error, _| {
            ApiError::new(ErrorCode::InvalidQuery, error.to_string().chars().take(300).collect::<String>()).into()
        }))
        .app_data(web::PathConfig::default().error_handler(|_, _| ApiError::plain(ErrorCode::NotFound).into()))
        .service(web::scope("/api/v1").configure(version_one).default_service(web::to(no_such_resource)))
        .service(at("/api/instant/ordinals/offers").route(read().to(instant_ordinal_quotes::list)))
        .configure(docs::configure)
        .service(at("/health/live").route(read().to(health::live)))
        .service(at("/health/ready").route(read().to(health::ready)))
        .service(at("/metrics").route(read().to(metrics::page)))
        .service(at("/collection-images/{file}").route(read().to(collection_images::picture)))
        .default_service(web::to(web_app::serve));
}

fn version_one(config: &mut ServiceConfig) {
    config
        .service(at("/config").route(read().to(public_config::show)))
        .service(at("/collections").route(read().to(collections::list)))
        .service(at("/collections/{name}").route(read().to(collections::show)))
        .service(at("/collections/{name}/orderbook").route(read().to(order_book::show)))
        .service(at("/collections/{name}/price-history").route(read().to(price_history::show)))
        .service(at("/session/nonce").route(web::post().to(session_nonce::issue)))
        .service(
            at("/session")
                .route(web::post().to(session::sign_in))
                .route(read().to(session::show))
                .route(web::delete().to(session::sign_out)),
        )
        .service(at("/session/refresh").route(web::post().to(session::refresh)))
        .service(at("/account/nonce").route(web::post().to(account_nonce::issue)))
        .service(at("/offers").route(read().to(offers::list)))
        .service(at("/offers/pause").route(web::post().to(offers::pause)))
        .service(at("/offers/resume").route(web::post().to(offers::resume)))
        .service(at("/offers/manual").route(web::post().to(manual_offers::create)))
        .service(at("/offers/manual/cancel").route(web::post().to(manual_offers::cancel)))
        .service(at("/offers/manual/{offer_id}").route(web::patch().to(manual_offers::edit)))
        .service(at("/offers/instant/ordinals").route(web::post().to(instant_offers::create_ordinal)))
        .service(at("/offers/instant/runes").route(web::post().to(instant_offers::create_rune)))
        .service(at("/offers/instant/batch-edit").route(web::post().to(instant_edits::edit)))
        .service(at("/offers/instant/batch-cancel").route(web::post().to(instant_cancellations::cancel_batch)))
        .service(at("/offers/instant/accept-term").route(web::post().to(accept_term::accept)))
        .service(
            at("/offers/instant/{kind}/{offer_id}/cancel").route(web::post().to(instant_cancellations::cancel_one)),
        )
        .service(at("/vault").route(read().to(vault::show)))
        .service(at("/feed").route(read().to(feed_route::open)))
        .service(at("/feed/ticket").route(web::post().to(feed_ticket::issue)));
}

/// Reads, by GET or, without the body, by HEAD.
fn read() -> Route {
    web::route().guard(guard::Any(guard::Get()).or(guard::Head()))
}

/// A resource that refuses methods it does not have with a code of the table.
fn at(path: &str) -> actix_web::Resource {
    web::resource(path.to_owned()).default_service(web::to(no_such_method))
}

async fn no_such_method() -> Result<actix_web::HttpResponse, ApiError> {
    Err(ApiError::plain(ErrorCode::MethodNotAllowed))
}

async fn no_such_resource() -> Result<actix_web::HttpResponse, ApiError> {
    Err(ApiError::plain(ErrorCode::NotFound))
}
