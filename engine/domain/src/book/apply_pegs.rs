//! The application of events to pegged offers.

use crate::{Offer, OfferId, PauseReasons, Peg, Sats};

use super::{OrderBook, apply::threshold_key};

impl OrderBook {
    pub(super) fn set_peg(&mut self, id: OfferId, min: Sats, touched: &mut Vec<OfferId>) {
        let Some(offer) = self.offers.get(id) else { return };
        let Some(ltv) = offer.max_ltv else { return };
        let peg = Peg { ltv, min, max: offer.principal, quantity: offer.quantity() };
        if let Some(threshold) = threshold_key(offer) {
            let place = self.thresholds.seek(threshold);
            self.thresholds.remove(&place);
        }
        self.change(id, touched, Offer::set_pegged);
        self.pegs.insert(id, peg);
        self.reprice(id, touched);
    }

    /// Sets the principal of a pegged offer to the one at the current price. While a borrower signs it stays.
    pub(super) fn reprice(&mut self, id: OfferId, touched: &mut Vec<OfferId>) {
        let Some(peg) = self.pegs.get(id) else { return };
        let Some((offer, price)) = self.offers.get(id).zip(self.price) else { return };
        if offer.held > Sats::ZERO {
            self.pegs.stop(id);
            return;
        }
        let level = peg.at(price);
        self.pegs.follow(id, &level);
        self.change(id, touched, |offer| {
            offer.set_principal(level.principal);
            offer.paused = offer.paused.with(PauseReasons::LTV, level.is_below);
        });
    }
}
