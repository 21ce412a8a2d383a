//! Negotiations and the notices about them, for their two sides.

use domain::{Negotiation, NegotiationState, NegotiationSubject, OrderBook, UserId};

use crate::{
    book_state::BookState,
    wire::{AsString, NegotiationView, NoticeKind, NoticeView},
};

/// The most notices about negotiations in one book.
const NOTICES_MAX: usize = 5;

/// The negotiations of a user in one book, by id.
pub(crate) fn of_user(book: &OrderBook, user: UserId) -> Vec<NegotiationView> {
    book.negotiations_of(user).filter_map(|negotiation| NegotiationView::of(negotiation, user)).collect()
}

/// The latest notices of a user about the negotiations in one book: many counter-offers must not hide other notices.
pub(crate) fn notices(state: &BookState, user: UserId) -> Vec<NoticeView> {
    let of_user = state.book.negotiations_of(user);
    let mut notices: Vec<_> = of_user.filter_map(|negotiation| notice(state, negotiation, user)).collect();
    notices.sort_unstable_by_key(|notice| std::cmp::Reverse(notice.at));
    notices.truncate(NOTICES_MAX);
    notices
}

/// The notice of a user about a negotiation: a proposal to answer, or the answer to the user's own.
pub(crate) fn notice(state: &BookState, negotiation: &Negotiation, user: UserId) -> Option<NoticeView> {
    let (latest, role) = (negotiation.latest()?, negotiation.role_of(user)?);
    let (kind, offer) = match negotiation.state {
        NegotiationState::Open if latest.by != role => (NoticeKind::CounterOffer, None),
        NegotiationState::Accepted(offer) if latest.by == role => (NoticeKind::CounterOfferAccepted, Some(offer)),
        NegotiationState::ExtensionAgreed if latest.by == role => (NoticeKind::CounterOfferAccepted, None),
        NegotiationState::Declined if latest.by == role => (NoticeKind::CounterOfferDeclined, None),
        _ => return None,
    };
    let loan_id = match negotiation.loan.subject {
        NegotiationSubject::Loan(loan) => Some(AsString(loan)),
        NegotiationSubject::Offer(_) | NegotiationSubject::Request(_) => None,
    };
    Some(NoticeView {
        id: format!("{}-{}-{}", negotiation.id, negotiation.proposals.len(), kind.name()),
        kind,
        at: negotiation.changed_at,
        collection_name: state.book.group().name.clone(),
        loan_id,
        role: Some(role.into()),
        offer_id: offer.map(AsString),
    })
}
