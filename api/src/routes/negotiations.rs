//! `/api/v1/negotiations`: the counter-offers of a lender and a borrower about one offer, borrow request or running loan.

pub mod accept;
pub mod end;
pub mod list;
pub mod open;
pub mod propose;

use actix_web::web::ServiceConfig;
use domain::{InterestRate, LoanTerms, NegotiationId, ProposedTerms, Sats, TermDays, UserId};
use engine::wire::NegotiationView;

use crate::app::App;
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;
use crate::http::methods::at;

/// Registers the resources at their paths.
pub(super) fn configure(config: &mut ServiceConfig) {
    config
        .service(at("/negotiations").read(list::list).post(open::open))
        .service(at("/negotiations/{negotiation_id}").delete(end::end))
        .service(at("/negotiations/{negotiation_id}/proposals").post(propose::propose))
        .service(at("/negotiations/{negotiation_id}/accept").post(accept::accept));
}

/// Parses the id of a negotiation in an existing group.
///
/// # Errors
/// [`ErrorCode::UnknownNegotiation`]: text that is not an id names no negotiation.
pub(super) fn parse_id(app: &App, text: &str) -> Result<NegotiationId, ApiError> {
    let id = text.parse().ok().filter(|id: &NegotiationId| app.market.group(id.group()).is_some());
    id.ok_or_else(|| ApiError::plain(ErrorCode::UnknownNegotiation))
}

/// The terms of a proposal.
const fn terms(principal_sats: u64, interest: u32, term_days: u16) -> ProposedTerms {
    let loan = LoanTerms { interest: InterestRate::from_basis_points(interest), days: TermDays(term_days) };
    ProposedTerms { principal: Sats::new(principal_sats), loan }
}

/// Returns a negotiation as one of its sides sees it, after a change.
///
/// # Errors
/// [`ErrorCode::UnknownNegotiation`] if it has ended and is not kept any more.
async fn as_seen_by(app: &App, user: UserId, id: NegotiationId) -> Result<NegotiationView, ApiError> {
    let found = app.market.negotiation(user, id).await?;
    found.ok_or_else(|| ApiError::plain(ErrorCode::UnknownNegotiation))
}
