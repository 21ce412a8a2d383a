//! `GET /api/v1/requests`: the borrow requests of all collections, or of one.

use actix_web::{HttpRequest, HttpResponse, web};
use engine::wire::RequestView;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::app::App;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;

/// The query.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct RequestsQuery {
    /// Id or slug of a collection; absent for all.
    collection: Option<String>,
}

/// Borrow requests.
#[derive(Serialize, ToSchema)]
pub struct RequestList {
    /// The requests, filled ones included until their loan starts. Those of one collection are ranked for lenders: lowest
    /// principal per unit first, then highest interest, then earliest; filled ones come last. Those of all collections are
    /// in the order of their ids.
    requests: Vec<RequestView>,
}

/// Returns the borrow requests: of all collections as the `requests` channel of the feed shows them, of one collection
/// as its book ranks them.
///
/// # Errors
/// [`ErrorCode::UnknownCollection`].
#[utoipa::path(get, path = "/api/v1/requests", operation_id = "listBorrowRequests", tag = "market", params(RequestsQuery),
    responses((status = 200, body = RequestList), (status = 404, body = Problem)))]
pub async fn list(
    app: web::Data<App>,
    request: HttpRequest,
    query: web::Query<RequestsQuery>,
) -> Result<HttpResponse, ApiError> {
    app.take_read(&request)?;
    let requests = match &query.collection {
        Some(name) => {
            let group = app.market.group_named(name).ok_or_else(|| ApiError::plain(ErrorCode::UnknownCollection))?;
            app.market.ranked_borrow_requests(group.id).await?
        }
        None => app.market.borrow_requests().iter().map(|request| RequestView::clone(request)).collect(),
    };
    Ok(HttpResponse::Ok().json(RequestList { requests }))
}
