//! The offers that name a borrower, as sent to borrowers who subscribe to their own channel.

use std::collections::HashMap;

use domain::{OfferId, UserId};

use crate::{
    book_state::{BookState, Changes},
    feed::{MeHub, MeOp},
    view,
    wire::{AsString, OfferForMe},
};

/// An offer that was sent to its borrower.
struct Sent {
    borrower: UserId,
    /// Whether the borrower was last sent the offer, and not its absence.
    is_shown: bool,
}

/// The offers that were sent and are still in the book.
#[derive(Default)]
pub(super) struct OffersForMe {
    sent: HashMap<OfferId, Sent>,
}

impl OffersForMe {
    /// Starts to watch the offers that name a borrower, and returns them.
    pub(super) fn watch(&mut self, state: &BookState, borrower: UserId) -> Vec<OfferForMe> {
        let offers = view::offers_for_me(state, borrower);
        self.sent.extend(offers.iter().map(|shown| (shown.offer.offer_id.0, Sent { borrower, is_shown: true })));
        offers
    }

    /// Stops watching.
    pub(super) fn unwatch(&mut self, borrower: UserId) {
        self.sent.retain(|_, sent| sent.borrower != borrower);
    }

    /// Returns the updates for subscribed borrowers whose offers changed or are gone.
    pub(super) fn updates(&mut self, state: &BookState, changes: &Changes, hub: &MeHub) -> Vec<(UserId, MeOp)> {
        let mut updates = Vec::new();
        for id in &changes.offers {
            let named = state.book.conditions(*id).and_then(|conditions| conditions.borrower_id());
            let shown = state.book.offer(*id).filter(|offer| view::is_shown(offer));
            let subscribed = named.filter(|borrower| hub.is_open(*borrower));
            if let Some((borrower, offer)) = subscribed.zip(shown) {
                let is_first = self.sent.insert(*id, Sent { borrower, is_shown: true }).is_none();
                let shown = Box::new(view::offer_for_me(state, offer));
                updates.push((borrower, MeOp::OfferForMe(shown)));
                let notice = view::offer_notices::for_borrower(state, offer).filter(|_| is_first && offer.is_open());
                updates.extend(notice.map(|notice| (borrower, MeOp::Notice { notice })));
            } else if let Some(sent) = self.sent.get_mut(id) {
                if std::mem::take(&mut sent.is_shown) {
                    updates.push((sent.borrower, MeOp::OfferForMeGone { offer_id: AsString(*id) }));
                }
                if state.book.offer(*id).is_none() {
                    self.sent.remove(id);
                }
            }
        }
        updates
    }
}
