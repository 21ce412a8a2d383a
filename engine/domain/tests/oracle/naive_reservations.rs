//! The reservations of the naive book: made, extended, confirmed and ended by searching all of them.

use domain::{Command, Rejection, Sats, Taker, UnixMs};

use super::{NaiveBook, NaiveLoan, NaiveOffer, NaiveReservation, naive_conditions};

impl NaiveBook {
    pub(super) fn execute_on_reservation(&mut self, command: &Command, now: UnixMs) -> Result<(), Rejection> {
        match *command {
            Command::Reserve { reservation: id, offer, ref taker, pledged_raw, expires_at } => {
                if expires_at <= now {
                    return Err(Rejection::ExpiresInThePast(expires_at));
                }
                if self.reservations.iter().any(|held| held.id == id) {
                    return Err(Rejection::DuplicateReservation(id));
                }
                let found = self.find(offer).ok_or(Rejection::UnknownOffer(offer))?;
                self.check_taker(found, taker, now)?;
                let available = self.takeable(found);
                let filled = self.requests.iter().find(|request| request.filled_by == Some(offer));
                if let Some(request) = filled.filter(|_| !self.agreed.contains_key(&offer)) {
                    self.check_terms(&request.terms, found.sub)?;
                }
                let (raw, all) = (found.quantity.raw, u128::from(found.principal));
                let pledged = pledged_raw.unwrap_or_else(|| (raw * u128::from(available)).div_ceil(all));
                let principal = u64::try_from(all * pledged / raw).unwrap();
                if principal < found.smallest || principal > available {
                    return Err(Rejection::PartOutOfRange {
                        principal: Sats::new(principal),
                        min: Sats::new(found.smallest),
                        available: Sats::new(available),
                    });
                }
                let borrower = taker.user;
                self.reservations.push(NaiveReservation { id, offer, borrower, principal, pledged, expires_at });
                // A borrower who pledges an inscription for another offer no longer asks for anything against it.
                self.requests.retain(|request| {
                    let is_pledged = request.terms.inscriptions.iter().any(|asked| taker.inscriptions.contains(asked));
                    let is_same = request.terms.borrower.user == taker.user && is_pledged;
                    !is_same || request.filled_by == Some(offer)
                });
            }
            Command::Confirm { reservation, loan } => {
                let held = self.reservations.iter().find(|held| held.id == reservation);
                let held = held.ok_or(Rejection::UnknownReservation(reservation))?.clone();
                if held.expires_at <= now {
                    return Err(Rejection::ReservationExpired(reservation));
                }
                if self.loans.iter().any(|known| known.id == loan) {
                    return Err(Rejection::DuplicateLoan(loan));
                }
                let offer = self.find_mut(held.offer);
                offer.used += held.principal;
                let (sub, lender) = (offer.sub, offer.lender);
                let NaiveReservation { borrower, principal, pledged: pledged_raw, .. } = held;
                self.loans.push(NaiveLoan { id: loan, sub, lender, borrower, principal, pledged_raw });
                self.lent_from.insert(held.offer);
                self.end(&held);
            }
            Command::ExtendReservation { reservation, expires_at } => {
                let held = self.reservations.iter_mut().find(|held| held.id == reservation);
                let held = held.ok_or(Rejection::UnknownReservation(reservation))?;
                if held.expires_at <= now {
                    return Err(Rejection::ReservationExpired(reservation));
                }
                if expires_at <= now {
                    return Err(Rejection::ExpiresInThePast(expires_at));
                }
                held.expires_at = expires_at;
            }
            Command::Release { reservation } => {
                let held = self.reservations.iter().find(|held| held.id == reservation);
                let held = held.ok_or(Rejection::UnknownReservation(reservation))?.clone();
                self.end(&held);
            }
            _ => {
                let over: Vec<_> = self.reservations.iter().filter(|held| held.expires_at <= now).cloned().collect();
                for held in over {
                    self.end(&held);
                }
            }
        }
        Ok(())
    }

    /// Checks that a borrower can take an offer now, or a part of it.
    pub(crate) fn check_taker(&self, found: &NaiveOffer, taker: &Taker, now: UnixMs) -> Result<(), Rejection> {
        if found.lender == taker.user {
            return Err(Rejection::OwnOffer(found.id));
        }
        if found.good_until.is_some_and(|time| time <= now) {
            return Err(Rejection::OfferExpired(found.id));
        }
        if !self.pauses(found).is_empty() {
            return Err(Rejection::OfferPaused(found.id));
        }
        if self.takeable(found) == 0 {
            return Err(Rejection::OfferUsed(found.id));
        }
        found.conditions.as_ref().map_or(Ok(()), |asked| naive_conditions::check_taker(asked, found, taker, now))
    }

    /// Ends a reservation; an offer of which nothing can be taken any more is removed with its last one.
    fn end(&mut self, held: &NaiveReservation) {
        self.reservations.retain(|other| other.id != held.id);
        let offer = self.find(held.offer).expect("a reserved offer stays in the book");
        if self.held(offer.id) == 0 && self.takeable(offer) == 0 {
            self.offers.retain(|other| other.id != held.offer);
        }
    }
}
