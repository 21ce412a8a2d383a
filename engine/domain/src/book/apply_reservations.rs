//! The application of events to reservations and the loans that they become.

use crate::{LoanId, OfferId, ReservationId, Sats, UnixMs};

use super::{Loan, OrderBook, Reservation};

impl OrderBook {
    pub(super) fn add_reservation(&mut self, reservation: &Reservation, at: UnixMs, touched: &mut Vec<OfferId>) {
        self.reservation_expiries.insert((reservation.expires_at, reservation.id));
        self.reservations.insert(reservation.id, reservation.clone());
        self.change(reservation.offer, touched, |offer| {
            offer.held = offer.held.saturating_add(reservation.principal);
            offer.updated_at = at;
        });
        self.pegs.stop(reservation.offer);
    }

    pub(super) fn extend_reservation(&mut self, id: ReservationId, expires_at: UnixMs) {
        if let Some(reservation) = self.reservations.get_mut(&id) {
            self.reservation_expiries.remove(&(reservation.expires_at, id));
            self.reservation_expiries.insert((expires_at, id));
            reservation.expires_at = expires_at;
        }
    }

    pub(super) fn end_reservation(&mut self, id: ReservationId) -> Option<Reservation> {
        let ended = self.reservations.remove(&id)?;
        self.reservation_expiries.remove(&(ended.expires_at, id));
        Some(ended)
    }

    pub(super) fn lend(&mut self, reservation: &Reservation, id: LoanId, at: UnixMs, touched: &mut Vec<OfferId>) {
        let Some(offer) = self.offer(reservation.offer) else { return };
        let loan = Loan {
            id,
            sub_collection: offer.sub_collection,
            lender: offer.lender,
            borrower: reservation.borrower,
            principal: reservation.principal,
            pledged_raw: reservation.pledged_raw,
            accepted_at: at,
        };
        self.loans.insert(id, loan);
        self.total_loans += 1;
        self.release_principal(reservation, reservation.principal, at, touched);
    }

    /// Ends a reservation, of which `lent` was lent; an offer with too little left leaves the book.
    pub(super) fn release_principal(
        &mut self,
        reservation: &Reservation,
        lent: Sats,
        at: UnixMs,
        touched: &mut Vec<OfferId>,
    ) {
        self.change(reservation.offer, touched, |offer| {
            offer.held = offer.held.saturating_sub(reservation.principal);
            offer.used = offer.used.saturating_add(lent);
            offer.updated_at = at;
        });
        let is_used_up = self
            .offer(reservation.offer)
            .is_some_and(|offer| offer.held == Sats::ZERO && offer.takeable() == Sats::ZERO);
        if is_used_up {
            self.remove_offer(reservation.offer, touched);
        } else {
            self.reprice(reservation.offer, touched);
        }
    }
}
