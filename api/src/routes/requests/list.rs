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
    /// The requests, the oldest of each collection first, filled ones included until their loan starts.
    requests: Vec<RequestView>,
}

/// Returns the borrow requests, as of the `requests` channel of the feed.
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
    app.rates.reads.take(app.client_ip(&request), app.now())?;
    let group = match &query.collection {
        Some(name) => {
            let group = app.market.group_named(name);
            Some(group.ok_or_else(|| ApiError::plain(ErrorCode::UnknownCollection))?.id)
        }
        None => None,
    };
    let all = app.market.borrow_requests();
    let listed = all.iter().filter(|request| group.is_none_or(|group| request.group_id.0 == group));
    Ok(HttpResponse::Ok().json(RequestList { requests: listed.map(|request| RequestView::clone(request)).collect() }))
}
