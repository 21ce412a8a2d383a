//! The decisions of a book: the events that a command yields. Reads the book, changes nothing.

use std::sync::Arc;

use smallvec::smallvec;

use crate::{
    Allowance, Bundle, ConditionRejection, NegotiationRejection, Offer, OfferConditions, OfferId, PauseReasons,
    ProcessType, ProposedTerms, Quantity, Sats, UnitPrice, UnixMs, UserId,
};

use super::{
    BookEvent, CancelReason, Command, Events, OfferDraft, OrderBook, Rejection, ReleaseReason,
    lender_offers::LenderOffers,
    offer_rules::{ValidationContext, validate_draft},
};

pub(super) type Decision = Result<Events, Rejection>;

/// The origin of offers that are to enter the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// Their lender creates them.
    Created,
    /// One of them replaces another offer.
    Edited {
        /// The offer that it replaces.
        replaced: OfferId,
        /// Whether the time until which it is good stays.
        keeps_time: bool,
        /// Whether the lender signed the time of the offer that it replaces.
        is_time_signed: bool,
    },
    /// One of them fills a borrow request.
    Filling {
        /// The collateral of the request.
        quantity: Quantity,
    },
}

/// A proposal at a time.
#[derive(Clone, Copy)]
pub(super) struct Asked {
    pub(super) terms: ProposedTerms,
    /// The time from which it cannot be accepted.
    pub(super) good_until: UnixMs,
    pub(super) now: UnixMs,
}

/// Equal offers that are to enter the book.
struct NewOffers<'draft> {
    lender: UserId,
    draft: &'draft OfferDraft,
    count: u8,
    /// The usable balance of the lender's vault as known to the book.
    known: Option<Sats>,
    /// The current usable balance.
    usable: Option<Sats>,
    now: UnixMs,
    origin: Origin,
}

/// The maximum number of offers in one event.
const OFFERS_PER_EVENT_MAX: usize = 1_000;

impl OrderBook {
    /// Decides a command; changes nothing.
    ///
    /// # Errors
    /// A [`Rejection`] that names the values.
    pub fn decide(&self, command: &Command, now: UnixMs) -> Result<Events, Rejection> {
        match *command {
            Command::Create { lender, ref draft, count, usable } => {
                self.create(lender, draft, count, usable, now, Origin::Created)
            }
            Command::Edit { lender, offer, ref draft, usable } => self.edit(lender, offer, draft, usable, now),
            Command::PlaceRequest { ref terms, held_raw } => self.place_request(terms, held_raw, now),
            Command::WithdrawRequest { borrower, request } => self.withdraw_request(borrower, request),
            Command::CloseRequest { request } => self.close_request(request),
            Command::FillRequest { lender, request, ref draft, usable, allowance } => {
                self.fill_request(lender, request, draft, usable, allowance, now)
            }
            Command::ExpireRequests => Ok(self.expire_requests(now)),
            Command::NegotiateOffer { ref borrower, ref taker, offer, quantity, terms, good_until } => {
                self.negotiate_offer(borrower, taker, offer, quantity, Asked { terms, good_until, now })
            }
            Command::NegotiateRequest { lender, request, terms, good_until } => {
                self.negotiate_request(lender, request, Asked { terms, good_until, now })
            }
            Command::NegotiateLoan { user, loan, ref borrower, ref inscriptions, terms, good_until } => {
                let asked = Asked { terms, good_until, now };
                self.negotiate_loan(user, loan, borrower, inscriptions, asked)
            }
            Command::Propose { user, negotiation, round, terms, good_until } => {
                self.propose(user, negotiation, round, Asked { terms, good_until, now })
            }
            Command::AcceptProposal { user, negotiation, round, allowance } => {
                self.accept_proposal(user, negotiation, round, allowance, now)
            }
            Command::EndNegotiation { user, negotiation, round } => self.end_negotiation(user, negotiation, round),
            Command::ExpireNegotiations => Ok(self.expire_negotiations(now)),
            Command::Cancel { lender, offer } => self.cancel(lender, offer),
            Command::EndConnection { ref offers } => Ok(self.end_connection(offers)),
            Command::Pause { lender, offer } => self.pause(lender, offer),
            Command::Resume { lender, offer } => self.resume(lender, offer),
            Command::SetGoodUntil { lender, offer, good_until } => {
                let own = self.own_offer(lender, offer)?;
                crate::Limits::check_good_until(good_until, now)?;
                self.check_longer(own, good_until)?;
                Ok(smallvec![BookEvent::GoodUntilSet { offer, good_until }])
            }
            Command::ExpireOffers => Ok(self.expire_offers(now)),
            Command::SetPrice { price, observed_at } => set_price(price, observed_at),
            Command::SetVaultBalance { lender, usable } => {
                Ok(vault_balance_changed(lender, self.usable(lender), Some(usable)).into_iter().collect())
            }
            Command::SetAllowance { lender, allowance } => {
                Ok(self.allowance_changed(lender, allowance).into_iter().collect())
            }
            Command::SetFunding { ref unfunded, ref funded } => Ok(self.funding_events(unfunded, funded)),
            Command::Reserve { reservation, offer, ref taker, pledged_raw, expires_at } => {
                self.reserve(reservation, offer, taker, pledged_raw, expires_at, now)
            }
            Command::Confirm { reservation, loan } => self.confirm(reservation, loan, now),
            Command::Release { reservation } => {
                self.reservation(reservation).ok_or(Rejection::UnknownReservation(reservation))?;
                Ok(smallvec![BookEvent::ReservationReleased { reservation, reason: ReleaseReason::Released }])
            }
            Command::ExtendReservation { reservation, expires_at } => self.extend(reservation, expires_at, now),
            Command::ExpireReservations => Ok(self.expire_reservations(now)),
            Command::EndLoan { loan, end } => {
                self.loan(loan).ok_or(Rejection::UnknownLoan(loan))?;
                Ok(smallvec![BookEvent::LoanEnded { loan, end }])
            }
            Command::ReplaceLoan { loan, successor } => {
                self.loan(loan).ok_or(Rejection::UnknownLoan(loan))?;
                if self.loan(successor).is_some() {
                    return Err(Rejection::DuplicateLoan(successor));
                }
                Ok(smallvec![BookEvent::LoanReplaced { loan, successor }])
            }
            Command::ScheduleTermChange { sub_collection, ref change } => self.schedule(sub_collection, change, now),
            Command::ActivateTermChanges => Ok(self.activate(now)),
            Command::AcceptTerm { lender, offer, change } => self.accept_term(lender, offer, change),
        }
    }

    pub(super) fn create(
        &self,
        lender: UserId,
        draft: &OfferDraft,
        count: u8,
        usable: Option<Sats>,
        now: UnixMs,
        origin: Origin,
    ) -> Decision {
        let count_max = self.limits.count_max;
        if count == 0 || count > count_max {
            return Err(Rejection::CountOutOfRange { max: count_max });
        }
        self.check_offer_limit(lender, count)?;
        let mut events = Events::new();
        let known = self.usable(lender);
        self.creation_events(&NewOffers { lender, draft, count, known, usable, now, origin }, &mut events)?;
        Ok(events)
    }

    /// Checks that a lender has no more offers than the limit with these.
    pub(super) fn check_offer_limit(&self, lender: UserId, count: u8) -> Result<(), Rejection> {
        let max = usize::from(self.limits.offers_per_lender_max);
        let own = self.lenders.get(&lender).map_or(0, LenderOffers::count);
        if own + usize::from(count) > max { Err(Rejection::TooManyOffers { max }) } else { Ok(()) }
    }

    fn edit(&self, lender: UserId, offer: OfferId, draft: &OfferDraft, usable: Option<Sats>, now: UnixMs) -> Decision {
        let old = self.unreserved_offer(lender, offer)?;
        // Several inscriptions are those of the request that it fills.
        let sub = self.group.sub_collection(old.sub_collection);
        let is_of_request = sub.is_some_and(|sub| matches!(sub.bundle, Bundle::Fixed(own) if own != old.quantity()));
        if self.is_agreed(offer) || is_of_request {
            return Err(NegotiationRejection::Agreed(offer).into());
        }
        if old.process != draft.process {
            return Err(Rejection::EditChangesProcess);
        }
        let mut events: Events = smallvec![BookEvent::OfferCancelled { offer, reason: CancelReason::Edited }];
        let known = self.usable(lender);
        // A time that stays may be less than the least time away.
        let keeps_time = draft.good_until.is_some() && draft.good_until == old.kept_good_until(now);
        let origin = Origin::Edited { replaced: offer, keeps_time, is_time_signed: old.is_time_signed() };
        self.creation_events(&NewOffers { lender, draft, count: 1, known, usable, now, origin }, &mut events)?;
        Ok(events)
    }

    /// The events by which offers enter, preceded by the vault balance that they are checked against if it is new to
    /// the book.
    fn creation_events(&self, new: &NewOffers<'_>, events: &mut Events) -> Result<(), Rejection> {
        let NewOffers { lender, draft, count, known, usable, now, origin } = *new;
        let context = ValidationContext {
            lender,
            group: &self.group,
            limits: &self.limits,
            price: self.price,
            usable,
            now,
            is_edit: matches!(origin, Origin::Edited { .. }),
            keeps_time: matches!(origin, Origin::Edited { keeps_time: true, .. }),
            requested: match origin {
                Origin::Filling { quantity } => Some(quantity),
                Origin::Created | Origin::Edited { .. } => None,
            },
        };
        let mut terms = validate_draft(draft, &context)?;
        match origin {
            Origin::Created => self.check_borrower_limit(draft, count, None)?,
            Origin::Edited { replaced, .. } => self.check_borrower_limit(draft, count, Some(replaced))?,
            // The number of requests is limited. Its borrower asks for the whole.
            Origin::Filling { .. } => terms.smallest_take = terms.principal,
        }
        let is_time_signed =
            draft.process == ProcessType::Instant && !matches!(origin, Origin::Edited { is_time_signed: false, .. });
        if draft.process == ProcessType::Instant {
            events.extend(vault_balance_changed(lender, known, usable));
        }
        for number in 1..=u64::from(count) {
            let id = OfferId::new(self.group.id, self.latest_offer + number).ok_or(Rejection::IdsExhausted)?;
            events.push(BookEvent::OfferCreated { offer: id, lender, terms });
            events.extend(draft.principal_min.map(|min| BookEvent::PegSet { offer: id, min }));
            if let Some(good_until) = draft.good_until {
                events.push(if is_time_signed {
                    BookEvent::GoodUntilSigned { offer: id, good_until }
                } else {
                    BookEvent::GoodUntilSet { offer: id, good_until: Some(good_until) }
                });
            }
            if let Some(conditions) = draft.conditions.as_ref().filter(|conditions| !conditions.is_empty()) {
                events.extend(conditions_set(id, conditions));
            }
            events.extend(draft.cancels_on_disconnect.then_some(BookEvent::CancelsOnDisconnect { offer: id }));
        }
        Ok(())
    }

    /// Checks that no more offers name a borrower than one private channel shows.
    fn check_borrower_limit(&self, draft: &OfferDraft, count: u8, replaced: Option<OfferId>) -> Result<(), Rejection> {
        const MAX: usize = OfferConditions::PER_BORROWER_MAX;
        let Some(borrower) = draft.conditions.as_ref().and_then(|conditions| conditions.borrower_id()) else {
            return Ok(());
        };
        // Requests and negotiations have limits of their own, so a lender cannot take up what others offer this borrower.
        let is_bound = |id: OfferId| self.requests.filled_by(id).is_some() || self.is_agreed(id);
        let is_other = |offer: &&Offer| Some(offer.id) != replaced && !is_bound(offer.id);
        let others = self.offers_for(borrower).filter(is_other).count();
        if others + usize::from(count) > MAX {
            return Err(ConditionRejection::TooManyForBorrower { max: MAX }.into());
        }
        Ok(())
    }

    /// Checks that a time is not later than one which is not its lender's alone to set: the one that the lender signed
    /// for the vault signer, and the time to sign of a borrower whose request the offer fills or who negotiated it.
    fn check_longer(&self, offer: &Offer, good_until: Option<UnixMs>) -> Result<(), Rejection> {
        let is_bound =
            offer.is_time_signed() || self.requests.filled_by(offer.id).is_some() || self.is_agreed(offer.id);
        match offer.good_until().filter(|_| is_bound) {
            Some(until) if good_until.is_none_or(|asked| asked > until) => Err(Rejection::GoodUntilSigned { until }),
            _ => Ok(()),
        }
    }

    /// The allowance as an event, if it is new to the book.
    pub(super) fn allowance_changed(&self, lender: UserId, allowance: Allowance) -> Option<BookEvent> {
        (self.allowance(lender) != allowance).then_some(BookEvent::AllowanceChanged { lender, allowance })
    }

    fn cancel(&self, lender: UserId, offer: OfferId) -> Decision {
        self.unreserved_offer(lender, offer)?;
        Ok(smallvec![BookEvent::OfferCancelled { offer, reason: CancelReason::ByLender }])
    }

    fn end_connection(&self, offers: &[OfferId]) -> Events {
        let dependent = offers.iter().filter(|id| self.on_disconnect.contains(id));
        let event = |offer: &Offer| match (offer.held > Sats::ZERO, offer.paused.contains(PauseReasons::LENDER)) {
            (false, _) => Some(BookEvent::OfferCancelled { offer: offer.id, reason: CancelReason::Disconnected }),
            (true, false) => Some(BookEvent::OfferPaused { offer: offer.id }),
            (true, true) => None,
        };
        dependent.filter_map(|id| self.offer(*id)).filter_map(event).collect()
    }

    fn pause(&self, lender: UserId, offer: OfferId) -> Decision {
        if self.own_offer(lender, offer)?.paused.contains(PauseReasons::LENDER) {
            return Err(Rejection::AlreadyPaused(offer));
        }
        Ok(smallvec![BookEvent::OfferPaused { offer }])
    }

    fn resume(&self, lender: UserId, offer: OfferId) -> Decision {
        if !self.own_offer(lender, offer)?.paused.contains(PauseReasons::LENDER) {
            return Err(Rejection::NotPausedByLender(offer));
        }
        Ok(smallvec![BookEvent::OfferResumed { offer }])
    }

    fn funding_events(&self, unfunded: &[OfferId], funded: &[OfferId]) -> Events {
        let changed = |offers: &[OfferId], is_unfunded: bool| -> Vec<OfferId> {
            let is_change = |id: &&OfferId| self.offer(**id).is_some_and(|offer| changes_funding(offer, is_unfunded));
            offers.iter().filter(is_change).copied().collect()
        };
        let (unfunded, funded) = (changed(unfunded, true), changed(funded, false));
        let unfunded = (!unfunded.is_empty()).then_some(BookEvent::OffersUnfunded { offers: unfunded });
        let funded = (!funded.is_empty()).then_some(BookEvent::OffersFunded { offers: funded });
        unfunded.into_iter().chain(funded).collect()
    }

    fn expire_offers(&self, now: UnixMs) -> Events {
        let due = self.offer_expiries.iter().take_while(|(good_until, _)| *good_until <= now);
        let expired: Vec<OfferId> = due.map(|(_, offer)| *offer).collect();
        let events = expired.chunks(OFFERS_PER_EVENT_MAX);
        events.map(|offers| BookEvent::OffersExpired { offers: offers.to_vec() }).collect()
    }

    pub(super) fn own_offer(&self, lender: UserId, id: OfferId) -> Result<&Offer, Rejection> {
        let offer = self.offer(id).ok_or(Rejection::UnknownOffer(id))?;
        if offer.lender == lender { Ok(offer) } else { Err(Rejection::NotOwner(id)) }
    }

    /// A lender's own offer without a reservation.
    fn unreserved_offer(&self, lender: UserId, id: OfferId) -> Result<&Offer, Rejection> {
        let offer = self.own_offer(lender, id)?;
        if offer.held > Sats::ZERO { Err(Rejection::UnderOffer(id)) } else { Ok(offer) }
    }
}

/// Whether an observation of the lender's coins changes an offer. The coins of a reserved one are committed to the loan
/// that is being signed, so the observation does not apply to it.
fn changes_funding(offer: &Offer, is_unfunded: bool) -> bool {
    let is_paused = offer.paused.contains(PauseReasons::FUNDING);
    offer.process == ProcessType::Manual && offer.held == Sats::ZERO && is_paused != is_unfunded
}

/// The vault balance as an event, if it is new to a book that knows `known`.
fn vault_balance_changed(lender: UserId, known: Option<Sats>, usable: Option<Sats>) -> Option<BookEvent> {
    let usable = usable.filter(|usable| known != Some(*usable))?;
    Some(BookEvent::VaultBalanceChanged { lender, usable })
}

fn set_price(price: UnitPrice, observed_at: UnixMs) -> Decision {
    if price.scaled() == 0 || price > UnitPrice::MAX {
        return Err(Rejection::PriceOutOfRange);
    }
    Ok(smallvec![BookEvent::PriceMoved { price, observed_at }])
}

/// The events that set the conditions of a new offer.
fn conditions_set(offer: OfferId, asked: &Arc<OfferConditions>) -> Events {
    let numbers = asked.numbers.clone();
    if numbers.is_empty() {
        return smallvec![BookEvent::ConditionsSet { offer, conditions: Arc::clone(asked) }];
    }
    let conditions = Arc::new(OfferConditions { numbers: Vec::new(), ..OfferConditions::clone(asked) });
    smallvec![BookEvent::ConditionsSet { offer, conditions }, BookEvent::NumbersChosen { offer, numbers }]
}
