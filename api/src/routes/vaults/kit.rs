//! `/api/v1/vaults/me/kit`: the file for the unilateral exit from the vault, or from one before a move, without this server.

use actix_web::http::header::{ContentDisposition, DispositionParam, DispositionType};
use actix_web::{HttpResponse, web};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::app::App;
use crate::extract::own_read::OwnRead;
use crate::http::api_error::{ApiError, Problem};

/// The query.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct KitQuery {
    /// The address of a vault that the caller has moved away from; by default the kit is of the present one.
    address: Option<String>,
}

/// Returns the kit of the caller's vault; `lienbook kit exit` needs only it and a Bitcoin node.
///
/// # Errors
/// [`crate::http::error_code::ErrorCode::VaultNotFound`].
#[utoipa::path(get, path = "/api/v1/vaults/me/kit", operation_id = "downloadVaultKit", tag = "vault", security(("session" = [])), params(KitQuery),
    responses((status = 200, body = Object, description = "The kit, to be kept as a file"), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn download(
    app: web::Data<App>,
    OwnRead(lender): OwnRead,
    query: web::Query<KitQuery>,
) -> Result<HttpResponse, ApiError> {
    let service = app.loan_service()?;
    let kit = match &query.address {
        None => service.vault_kit(lender.user()).await?,
        Some(address) => service.previous_vault_kit(lender.user(), address).await?,
    };
    let name = format!("lienbook-vault-{}.json", lender.user());
    let disposition = ContentDisposition {
        disposition: DispositionType::Attachment,
        parameters: vec![DispositionParam::Filename(name)],
    };
    Ok(HttpResponse::Ok().content_type("application/json").insert_header(disposition).body(kit.write()))
}
