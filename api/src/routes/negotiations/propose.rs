//! `POST /api/v1/negotiations/{negotiation_id}/proposals`: an answer to a proposal by another one.

use actix_web::{HttpResponse, web};
use domain::{Command, UnixMs};
use engine::wire::NegotiationView;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{as_seen_by, parse_id, terms};
use crate::app::App;
use crate::extract::write::Write;
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};

/// A counter-proposal.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct CounterProposal {
    /// The number of the proposal that is answered, from 1: the number of proposals that the caller has seen.
    round: usize,
    /// The proposed principal.
    principal_amount_sats: u64,
    /// The proposed interest for the whole term, in percent times 100.
    interest: u32,
    /// The proposed term, in days.
    term_days: u16,
    /// The time from which it cannot be accepted, in unix milliseconds, 10 minutes to 72 hours from now.
    good_until: u64,
}

/// Answers the latest proposal of the other side by another one. A negotiation has at most ten proposals.
///
/// # Errors
/// `unknown_negotiation`, `negotiation_over`, `proposal_replaced`,
/// `not_your_turn`, `too_many_rounds`, `terms_out_of_range`, and the codes of the
/// principal, the LTV and the time.
#[utoipa::path(post, path = "/api/v1/negotiations/{negotiation_id}/proposals", operation_id = "proposeTerms", tag = "negotiations",
    security(("session" = [])), params(("negotiation_id" = String, Path,)), request_body = CounterProposal,
    responses((status = 201, body = NegotiationView), (status = 404, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
pub async fn propose(
    app: web::Data<App>,
    path: web::Path<String>,
    write: Write<CounterProposal>,
) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let shared = app.clone();
    execution
        .once(&shared, async move {
            let negotiation = parse_id(&app, &path)?;
            let command = Command::Propose {
                user: caller.user(),
                negotiation,
                round: body.round,
                terms: terms(body.principal_amount_sats, body.interest, body.term_days),
                good_until: UnixMs(body.good_until),
            };
            app.market.command(negotiation.group(), command, None).await?;
            Answer::created(&as_seen_by(&app, caller.user(), negotiation).await?)
        })
        .await
}
