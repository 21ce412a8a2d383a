//! The offers of lenders who subscribe to their own channel, as last sent to them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use domain::{OfferId, UserId};

use crate::{
    book_state::{BookState, Changes},
    feed::{MeHub, MeOp},
    view::{self, OfferFingerprint},
    wire::{AsString, MyOffer},
};

/// Per subscribed lender, the state last sent of each of their offers.
#[derive(Default)]
pub(super) struct WatchedOffers {
    lenders: HashMap<UserId, HashMap<OfferId, OfferFingerprint>>,
    /// The owner of each watched offer, also after it was removed from the book.
    owners: HashMap<OfferId, UserId>,
    /// Whether the book has changed since all watched offers were last compared.
    is_stale: bool,
}

impl WatchedOffers {
    /// Whether ranks may have moved without having been published.
    pub(super) const fn is_stale(&self) -> bool {
        self.is_stale
    }

    /// Starts to watch a lender's offers; returns first the updates that must reach earlier subscribers of this lender,
    /// then the offers.
    pub(super) fn watch(&mut self, state: &BookState, lender: UserId) -> (Vec<(UserId, MeOp)>, Vec<MyOffer>) {
        let mut updates = Vec::new();
        let is_first = !self.lenders.contains_key(&lender);
        self.lenders.entry(lender).or_default();
        self.compare(state, lender, &mut updates);
        if is_first {
            updates.clear();
        }
        let offers = state.book.offers_of(lender).filter_map(|offer| view::my_offer(&state.book, offer));
        (updates, offers.collect())
    }

    /// Stops watching.
    pub(super) fn unwatch(&mut self, lender: UserId) {
        if self.lenders.remove(&lender).is_some() {
            self.owners.retain(|_, owner| *owner != lender);
        }
    }

    /// Returns the updates for subscribed lenders whose own offers were touched. The ranks of other lenders may have
    /// moved as well: those follow within the interval, or at once when it is zero.
    pub(super) fn updates(
        &mut self,
        state: &BookState,
        changes: &Changes,
        hub: &MeHub,
        interval_ms: u64,
    ) -> Vec<(UserId, MeOp)> {
        for lender in &changes.lenders {
            if !self.lenders.contains_key(lender) && hub.is_open(*lender) {
                self.lenders.insert(*lender, HashMap::new());
            }
        }
        if self.lenders.is_empty() {
            return Vec::new();
        }
        if interval_ms == 0 {
            return self.all_updates(state);
        }
        self.is_stale = true;
        let owners = changes.offers.iter().filter_map(|id| self.owners.get(id));
        let concerned: BTreeSet<UserId> = owners.chain(&changes.lenders).copied().collect();
        let mut ops = Vec::new();
        for lender in concerned {
            self.compare(state, lender, &mut ops);
        }
        ops
    }

    /// Returns the updates for all subscribed lenders.
    pub(super) fn all_updates(&mut self, state: &BookState) -> Vec<(UserId, MeOp)> {
        self.is_stale = false;
        let mut lenders: Vec<UserId> = self.lenders.keys().copied().collect();
        lenders.sort_unstable();
        let mut ops = Vec::new();
        for lender in lenders {
            self.compare(state, lender, &mut ops);
        }
        ops
    }

    /// Compares a lender's offers with the states last sent.
    fn compare(&mut self, state: &BookState, lender: UserId, ops: &mut Vec<(UserId, MeOp)>) {
        let Some(seen) = self.lenders.get_mut(&lender) else { return };
        let mut notices = BTreeMap::new();
        seen.retain(|id, _| {
            let is_there = state.book.offer(*id).is_some();
            if !is_there {
                self.owners.remove(id);
                ops.push((lender, MeOp::MyOfferGone { offer_id: AsString(*id) }));
            }
            is_there
        });
        for offer in state.book.offers_of(lender) {
            let fingerprint = OfferFingerprint::at(state, offer);
            let before = seen.insert(offer.id, fingerprint);
            if before == Some(fingerprint) {
                continue;
            }
            self.owners.insert(offer.id, lender);
            let shown = view::my_offer(&state.book, offer);
            ops.extend(shown.map(|offer| (lender, MeOp::MyOffer { offer: Box::new(offer) })));
            let new_notices =
                before.map(|before| before.notices(&fingerprint, state, offer)).into_iter().flatten().flatten();
            // One change of terms concerns many offers and yields one notice.
            notices.extend(new_notices.map(|notice| (notice.id.clone(), notice)));
        }
        ops.extend(notices.into_values().map(|notice| (lender, MeOp::Notice { notice })));
    }
}
