//! The pages and files of the web app over HTTP.

use std::borrow::Cow;

use actix_web::http::Method;
use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, web};
use rust_embed::EmbeddedFile;

use crate::app::App;
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;
use crate::http::methods;
use crate::http::page_mark::Page;
use crate::share::collection_page;
use crate::share::link::{LinkTarget, PreviewQuery, feed_path};
use crate::share::preview::Side;
use crate::web_files::WebFiles;

const PAGE: &str = "index.html";
/// The page for kits, one file that works from disk.
const OFFLINE_KIT_PAGE: &str = "lienbook-kit.html";
/// The script that shows push messages. Its address never changes, and browsers ask for it again each time.
const SERVICE_WORKER: &str = "sw.js";
/// The header of the pages that a service worker may control.
const SERVICE_WORKER_ALLOWED: HeaderName = HeaderName::from_static("service-worker-allowed");
const HTML: &str = "text/html; charset=utf-8";

/// Proxies keep the page of a collection for some seconds. A browser asks again, so that it never has the page of an older
/// build, whose scripts are gone.
const SHORTLY: &str = "public, max-age=0, s-maxage=10";

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
    if let Some(file) = WebFiles::get(path).filter(|_| !path.is_empty()) {
        return Ok(respond(&request, path, file, &[]));
    }
    let is_screen = !path.rsplit('/').next().unwrap_or_default().contains('.');
    let page = WebFiles::get(PAGE).filter(|_| is_screen).ok_or_else(nothing)?;
    match collection_page(&app, &request, &page).await {
        Some(page) => Ok(page),
        None => Ok(respond(&request, PAGE, page, &[])),
    }
}

/// Returns the page of a link to a collection; one that says that there is none, if the link names another; and `None` for
/// other addresses.
async fn collection_page(app: &App, request: &HttpRequest, page: &EmbeddedFile) -> Option<HttpResponse> {
    let (side, query) = (Side::of_path(request.path())?, PreviewQuery::of(request.query_string()));
    let collection = query.collection.filter(|name| !name.is_empty())?;
    let page = std::str::from_utf8(&page.data).ok()?;
    let Some(target) = LinkTarget::find(&app.market, side, &collection, query.offer.as_deref()).await else {
        let mut response = HttpResponse::NotFound()
            .insert_header((header::CACHE_CONTROL, "no-cache"))
            .content_type(HTML)
            .body(collection_page::of_nothing(page));
        response.extensions_mut().insert(Page);
        return Some(response);
    };
    let (feed, link) = (feed_path(&target.row), request.uri().to_string());
    let page = collection_page::render(page, &target, &feed, &link, app.settings.network, &app.public_url);
    Some(HttpResponse::Ok().insert_header((header::CACHE_CONTROL, SHORTLY)).content_type(HTML).body(page))
}

/// Returns a file of the web app; `None` when it was not built. `variant` is what else distinguishes the response.
#[must_use]
pub fn file(request: &HttpRequest, path: &str, variant: &[u8]) -> Option<HttpResponse> {
    WebFiles::get(path).map(|file| respond(request, path, file, variant))
}

/// Returns the offline page for kits; `None` when the web app was not built.
#[must_use]
pub fn offline_kit_page() -> Option<Cow<'static, [u8]>> {
    WebFiles::get(OFFLINE_KIT_PAGE).map(|file| file.data)
}

fn respond(request: &HttpRequest, path: &str, file: EmbeddedFile, variant: &[u8]) -> HttpResponse {
    // The names of built assets change with their content, so they may be cached; everything else is revalidated.
    let caching = if path.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
    let mut tag = hex::encode(&file.metadata.sha256_hash()[..12]);
    if !variant.is_empty() {
        tag.push_str(&hex::encode(&blake3::hash(variant).as_bytes()[..4]));
    }
    let tag = format!("\"{tag}\"");
    let known = request.headers().get(header::IF_NONE_MATCH).map(HeaderValue::as_bytes);
    let mut response = if known == Some(tag.as_bytes()) { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response.insert_header((header::CACHE_CONTROL, caching)).insert_header((header::ETAG, tag.clone()));
    if path == SERVICE_WORKER {
        response.insert_header((SERVICE_WORKER_ALLOWED, "/"));
    }
    if known == Some(tag.as_bytes()) {
        return response.finish();
    }
    response.content_type(file.metadata.mimetype()).body(file.data.into_owned())
}
