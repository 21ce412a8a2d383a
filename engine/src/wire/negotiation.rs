//! A negotiation as one of its two sides sees it.

use domain::{
    GroupId, LoanId, Negotiation, NegotiationId, NegotiationState, NegotiationSubject, OfferId, Proposal, RequestId,
    Sats, UnixMs, UserId,
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::asset_index::InscriptionId;

use super::{AsString, Percent, RoleName};

/// The state of a negotiation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum NegotiationStateName {
    /// The latest proposal waits for the other side.
    Open,
    /// The latest proposal was accepted; the borrower can take the offer that it led to, or extend the loan.
    Accepted,
    /// The latest proposal was declined.
    Declined,
    /// The latest proposal was withdrawn.
    Withdrawn,
    /// The offer, the request or the loan that it is about left the book.
    Closed,
}

impl From<NegotiationState> for NegotiationStateName {
    fn from(state: NegotiationState) -> Self {
        match state {
            NegotiationState::Open => Self::Open,
            NegotiationState::Accepted(_) | NegotiationState::ExtensionAgreed => Self::Accepted,
            NegotiationState::Declined => Self::Declined,
            NegotiationState::Withdrawn => Self::Withdrawn,
            NegotiationState::Closed => Self::Closed,
        }
    }
}

/// Terms that one side proposed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProposalView {
    /// The side that made it.
    pub by: RoleName,
    /// The principal.
    #[schema(value_type = u64)]
    pub principal_amount_sats: Sats,
    /// The interest for the whole term.
    #[schema(value_type = f64)]
    pub interest_rate_percentage: Percent,
    /// The days until the loan is due.
    pub loan_term_days: u16,
    /// The time from which it cannot be accepted, in unix milliseconds.
    #[schema(value_type = u64)]
    pub good_until: UnixMs,
}

impl From<&Proposal> for ProposalView {
    fn from(proposal: &Proposal) -> Self {
        Self {
            by: proposal.by.into(),
            principal_amount_sats: proposal.terms.principal,
            interest_rate_percentage: proposal.terms.loan.interest.into(),
            loan_term_days: proposal.terms.loan.days.0,
            good_until: proposal.good_until,
        }
    }
}

/// A negotiation as one of its two sides sees it. It is hidden from others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NegotiationView {
    /// Its id.
    #[schema(value_type = String)]
    pub negotiation_id: AsString<NegotiationId>,
    /// The group in whose book it is.
    #[schema(value_type = String)]
    pub group_id: AsString<GroupId>,
    /// The offer that it began with; `null` if it is about a request or a loan.
    #[schema(value_type = Option<String>, required)]
    pub offer_id: Option<AsString<OfferId>>,
    /// The borrow request that it began with; `null` if it is about an offer or a loan.
    #[schema(value_type = Option<String>, required)]
    pub request_id: Option<AsString<RequestId>>,
    /// The running loan whose extension it is about; `null` if it is about an offer or a request.
    #[schema(value_type = Option<String>, required)]
    pub loan_id: Option<AsString<LoanId>>,
    /// The reader's side.
    pub role: RoleName,
    /// The other side.
    #[schema(value_type = String)]
    pub counterparty_id: AsString<UserId>,
    /// The inscription to pledge, or the first of several; `null` with tokens.
    #[schema(value_type = Option<String>, required)]
    pub inscription_id: Option<AsString<InscriptionId>>,
    /// All inscriptions to pledge together; empty with tokens.
    #[schema(value_type = Vec<String>)]
    pub inscription_ids: Vec<AsString<InscriptionId>>,
    /// The amount of tokens to pledge, in raw units; `null` with an inscription.
    #[schema(value_type = Option<String>, required)]
    pub fungible_amount: Option<AsString<u128>>,
    /// The proposals, oldest first; an answer names the latest one by its number, from 1.
    pub proposals: Vec<ProposalView>,
    /// The most proposals that it can have.
    pub rounds_max: usize,
    /// Its state.
    pub state: NegotiationStateName,
    /// Whether the reader is to answer.
    pub is_your_turn: bool,
    /// The offer that an accepted proposal led to, for the borrower to take; `null` without one.
    #[schema(value_type = Option<String>, required)]
    pub agreed_offer_id: Option<AsString<OfferId>>,
    /// The time at which one of the two sides last did something.
    #[schema(value_type = u64)]
    pub changed_at: UnixMs,
    /// The time from which it is not kept any more: that of the latest proposal, or the borrower's time to sign.
    #[schema(value_type = u64)]
    pub kept_until: UnixMs,
}

impl NegotiationView {
    /// The negotiation as a user sees it; `None` for anyone but its two sides.
    #[must_use]
    pub fn of(negotiation: &Negotiation, user: UserId) -> Option<Self> {
        let (loan, role) = (&negotiation.loan, negotiation.role_of(user)?);
        let (offer, request, extended) = match loan.subject {
            NegotiationSubject::Offer(offer) => (Some(AsString(offer)), None, None),
            NegotiationSubject::Request(request) => (None, Some(AsString(request)), None),
            NegotiationSubject::Loan(loan) => (None, None, Some(AsString(loan))),
        };
        let agreed = match negotiation.state {
            NegotiationState::Accepted(offer) => Some(AsString(offer)),
            _ => None,
        };
        let [lender, borrower] = negotiation.parties();
        let is_answered = negotiation.latest().is_none_or(|latest| latest.by == role);
        Some(Self {
            negotiation_id: AsString(negotiation.id),
            group_id: AsString(negotiation.id.group()),
            offer_id: offer,
            request_id: request,
            loan_id: extended,
            role: role.into(),
            counterparty_id: AsString(if user == lender { borrower } else { lender }),
            inscription_id: loan.inscriptions.first().map(|first| AsString((*first).into())),
            inscription_ids: loan.inscriptions.iter().map(|each| AsString((*each).into())).collect(),
            fungible_amount: loan.inscriptions.is_empty().then_some(AsString(loan.quantity.raw)),
            proposals: negotiation.proposals.iter().map(ProposalView::from).collect(),
            rounds_max: Negotiation::ROUNDS_MAX,
            state: negotiation.state.into(),
            is_your_turn: negotiation.is_open() && !is_answered,
            agreed_offer_id: agreed,
            changed_at: negotiation.changed_at,
            kept_until: negotiation.kept_until,
        })
    }
}
