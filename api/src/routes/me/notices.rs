//! `/api/v1/me/notices`: the caller's recent notices.

use actix_web::{HttpResponse, web};
use engine::wire::NoticeView;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::extract::own_read::OwnRead;
use crate::http::api_error::{ApiError, Problem};

/// The latest notices.
#[derive(Serialize, ToSchema)]
pub struct Notices {
    /// Newest first, at most 100.
    data: Vec<NoticeView>,
}

/// Lists the caller's recent notices about loans and offers. A notice has the same id on the feed.
///
/// # Errors
/// [`crate::http::error_code::ErrorCode::Overloaded`], [`crate::http::error_code::ErrorCode::NotReady`].
#[utoipa::path(get, path = "/api/v1/me/notices", operation_id = "listMyNotices", tag = "loans", security(("session" = [])),
    responses((status = 200, body = Notices), (status = 401, body = Problem)))]
pub async fn list(app: web::Data<App>, OwnRead(caller): OwnRead) -> Result<HttpResponse, ApiError> {
    Ok(HttpResponse::Ok().json(Notices { data: app.market.my_notices(caller.user()).await? }))
}
