//! `/collection-images/{slug}.svg`: pictures that the server draws, as it does for a demo's collections.

use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpResponse, web};

use crate::app::App;
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;

/// Returns the picture of a simulated collection.
///
/// # Errors
/// [`ErrorCode::NotFound`] outside the demo and for unknown names.
pub async fn picture(app: web::Data<App>, file: web::Path<String>) -> Result<HttpResponse, ApiError> {
    let drawn = file.strip_suffix(".svg").and_then(|slug| app.emblems.as_ref()?(slug));
    let Some(picture) = drawn else {
        return Err(ApiError::plain(ErrorCode::NotFound));
    };
    let caching = (CACHE_CONTROL, "public, max-age=3600");
    Ok(HttpResponse::Ok().insert_header(caching).content_type("image/svg+xml").body(picture))
}
