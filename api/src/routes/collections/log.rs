//! `/api/v1/collections/{name}/log`: the public log of a collection's order book.

use std::sync::Arc;

use actix_web::http::header::{CACHE_CONTROL, HeaderName};
use actix_web::{HttpRequest, HttpResponse, web};
use domain::GroupId;
use futures_util::stream;
use serde::Deserialize;
use utoipa::IntoParams;

use super::read_of;
use crate::app::App;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;
use crate::public_log::{PAGE_ENTRIES, PublicLog};

/// The media type of JSON lines.
const MEDIA_TYPE: &str = "application/jsonl";

/// The header with the sequence and the hash of the log's head.
const HEAD: HeaderName = HeaderName::from_static("lienbook-log-head");

/// The part of a log.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LogQuery {
    /// A page of 1,000 events, from 0; all of them without it. Page 0 begins with the first line of the log.
    page: Option<u32>,
}

/// Returns the public log of a collection's order book: what happened in it, in order, without names. One JSON object in each
/// line; the first one is the collection as it was listed. `lienbook audit` verifies it, with heads and receipts.
///
/// # Errors
/// [`ErrorCode::UnknownCollection`], [`ErrorCode::NotFound`] for a page beyond the end.
#[utoipa::path(get, path = "/api/v1/collections/{name}/log", operation_id = "getPublicLog", tag = "market",
    params(("name" = String, Path, description = "Id or group slug"), LogQuery),
    responses((status = 200, body = String, content_type = "application/jsonl"), (status = 404, body = Problem),
        (status = 429, body = Problem)))]
pub async fn read(
    app: web::Data<App>,
    request: HttpRequest,
    name: web::Path<String>,
    query: web::Query<LogQuery>,
) -> Result<HttpResponse, ApiError> {
    let book = read_of(&app, &request, &name)?.id;
    let log = Arc::clone(&app.public_log);
    let head = log.head(book).ok_or_else(|| ApiError::plain(ErrorCode::Overloaded))?;
    let mut response = HttpResponse::Ok();
    response.content_type(MEDIA_TYPE).insert_header((HEAD, format!("{} {}", head.sequence, head.hash)));
    if let Some(page) = query.page {
        let page = u64::from(page);
        let text = page_text(log, book, page).await?.ok_or_else(|| ApiError::plain(ErrorCode::NotFound))?;
        let end = page.checked_add(1).and_then(|next| next.checked_mul(PAGE_ENTRIES));
        if end.is_some_and(|end| end <= head.sequence) {
            response.insert_header((CACHE_CONTROL, "public, max-age=31536000, immutable"));
        }
        return Ok(response.body(text));
    }
    let pages = stream::try_unfold((log, 0), move |(log, page)| async move {
        let text = page_text(Arc::clone(&log), book, page).await?;
        Ok::<_, ApiError>(text.map(|text| (web::Bytes::from(text), (log, page + 1))))
    });
    Ok(response.streaming(pages))
}

/// The lines of a page; `None` beyond the end of the log.
async fn page_text(log: Arc<PublicLog>, book: GroupId, page: u64) -> Result<Option<Vec<u8>>, ApiError> {
    let read = web::block(move || {
        let Some(lines) = log.page(book, page)? else { return Ok(None) };
        let first = (page == 0).then(|| log.first_line(book)).flatten();
        let mut text = Vec::new();
        for line in first.into_iter().chain(lines) {
            text.extend(line);
            text.push(b'\n');
        }
        Ok::<_, engine::journal::ReplayError>(Some(text))
    });
    let failed = |error: &dyn std::fmt::Display| ApiError::new(ErrorCode::Internal, error);
    read.await.map_err(|error| failed(&error))?.map_err(|error| failed(&error))
}
