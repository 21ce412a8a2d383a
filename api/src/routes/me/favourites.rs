//! `/api/v1/me/favourites`: the caller's favourite collections.

use actix_web::{HttpResponse, web};
use domain::GroupId;
use engine::wire::AsString;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::extract::own_read::OwnRead;
use crate::extract::signed_in::SignedIn;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;

/// The caller's favourites.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Favourites {
    /// The ids of the collections, in the order of listing.
    #[schema(value_type = Vec<String>)]
    collection_ids: Vec<AsString<GroupId>>,
}

/// Lists the caller's favourite collections.
#[utoipa::path(get, path = "/api/v1/me/favourites", operation_id = "listMyFavourites", tag = "market", security(("session" = [])),
    responses((status = 200, body = Favourites), (status = 401, body = Problem)))]
pub async fn list(app: web::Data<App>, OwnRead(caller): OwnRead) -> HttpResponse {
    answer(app.market.favourites(caller.user()).await)
}

/// Adds a favourite collection. A repeated request changes nothing.
///
/// # Errors
/// [`ErrorCode::UnknownCollection`], [`ErrorCode::TooManyFavourites`].
#[utoipa::path(put, path = "/api/v1/me/favourites/{collection_id}", operation_id = "addMyFavourite", tag = "market", security(("session" = [])),
    params(("collection_id" = String, Path, description = "Id or group slug")),
    responses((status = 200, body = Favourites), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn add(
    app: web::Data<App>,
    caller: SignedIn,
    collection_id: web::Path<String>,
) -> Result<HttpResponse, ApiError> {
    set(&app, &caller, &collection_id, true).await
}

/// Removes a favourite collection. A repeated request changes nothing.
///
/// # Errors
/// [`ErrorCode::UnknownCollection`].
#[utoipa::path(delete, path = "/api/v1/me/favourites/{collection_id}", operation_id = "removeMyFavourite", tag = "market", security(("session" = [])),
    params(("collection_id" = String, Path, description = "Id or group slug")),
    responses((status = 200, body = Favourites), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn remove(
    app: web::Data<App>,
    caller: SignedIn,
    collection_id: web::Path<String>,
) -> Result<HttpResponse, ApiError> {
    set(&app, &caller, &collection_id, false).await
}

async fn set(app: &App, caller: &SignedIn, name: &str, is_favourite: bool) -> Result<HttpResponse, ApiError> {
    caller.take_write(app)?;
    let group = app.market.group_named(name).ok_or_else(|| ApiError::plain(ErrorCode::UnknownCollection))?;
    Ok(answer(app.market.set_favourite(caller.user(), group.id, is_favourite).await?))
}

fn answer(favourites: Vec<GroupId>) -> HttpResponse {
    HttpResponse::Ok().json(Favourites { collection_ids: favourites.into_iter().map(AsString).collect() })
}
