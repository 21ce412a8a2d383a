//! The times at which offers were paused and term changes announced, which offers do not record. Pure: time is passed
//! in.

use std::collections::BTreeMap;

use domain::{Offer, OfferId, PauseReasons, SubCollectionId, TermChangeId, UnixMs};
use rustc_hash::FxHashMap;

/// The times of the changes that lenders are notified of.
#[derive(Clone, Debug, Default)]
pub(crate) struct OfferNoticeTimes {
    /// Ids are assigned by the book itself, so an attacker cannot choose colliding ones.
    paused: FxHashMap<OfferId, UnixMs>,
    announced: BTreeMap<SubCollectionId, (TermChangeId, UnixMs)>,
}

/// Whether an offer is paused for a reason that its lender is notified of. Excluded are pauses by the lender or by the
/// lender's own limits, which would cause a notice for every offer, and pauses because coins are spent or reserved for a
/// while: those end with a block, and would cause a notice with every loan.
pub(crate) fn is_pause_notified(paused: PauseReasons) -> bool {
    const SILENT: [PauseReasons; 4] =
        [PauseReasons::LENDER, PauseReasons::FUNDING, PauseReasons::LIMITS, PauseReasons::ABSENCE];
    !SILENT.into_iter().fold(paused, |paused, silent| paused.with(silent, false)).is_empty()
}

impl OfferNoticeTimes {
    /// Updates the state of an offer after an event; `None` when the offer was removed.
    pub(crate) fn update(&mut self, id: OfferId, offer: Option<&Offer>, at: UnixMs) {
        if offer.is_some_and(|offer| is_pause_notified(offer.paused)) {
            self.paused.entry(id).or_insert(at);
        } else if !self.paused.is_empty() {
            self.paused.remove(&id);
        }
    }

    /// Records that a change of terms was announced.
    pub(crate) fn record_announcement(&mut self, sub_collection: SubCollectionId, change: TermChangeId, at: UnixMs) {
        self.announced.insert(sub_collection, (change, at));
    }

    /// The time since which an offer has been paused for a reason that its lender is notified of.
    pub(crate) fn paused_since(&self, id: OfferId) -> Option<UnixMs> {
        self.paused.get(&id).copied()
    }

    /// The time at which a change was announced; only the latest of each sub-collection is known.
    pub(crate) fn announced_at(&self, sub_collection: SubCollectionId, change: TermChangeId) -> Option<UnixMs> {
        self.announced.get(&sub_collection).filter(|(known, _)| *known == change).map(|(_, at)| *at)
    }
}
