//! `/api/openapi.json` and `/api/docs`: the interface for programs, and a page to read it.

use actix_web::http::header::LOCATION;
use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use utoipa::OpenApi as _;
use utoipa_swagger_ui::{Config, SwaggerUi};

use crate::openapi::Description;

/// Where the description is.
const DESCRIPTION: &str = "/api/openapi.json";

/// Puts both at their addresses.
pub fn configure(config: &mut ServiceConfig) {
    config.service(web::resource("/api/docs").route(web::get().to(redirect))).service(
        SwaggerUi::new("/api/docs/{_:.*}").config(Config::from(DESCRIPTION)).url(DESCRIPTION, Description::openapi()),
    );
}

async fn redirect(_request: HttpRequest) -> HttpResponse {
    HttpResponse::PermanentRedirect().insert_header((LOCATION, "/api/docs/")).finish()
}
