//! `/api/v1/vaults/me/kit`: the file for the unilateral exit from the vault, without this server.

use actix_web::http::header::{ContentDisposition, DispositionParam, DispositionType};
use actix_web::{HttpResponse, web};

use crate::app::App;
use crate::extract::own_read::OwnRead;
use crate::http::api_error::{ApiError, Problem};

/// Returns the kit of the caller's vault; `lienbook kit exit` needs only it and a Bitcoin node.
///
/// # Errors
/// [`crate::http::error_code::ErrorCode::VaultNotFound`].
#[utoipa::path(get, path = "/api/v1/vaults/me/kit", operation_id = "downloadVaultKit", tag = "vault", security(("session" = [])),
    responses((status = 200, body = Object, description = "The kit, to be kept as a file"), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn download(app: web::Data<App>, OwnRead(lender): OwnRead) -> Result<HttpResponse, ApiError> {
    let kit = app.loan_service()?.vault_kit(lender.user()).await?;
    let name = format!("lienbook-vault-{}.json", lender.user());
    let disposition = ContentDisposition {
        disposition: DispositionType::Attachment,
        parameters: vec![DispositionParam::Filename(name)],
    };
    Ok(HttpResponse::Ok().content_type("application/json").insert_header(disposition).body(kit.write()))
}
