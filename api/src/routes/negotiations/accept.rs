//! `POST /api/v1/negotiations/{negotiation_id}/accept`: one side accepts the proposal of the other.

use actix_web::{HttpResponse, web};
use domain::{Allowance, Command};
use engine::wire::NegotiationView;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{as_seen_by, parse_id};
use crate::app::App;
use crate::extract::write::Write;
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};

/// The proposal to accept.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct AcceptProposal {
    /// Its number, from 1: the number of proposals that the caller has seen.
    round: usize,
}

/// Accepts the latest proposal of the other side. It leads to an offer with its terms, `agreedOfferId`, that only the
/// borrower can take, within 12 hours; the lender counter-signs the loan.
///
/// # Errors
/// `unknown_negotiation`, `negotiation_over`, `proposal_replaced`,
/// `not_your_turn`, `request_filled`, `over_lending_limits`,
/// `lender_limited`, and the codes of the principal and the LTV, which the price may have moved.
#[utoipa::path(post, path = "/api/v1/negotiations/{negotiation_id}/accept", operation_id = "acceptProposal", tag = "negotiations",
    security(("session" = [])), params(("negotiation_id" = String, Path,)), request_body = AcceptProposal,
    responses((status = 201, body = NegotiationView), (status = 404, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
pub async fn accept(
    app: web::Data<App>,
    path: web::Path<String>,
    write: Write<AcceptProposal>,
) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let shared = app.clone();
    execution
        .once(&shared, async move {
            let negotiation = parse_id(&app, &path)?;
            let (user, round, allowance) = (caller.user(), body.round, Allowance::default());
            let command = Command::AcceptProposal { user, negotiation, round, allowance };
            app.market.command(negotiation.group(), command, None).await?;
            Answer::created(&as_seen_by(&app, user, negotiation).await?)
        })
        .await
}
