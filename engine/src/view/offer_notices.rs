//! The notices about offers, to lenders and to their named borrowers.

use domain::{Offer, TermChangeId, UserId};

use crate::{
    book_state::BookState,
    wire::{AsString, NoticeKind, NoticeView},
};

use super::terms;

/// The notice that an offer was paused for a reason other than its lender's command; `None` while it is not.
pub(crate) fn paused(state: &BookState, offer: &Offer) -> Option<NoticeView> {
    let at = state.notice_times.paused_since(offer.id)?;
    let kind = NoticeKind::OfferPaused;
    Some(NoticeView {
        id: format!("{}-{}-{}", offer.id, kind.name(), at.0),
        kind,
        at,
        collection_name: state.book.group().name.clone(),
        loan_id: None,
        role: None,
        offer_id: Some(AsString(offer.id)),
    })
}

/// The change of terms that an offer's lender may still accept, as long as it is only announced.
pub(crate) fn open_change(state: &BookState, offer: &Offer) -> Option<TermChangeId> {
    let sub = state.book.group().sub_collection(offer.sub_collection)?;
    let change = terms::open_request(&state.book, sub, offer)?;
    (!change.has_term_change_passed).then_some(change.new_term_id.0)
}

/// The notice that the terms of an offer change; the same for all offers of a sub-collection.
pub(crate) fn term_change(state: &BookState, offer: &Offer) -> Option<NoticeView> {
    let change = open_change(state, offer)?;
    let at = state.notice_times.announced_at(offer.sub_collection, change)?;
    let (kind, group) = (NoticeKind::TermChange, state.book.group());
    Some(NoticeView {
        id: format!("{}-{change}-{}", group.id, kind.name()),
        kind,
        at,
        collection_name: group.name.clone(),
        loan_id: None,
        role: None,
        offer_id: Some(AsString(offer.id)),
    })
}

/// All notices of a lender about offers in one book, in no particular order.
pub(crate) fn offer_notices(state: &BookState, lender: UserId) -> Vec<NoticeView> {
    let mut notices: Vec<NoticeView> = Vec::new();
    for offer in state.book.offers_of(lender) {
        notices.extend(paused(state, offer));
        let change = term_change(state, offer);
        notices.extend(change.filter(|change| notices.iter().all(|known| known.id != change.id)));
    }
    notices
}

/// The notice to the named borrower of an offer; `None` if the borrower negotiated it, which has notices of its own.
pub(crate) fn for_borrower(state: &BookState, offer: &Offer) -> Option<NoticeView> {
    let is_filled = state.book.request_filled_by(offer.id).is_some();
    let kind = if is_filled { NoticeKind::RequestFilled } else { NoticeKind::OfferForYou };
    (!state.book.is_agreed(offer.id)).then(|| NoticeView {
        id: format!("{}-{}", offer.id, kind.name()),
        kind,
        at: offer.created_at,
        collection_name: state.book.group().name.clone(),
        loan_id: None,
        role: None,
        offer_id: Some(AsString(offer.id)),
    })
}

/// The notice of a borrower about the latest offer in one book that can be taken now: many offers must not hide other
/// notices.
pub(crate) fn notice_for_borrower(state: &BookState, borrower: UserId) -> Option<NoticeView> {
    let open = state.book.offers_for(borrower).filter(|offer| offer.is_open());
    open.filter_map(|offer| for_borrower(state, offer)).last()
}
