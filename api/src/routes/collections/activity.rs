//! `/api/v1/collections/{name}/activity.atom`: the newest offers and loans of a collection, for feed readers.

use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpRequest, HttpResponse, web};

use super::read_of;
use crate::app::App;
use crate::exports::atom;
use crate::http::api_error::{ApiError, Problem};
use crate::share::link::feed_path;

/// Returns the newest offers and loans of a collection as an Atom feed (RFC 4287), at most 50, newest first. It is enough
/// to ask once a minute.
///
/// # Errors
/// [`crate::http::error_code::ErrorCode::UnknownCollection`].
#[utoipa::path(get, path = "/api/v1/collections/{name}/activity.atom", operation_id = "getActivityFeed", tag = "market",
    params(("name" = String, Path, description = "Id or group slug")),
    responses((status = 200, body = String, content_type = "application/atom+xml"), (status = 404, body = Problem)))]
pub async fn feed(
    app: web::Data<App>,
    request: HttpRequest,
    name: web::Path<String>,
) -> Result<HttpResponse, ApiError> {
    let group = read_of(&app, &request, &name)?;
    let book = app.market.book(group.id).await?;
    let text = atom::feed(&book, &app.public_url, &feed_path(&book.row), app.now());
    let caching = (CACHE_CONTROL, "public, max-age=60");
    Ok(HttpResponse::Ok().insert_header(caching).content_type(atom::MEDIA_TYPE).body(text))
}
