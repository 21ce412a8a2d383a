//! The web app, embedded in the binary.

use actix_web::http::Method;
use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, web};
use rust_embed::{EmbeddedFile, RustEmbed};

use crate::app::App;
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;
use crate::http::methods;
use crate::share::head::{PreviewPaths, with_preview};
use crate::share::link::{LinkTarget, PreviewQuery, feed_path};
use crate::share::preview::Side;

/// The files of the built web app; none when it was not built.
#[derive(RustEmbed)]
#[folder = "../web/dist"]
#[allow_missing = true]
struct Files;

const PAGE: &str = "index.html";

const READS: [Method; 2] = [Method::GET, Method::HEAD];

/// Returns a file of the web app; for any other path that may be one of its screens, the app's page.
///
/// # Errors
/// [`ErrorCode::NotFound`] for other paths, so that a missing picture does not look like a page.
pub async fn serve(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let path = request.path().trim_start_matches('/');
    let nothing = || ApiError::new(ErrorCode::NotFound, "there is nothing at this address");
    if path.starts_with("api/") || path == "api" {
        return Err(nothing());
    }
    if !READS.contains(request.method()) {
        return Ok(methods::not_allowed(&READS));
    }
    if let Some(file) = Files::get(path).filter(|_| !path.is_empty()) {
        return Ok(respond(&request, path, file));
    }
    let is_screen = !path.rsplit('/').next().unwrap_or_default().contains('.');
    let page = Files::get(PAGE).filter(|_| is_screen).ok_or_else(nothing)?;
    match shared_page(&app, &request, &page).await {
        Some(page) => Ok(page),
        None => Ok(respond(&request, PAGE, page)),
    }
}

/// Returns the page of a link to a collection, with its preview.
async fn shared_page(app: &App, request: &HttpRequest, page: &EmbeddedFile) -> Option<HttpResponse> {
    let (side, address) = (Side::of_path(request.path())?, PreviewQuery::of(request.query_string()));
    let shared = LinkTarget::find(&app.market, side, address.collection.as_deref()?, address.offer.as_deref()).await?;
    let (page, link) = (std::str::from_utf8(&page.data).ok()?, request.uri().to_string());
    let (picture, feed) = (shared.picture_path(), feed_path(&shared.row));
    let paths = PreviewPaths { page: &link, picture: &picture, feed: &feed };
    let page = with_preview(page, &shared.preview, &app.public_url, paths);
    let caching = (header::CACHE_CONTROL, "no-cache");
    Some(HttpResponse::Ok().insert_header(caching).content_type("text/html; charset=utf-8").body(page))
}

fn respond(request: &HttpRequest, path: &str, file: EmbeddedFile) -> HttpResponse {
    // The names of built assets change with their content, so they may be cached; everything else is revalidated.
    let caching = if path.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
    let tag = format!("\"{}\"", hex::encode(&file.metadata.sha256_hash()[..12]));
    let known = request.headers().get(header::IF_NONE_MATCH).map(HeaderValue::as_bytes);
    let mut response = if known == Some(tag.as_bytes()) { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response.insert_header((header::CACHE_CONTROL, caching)).insert_header((header::ETAG, tag.clone()));
    if known == Some(tag.as_bytes()) {
        return response.finish();
    }
    response.content_type(file.metadata.mimetype()).body(file.data.into_owned())
}
