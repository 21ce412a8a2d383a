//! `/api/openapi.json`, `/api/asyncapi.json` and `/api/docs`: the descriptions of the HTTP API and of the feed, and a page
//! that shows the first.

use std::sync::LazyLock;

use actix_web::http::Method;
use actix_web::http::header::{ContentType, LOCATION};
use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use utoipa::OpenApi as _;
use utoipa_swagger_ui::{Config, SwaggerUi};

use super::Description;
use crate::asyncapi;
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;
use crate::http::methods::{at, not_allowed};

/// The path of the description.
const DESCRIPTION: &str = "/api/openapi.json";

/// The path of the description of the feed.
const FEED_DESCRIPTION: &str = "/api/asyncapi.json";

/// Registers them at their paths.
pub fn configure(config: &mut ServiceConfig) {
    config
        .service(at("/api/docs").read(redirect))
        .service(at(DESCRIPTION).read(description))
        .service(at(FEED_DESCRIPTION).read(feed_description))
        .service(SwaggerUi::new("/api/docs/{_:.*}").config(Config::from(DESCRIPTION)))
        // Swagger UI handles GET only; every other method falls through to this service.
        .service(web::resource("/api/docs/{_:.*}").to(async || not_allowed(&[Method::GET])));
}

async fn redirect(_request: HttpRequest) -> HttpResponse {
    HttpResponse::PermanentRedirect().insert_header((LOCATION, "/api/docs/")).finish()
}

async fn feed_description() -> HttpResponse {
    static TEXT: LazyLock<String> = LazyLock::new(|| asyncapi::document().to_string());
    HttpResponse::Ok().content_type(ContentType::json()).body(TEXT.as_str())
}

async fn description() -> Result<HttpResponse, ApiError> {
    static TEXT: LazyLock<Option<String>> = LazyLock::new(|| Description::openapi().to_json().ok());
    let text = TEXT.as_deref().ok_or_else(|| ApiError::plain(ErrorCode::Internal))?;
    Ok(HttpResponse::Ok().content_type(ContentType::json()).body(text))
}
