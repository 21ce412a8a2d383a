//! Since when offers are paused and changes of terms are known, which no offer says of itself. Pure: time is passed in.

use std::collections::BTreeMap;

use domain::{Offer, OfferId, PauseReasons, SubCollectionId, TermChangeId, UnixMs};
use rustc_hash::FxHashMap;

/// What lenders are told of their offers, by when it happened.
#[derive(Clone, Debug, Default)]
pub(crate) struct OfferNews {
    /// Ids are given out by the book itself, so nobody can choose colliding ones.
    paused: FxHashMap<OfferId, UnixMs>,
    announced: BTreeMap<SubCollectionId, (TermChangeId, UnixMs)>,
}

/// Whether an offer is paused by something that its lender is told of. Not by the lender's own hand, nor by coins that are
/// spent or promised for a while: those come back with a block, and would be news with every loan.
pub(crate) fn is_paused(paused: PauseReasons) -> bool {
    !paused.with(PauseReasons::LENDER, false).with(PauseReasons::FUNDING, false).is_empty()
}

impl OfferNews {
    /// Takes in how an offer stands after an event; `None` when it is gone.
    pub(crate) fn update(&mut self, id: OfferId, offer: Option<&Offer>, at: UnixMs) {
        if offer.is_some_and(|offer| is_paused(offer.paused)) {
            self.paused.entry(id).or_insert(at);
        } else if !self.paused.is_empty() {
            self.paused.remove(&id);
        }
    }

    /// Notes that a change of terms was announced.
    pub(crate) fn announce(&mut self, place: SubCollectionId, change: TermChangeId, at: UnixMs) {
        self.announced.insert(place, (change, at));
    }

    /// Since when an offer is paused by anything but its lender's own hand.
    pub(crate) fn paused_since(&self, id: OfferId) -> Option<UnixMs> {
        self.paused.get(&id).copied()
    }

    /// When a change was announced; only the latest of each place is known.
    pub(crate) fn announced_at(&self, place: SubCollectionId, change: TermChangeId) -> Option<UnixMs> {
        self.announced.get(&place).filter(|(known, _)| *known == change).map(|(_, at)| *at)
    }
}
