//! Views of terms and their changes.

use domain::{EffectiveChange, Offer, OrderBook, PauseReasons, ProcessType, SubCollection, TermChange};

use crate::wire::{AsString, CollectionType, Percent, SubCollectionView, TermChangeView};

use super::collateral;

fn announced(sub: &SubCollection, change: &TermChange) -> TermChangeView {
    TermChangeView {
        new_term_id: AsString(change.id),
        previous_interest_rate: sub.interest.into(),
        new_interest_rate: change.interest.into(),
        previous_days: sub.term.0,
        new_days: change.term.0,
        change_date: change.change_at,
        has_term_change_passed: false,
    }
}

fn effective(passed: &EffectiveChange) -> TermChangeView {
    TermChangeView {
        new_term_id: AsString(passed.change.id),
        previous_interest_rate: passed.previous_interest.into(),
        new_interest_rate: passed.change.interest.into(),
        previous_days: passed.previous_term.0,
        new_days: passed.change.term.0,
        change_date: passed.change.change_at,
        has_term_change_passed: true,
    }
}

/// The view of a sub-collection with its announced change, or else its latest.
pub(super) fn sub_collection(book: &OrderBook, sub: &SubCollection) -> SubCollectionView {
    let change = book.announced_change(sub.id).map(|change| announced(sub, change));
    SubCollectionView {
        id: AsString(sub.id.0),
        slug: sub.slug.clone(),
        term: sub.term.0,
        interest: sub.interest.into(),
        apy: Percent::apy(sub.interest, sub.term),
        bundle_size: collateral::bundle_size(sub),
        manual: sub.manual,
        instant: sub.instant,
        collection_types: [ProcessType::Manual, ProcessType::Instant]
            .into_iter()
            .filter(|process| sub.accepts(*process))
            .map(CollectionType::from)
            .collect(),
        new_term_change_request: change.or_else(|| book.effective_change(sub.id).map(effective)),
    }
}

/// The change that the lender of an instant offer may still accept: an announced one, or the one that paused it.
pub(super) fn open_request(book: &OrderBook, sub: &SubCollection, offer: &Offer) -> Option<TermChangeView> {
    if offer.process == ProcessType::Manual {
        return None;
    }
    let passed = book.effective_change(sub.id).filter(|_| offer.paused.contains(PauseReasons::TERMS)).map(effective);
    passed.or_else(|| {
        let change = book.announced_change(sub.id).filter(|change| offer.accepted_change != Some(change.id))?;
        Some(announced(sub, change))
    })
}
