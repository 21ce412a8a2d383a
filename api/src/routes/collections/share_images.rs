//! `/share-images/{side}/{slug}.png`: the picture of a link to a collection, or to one of its offers.

use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpRequest, HttpResponse, web};

use crate::app::App;
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;
use crate::share::link::{LinkTarget, PreviewQuery};
use crate::share::preview::Side;

/// Returns the picture.
///
/// # Errors
/// [`ErrorCode::NotFound`] for another path, [`ErrorCode::UnknownCollection`], [`ErrorCode::RateLimited`].
pub async fn picture(
    app: web::Data<App>,
    request: HttpRequest,
    path: web::Path<(Side, String)>,
) -> Result<HttpResponse, ApiError> {
    app.take_read(&request)?;
    let (side, file) = path.into_inner();
    let slug = file.strip_suffix(".png").ok_or_else(|| ApiError::plain(ErrorCode::NotFound))?;
    let offer = PreviewQuery::of(request.query_string()).offer;
    let shared = LinkTarget::find(&app.market, side, slug, offer.as_deref()).await;
    let LinkTarget { subject, preview, row } = shared.ok_or_else(|| ApiError::plain(ErrorCode::UnknownCollection))?;
    let emblem = app.emblems.as_ref().and_then(|emblems| emblems(row.group_slug.as_str()));
    let picture = app.pictures.picture(subject, preview, emblem).await.map_err(|error| {
        tracing::error!(%error, "a shared link has no picture");
        ApiError::plain(ErrorCode::Internal)
    })?;
    let caching = (CACHE_CONTROL, "public, max-age=60");
    Ok(HttpResponse::Ok().insert_header(caching).content_type("image/png").body(picture))
}
