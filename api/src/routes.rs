//! The HTTP resources: a folder for each, with the paths in the file beside it.

pub mod brc20;
pub mod build;
pub mod chain;
pub mod collections;
pub mod delegations;
pub mod halts;
pub mod inscriptions;
pub mod loans;
pub mod me;
pub mod negotiations;
pub mod oembed;
pub mod offers;
pub mod operation;
mod party;
pub mod payments;
pub mod public_config;
pub mod published_heads;
pub mod requests;
pub mod session;
pub mod vaults;

use actix_web::web::{self, ServiceConfig};

use crate::feed::feed_route;
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;
use crate::http::methods::at;
use crate::http::request_limits::BODY_LENGTH_MAX;
use crate::{pages, web_app};

/// Registers every resource at its path.
pub fn configure(config: &mut ServiceConfig) {
    config
        .app_data(web::PayloadConfig::new(BODY_LENGTH_MAX))
        .app_data(web::QueryConfig::default().error_handler(|error, _| {
            ApiError::new(ErrorCode::InvalidQuery, error.to_string().chars().take(300).collect::<String>()).into()
        }))
        .app_data(web::PathConfig::default().error_handler(|_, _| ApiError::plain(ErrorCode::NotFound).into()))
        .service(web::scope("/api/v1").configure(version_one).default_service(web::to(no_such_resource)))
        .service(at("/api/instant/ordinals/offers").read(offers::ordinal_quotes::list))
        .service(at("/api/instant/runes/offers").read(offers::rune_quotes::list))
        .service(at("/collection-images/{file}").read(collections::images::picture))
        .service(at("/share-images/{side}/{file}").read(collections::share_images::picture))
        .configure(operation::configure)
        .configure(pages::configure)
        .default_service(web::to(web_app::serve));
}

fn version_one(config: &mut ServiceConfig) {
    config
        .service(at("/config").read(public_config::show))
        .service(at("/build").read(build::show))
        .service(at("/chain").read(chain::show))
        .service(at("/halts").read(halts::list))
        .service(at("/heads").read(published_heads::list))
        .service(at("/heads.atom").read(published_heads::feed))
        .service(at("/heads/{digest}/timestamp").read(published_heads::timestamp))
        .service(at("/inscriptions/{inscription_id}").read(inscriptions::show))
        .service(at("/oembed").read(oembed::show))
        .service(at("/feed").read(feed_route::open))
        .configure(collections::configure)
        .configure(session::configure)
        .configure(offers::configure)
        .configure(delegations::configure)
        .configure(requests::configure)
        .configure(negotiations::configure)
        .configure(loans::configure)
        .configure(vaults::configure)
        .configure(brc20::configure)
        .configure(me::configure);
}

/// Refuses a path that the API does not have.
///
/// # Errors
/// [`ErrorCode::NotFound`], always.
pub async fn no_such_resource() -> Result<actix_web::HttpResponse, ApiError> {
    Err(ApiError::plain(ErrorCode::NotFound))
}
