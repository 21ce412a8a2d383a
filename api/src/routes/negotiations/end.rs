//! `DELETE /api/v1/negotiations/{negotiation_id}`: one side declines, or withdraws its own proposal.

use actix_web::{HttpResponse, web};
use domain::Command;

use super::parse_id;
use crate::app::App;
use crate::extract::signed_in::SignedIn;
use crate::http::api_error::{ApiError, Problem};

/// Ends a negotiation: the caller declines the latest proposal, or withdraws it if it is the caller's own.
///
/// # Errors
/// `unknown_negotiation`, `negotiation_over`.
#[utoipa::path(delete, path = "/api/v1/negotiations/{negotiation_id}", operation_id = "endNegotiation", tag = "negotiations",
    security(("session" = [])), params(("negotiation_id" = String, Path,)),
    responses((status = 204), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn end(app: web::Data<App>, caller: SignedIn, path: web::Path<String>) -> Result<HttpResponse, ApiError> {
    app.rates.writes.take(caller.user(), app.now())?;
    let negotiation = parse_id(&app, &path)?;
    let command = Command::EndNegotiation { user: caller.user(), negotiation };
    app.market.command(negotiation.group(), command, None).await?;
    Ok(HttpResponse::NoContent().finish())
}
