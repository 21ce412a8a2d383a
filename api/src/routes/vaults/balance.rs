//! `/api/v1/vault`: the caller's pre-funded vault.

use actix_web::{HttpResponse, web};
use engine::wire::VaultView;

use crate::app::App;
use crate::extract::own_read::OwnRead;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;

/// Returns the caller's vault.
///
/// # Errors
/// [`ErrorCode::VaultNotFound`] until the vault was credited for the first time.
#[utoipa::path(get, path = "/api/v1/vault", operation_id = "getVault", tag = "vault", security(("session" = [])),
    responses((status = 200, body = VaultView), (status = 404, body = Problem)))]
pub async fn show(app: web::Data<App>, OwnRead(lender): OwnRead) -> Result<HttpResponse, ApiError> {
    match app.market.vault(lender.user()).await {
        Some(vault) => Ok(HttpResponse::Ok().json(vault)),
        None => Err(ApiError::plain(ErrorCode::VaultNotFound)),
    }
}
