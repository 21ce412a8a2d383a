//! `/api/openapi.json` and `/api/docs`: the description of the HTTP API, and a page that shows it.

use std::sync::LazyLock;

use actix_web::http::Method;
use actix_web::http::header::{ContentType, LOCATION};
use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use utoipa::OpenApi as _;
use utoipa_swagger_ui::{Config, SwaggerUi};

use super::Description;
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;
use crate::http::methods::{at, not_allowed};

/// The path of the description.
const DESCRIPTION: &str = "/api/openapi.json";

/// Registers both at their paths.
pub fn configure(config: &mut ServiceConfig) {
    config
        .service(at("/api/docs").read(redirect))
        .service(at(DESCRIPTION).read(description))
        .service(SwaggerUi::new("/api/docs/{_:.*}").config(Config::from(DESCRIPTION)))
        // Swagger UI handles GET only; every other method falls through to this service.
        .service(web::resource("/api/docs/{_:.*}").to(async || not_allowed(&[Method::GET])));
}

async fn redirect(_request: HttpRequest) -> HttpResponse {
    HttpResponse::PermanentRedirect().insert_header((LOCATION, "/api/docs/")).finish()
}

async fn description() -> Result<HttpResponse, ApiError> {
    static TEXT: LazyLock<Option<String>> = LazyLock::new(|| Description::openapi().to_json().ok());
    let text = TEXT.as_deref().ok_or_else(|| ApiError::plain(ErrorCode::Internal))?;
    Ok(HttpResponse::Ok().content_type(ContentType::json()).body(text))
}
