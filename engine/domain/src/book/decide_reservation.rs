//! The decisions about reservations.

use smallvec::smallvec;

use crate::{LoanId, OfferId, ReservationId, Taker, UnixMs};

use super::{BookEvent, Events, OrderBook, Rejection, ReleaseReason, Reservation, decide::Decision};

impl OrderBook {
    pub(super) fn reserve(
        &self,
        id: ReservationId,
        offer_id: OfferId,
        taker: &Taker,
        pledged_raw: Option<u128>,
        expires_at: UnixMs,
        now: UnixMs,
    ) -> Decision {
        if expires_at <= now {
            return Err(Rejection::ExpiresInThePast(expires_at));
        }
        if self.reservations.contains_key(&id) {
            return Err(Rejection::DuplicateReservation(id));
        }
        let max = self.limits.reservations_max;
        if self.reservations.len() >= max {
            return Err(Rejection::TooManyReservations { max });
        }
        let offer = self.offer(offer_id).ok_or(Rejection::UnknownOffer(offer_id))?;
        offer.check_takeable(taker.user, now)?;
        if let Some(conditions) = self.conditions(offer_id) {
            conditions.check(offer, taker, now)?;
        }
        let filled = self.requests.filled_by(offer_id).filter(|_| !self.is_agreed(offer_id));
        if let Some(request) = filled.and_then(|request| self.requests.get(request)) {
            request.terms.check_sub_collection_of(offer, &self.group)?;
        }
        let (principal, pledged_raw) = offer.part(pledged_raw)?;
        let reservation = Reservation { id, offer: offer_id, borrower: taker.user, principal, pledged_raw, expires_at };
        let mut events: Events = smallvec![BookEvent::OfferReserved(reservation)];
        events.extend(self.requests_pledged_elsewhere(offer_id, taker));
        Ok(events)
    }

    pub(super) fn confirm(&self, id: ReservationId, loan: LoanId, now: UnixMs) -> Decision {
        let reservation = self.reservation(id).ok_or(Rejection::UnknownReservation(id))?;
        if reservation.expires_at <= now {
            return Err(Rejection::ReservationExpired(id));
        }
        if self.loans.contains_key(&loan) {
            return Err(Rejection::DuplicateLoan(loan));
        }
        Ok(smallvec![BookEvent::ReservationConfirmed { reservation: id, loan }])
    }

    pub(super) fn extend(&self, id: ReservationId, expires_at: UnixMs, now: UnixMs) -> Decision {
        let reservation = self.reservation(id).ok_or(Rejection::UnknownReservation(id))?;
        if reservation.expires_at <= now {
            return Err(Rejection::ReservationExpired(id));
        }
        if expires_at <= now {
            return Err(Rejection::ExpiresInThePast(expires_at));
        }
        Ok(smallvec![BookEvent::ReservationExtended { reservation: id, expires_at }])
    }

    pub(super) fn expire_reservations(&self, now: UnixMs) -> Events {
        let due = self.reservation_expiries.iter().take_while(|(expires_at, _)| *expires_at <= now);
        due.map(|(_, reservation)| BookEvent::ReservationReleased {
            reservation: *reservation,
            reason: ReleaseReason::Expired,
        })
        .collect()
    }
}
