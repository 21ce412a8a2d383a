//! `/api/v1/heads`: the published heads of the public log, signed.

use std::sync::Arc;

use ::public_log::{BookHead, HeadHash, PublishedHeads};
use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpRequest, HttpResponse, web};
use domain::UnixMs;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::app::App;
use crate::exports::heads_feed;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;
use crate::public_log;

/// The number of publications that one answer has at most.
pub const LIMIT_MAX: usize = 200;

/// The number of publications.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct HeadsQuery {
    /// The number of publications, from the latest one: 1 to 200.
    #[serde(default = "one")]
    #[param(default = 1)]
    limit: usize,
}

const fn one() -> usize {
    1
}

/// The published heads.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HeadList {
    /// The key that heads and receipts are verified with: the x coordinate of BIP 340, in hexadecimal digits.
    public_key: String,
    /// The publications, the latest first; empty until there is one.
    publications: Vec<Publication>,
}

/// One publication of heads.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Publication {
    /// The time of the publication.
    #[schema(value_type = u64)]
    at: UnixMs,
    /// A commit of the journal: everything that the heads contain is in it or in earlier ones.
    position: u64,
    /// The SHA-256 of this statement, by which its timestamp is asked for.
    #[schema(value_type = String)]
    digest: HeadHash,
    /// The SHA-256 of the statement that was published before; `null` in the first one.
    #[schema(value_type = Option<String>, required)]
    previous: Option<HeadHash>,
    /// The heads of all books.
    books: Vec<PublishedHead>,
    /// The statement and its signature, as `lienbook audit` reads them: both in base64url, with a dot between them.
    signed: String,
}

/// The published head of one book's log.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublishedHead {
    /// The slug of the collection.
    collection: String,
    /// The sequence of the last event.
    sequence: u64,
    /// The hash that commits to all events up to it.
    #[schema(value_type = String)]
    hash: HeadHash,
}

impl From<&public_log::Publication> for Publication {
    fn from(publication: &public_log::Publication) -> Self {
        let PublishedHeads { at, position, previous, books } = &publication.heads;
        let head = |head: &BookHead| PublishedHead {
            collection: head.slug.clone(),
            sequence: head.head.sequence,
            hash: head.head.hash,
        };
        Self {
            at: *at,
            position: *position,
            digest: publication.signed.digest(),
            previous: *previous,
            books: books.iter().map(head).collect(),
            signed: publication.signed.to_string(),
        }
    }
}

/// Returns the latest publications of heads, each signed and linked to the one before.
///
/// # Errors
/// [`ErrorCode::InvalidQuery`], [`ErrorCode::RateLimited`].
#[utoipa::path(get, path = "/api/v1/heads", operation_id = "listHeads", tag = "market", params(HeadsQuery),
    responses((status = 200, body = HeadList), (status = 400, body = Problem), (status = 429, body = Problem)))]
pub async fn list(
    app: web::Data<App>,
    request: HttpRequest,
    query: web::Query<HeadsQuery>,
) -> Result<HttpResponse, ApiError> {
    app.take_read(&request)?;
    if !(1..=LIMIT_MAX).contains(&query.limit) {
        return Err(ApiError::new(ErrorCode::InvalidQuery, format!("limit must be 1 to {LIMIT_MAX}")));
    }
    let latest = app.publications.latest(query.limit);
    let publications = latest.iter().map(|publication| Publication::from(&**publication)).collect();
    let public_key = app.public_log.public_key().to_string();
    Ok(HttpResponse::Ok().json(HeadList { public_key, publications }))
}

/// Returns the publications of heads as an Atom feed (RFC 4287), at most 50, newest first: the content of an entry is the
/// signed statement.
///
/// # Errors
/// [`crate::http::error_code::ErrorCode::RateLimited`].
#[utoipa::path(get, path = "/api/v1/heads.atom", operation_id = "getHeadsFeed", tag = "market",
    responses((status = 200, body = String, content_type = "application/atom+xml"), (status = 429, body = Problem)))]
pub async fn feed(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    app.take_read(&request)?;
    let latest = app.publications.latest(heads_feed::ENTRIES_MAX);
    let text = heads_feed::feed(&latest, &app.public_log.public_key(), &app.public_url, app.now());
    let caching = (CACHE_CONTROL, "public, max-age=60");
    Ok(HttpResponse::Ok().insert_header(caching).content_type(crate::exports::atom::MEDIA_TYPE).body(text))
}

/// Returns the OpenTimestamps proof about a publication, as far as the calendars have answered.
///
/// # Errors
/// [`ErrorCode::NotFound`] for a statement that was not submitted: one an hour is, and the ones before it are anchored with it.
#[utoipa::path(get, path = "/api/v1/heads/{digest}/timestamp", operation_id = "getHeadsTimestamp", tag = "market",
    params(("digest" = String, Path, description = "The SHA-256 of the signed statement, as the next one names it")),
    responses((status = 200, body = Vec<u8>, content_type = "application/vnd.opentimestamps.ots"),
        (status = 404, body = Problem), (status = 429, body = Problem)))]
pub async fn timestamp(
    app: web::Data<App>,
    request: HttpRequest,
    digest: web::Path<String>,
) -> Result<HttpResponse, ApiError> {
    app.take_read(&request)?;
    let not_found = || ApiError::plain(ErrorCode::NotFound);
    let digest: HeadHash = digest.parse().map_err(|_| not_found())?;
    let anchors = Arc::clone(&app.anchors);
    let read =
        web::block(move || anchors.read(digest)).await.map_err(|error| ApiError::new(ErrorCode::Internal, error))?;
    let proof = read.map_err(|error| ApiError::new(ErrorCode::Internal, error))?.ok_or_else(not_found)?;
    Ok(HttpResponse::Ok().content_type("application/vnd.opentimestamps.ots").body(proof))
}
