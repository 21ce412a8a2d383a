//! `POST /api/v1/negotiations/{negotiation_id}/accept`: one side accepts the proposal of the other.

use actix_web::{HttpResponse, web};
use domain::{Allowance, Command, NegotiationId, TermDays, UserId};
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
/// borrower can take, within 12 hours; the lender counter-signs the loan. About a running loan it leads to the terms of an
/// extension, which the borrower prepares within 12 hours.
///
/// # Errors
/// `unknown_negotiation`, `negotiation_over`, `proposal_replaced`,
/// `not_your_turn`, `request_filled`, `over_lending_limits`,
/// `lender_limited`, `collateral_gone`, `loan_stage`, `not_extendable`, `too_many_offers` of the lender, and the codes of the principal and the LTV, which
/// the price may have moved.
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
            check_subject(&app, caller.user(), negotiation).await?;
            let (user, round, allowance) = (caller.user(), body.round, Allowance::default());
            let command = Command::AcceptProposal { user, negotiation, round, allowance };
            app.market.command(negotiation.group(), command, None).await?;
            Answer::created(&as_seen_by(&app, user, negotiation).await?)
        })
        .await
}

/// Checks that the borrower of a request still holds the collateral, before an accepted proposal fills it, and that a loan
/// can still be extended on the terms of a proposal.
async fn check_subject(app: &App, user: UserId, id: NegotiationId) -> Result<(), ApiError> {
    let negotiation = as_seen_by(app, user, id).await?;
    if let (Some(loan), Some(latest)) = (negotiation.loan_id, negotiation.proposals.last()) {
        let days = TermDays(latest.loan_term_days);
        app.loan_service_for_lookups(user)?.extendable_loan(user, loan.0, days).await?;
        return Ok(());
    }
    let Some(request) = negotiation.request_id else { return Ok(()) };
    let Some(request) = app.market.request_terms(request.0).await? else { return Ok(()) };
    let Some(group) = app.market.group(id.group()) else { return Ok(()) };
    Ok(app.loan_service_for_lookups(user)?.check_collateral_to_fill(&request, &group).await?)
}
