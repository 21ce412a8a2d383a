//! `DELETE /api/v1/negotiations/{negotiation_id}`: one side declines, or withdraws its own proposal.

use actix_web::{HttpRequest, HttpResponse, web};
use domain::Command;
use serde::Deserialize;
use utoipa::IntoParams;

use super::parse_id;
use crate::app::App;
use crate::extract::bodiless_write;
use crate::extract::signed_in::SignedIn;
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};

/// The query.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct EndQuery {
    /// The number of the latest proposal, from 1: the number of proposals that the caller has seen.
    round: usize,
}

/// Ends a negotiation: the caller declines the latest proposal, or withdraws it if it is the caller's own.
///
/// # Errors
/// `unknown_negotiation`, `negotiation_over`, and `proposal_replaced` when the other side has answered meanwhile.
#[utoipa::path(delete, path = "/api/v1/negotiations/{negotiation_id}", operation_id = "endNegotiation", tag = "negotiations",
    security(("session" = [])), params(("negotiation_id" = String, Path,), EndQuery),
    responses((status = 204), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn end(
    app: web::Data<App>,
    request: HttpRequest,
    caller: SignedIn,
    path: web::Path<String>,
    query: web::Query<EndQuery>,
) -> Result<HttpResponse, ApiError> {
    let work = async {
        let negotiation = parse_id(&app, &path)?;
        let command = Command::EndNegotiation { user: caller.user(), negotiation, round: query.round };
        app.market.command(negotiation.group(), command, None).await?;
        Ok(Answer::no_content())
    };
    bodiless_write::execute(&app, &request, &caller, work).await
}
