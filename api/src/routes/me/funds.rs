//! `/api/v1/me/funds`: the balance of the caller's payment address that can fund a manual loan.

use actix_web::{HttpResponse, web};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::extract::own_read::OwnRead;
use crate::http::api_error::{ApiError, Problem};
use crate::routes::party::party;

/// The caller's balance for manual loans.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnFunds {
    /// Sats on confirmed outputs of the payment address that carry nothing else and that no loan uses.
    free_sats: u64,
}

/// Returns the caller's balance for manual loans.
///
/// # Errors
/// The codes of wallet lookups, of the node and of indexers.
#[utoipa::path(get, path = "/api/v1/me/funds", operation_id = "getMyFunds", tag = "offers", security(("session" = [])),
    responses((status = 200, body = OwnFunds), (status = 401, body = Problem), (status = 503, body = Problem)))]
pub async fn show(app: web::Data<App>, OwnRead(caller): OwnRead) -> Result<HttpResponse, ApiError> {
    let lender = party(&app, &caller)?;
    let free = app.loan_service_for_lookups(caller.user())?.spendable(&lender).await?;
    Ok(HttpResponse::Ok().json(OwnFunds { free_sats: free.to_sat() }))
}
