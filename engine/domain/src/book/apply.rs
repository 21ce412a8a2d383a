//! The application of events. Never fails: an event in the journal has happened.

use std::sync::Arc;

use crate::{
    Allowance, NegotiationSubject, Offer, OfferConditions, OfferId, OfferTerms, PauseReasons, ProcessType, RequestId,
    Sats, SubCollectionId, TermChangeId, UnitPrice, UnixMs, UserId,
};

use super::{
    BookEvent, Loan, LoanEnd, OrderBook,
    order_book::{EffectiveChange, rank_key, ranking_index},
    ordered_index::{Key, OfferIds},
    totals::OfferLiquidity,
};

impl OfferLiquidity {
    fn of(offer: &Offer) -> Self {
        Self { live: offer.is_live(), takeable: offer.takeable() }
    }
}

/// An offer's ranking and its key there, which changes with the principal of a pegged offer.
#[derive(Clone, Copy, PartialEq, Eq)]
struct RankingEntry {
    process: ProcessType,
    ranking: usize,
    rank: Key,
}

impl RankingEntry {
    fn of(offer: &Offer) -> Self {
        let ranking = ranking_index(offer.sub_collection, offer.process);
        Self { process: offer.process, ranking, rank: rank_key(offer) }
    }
}

/// The key of a capped offer among the price thresholds. A pegged one has others.
pub(super) fn threshold_key(offer: &Offer) -> Option<Key> {
    offer.max_ltv.filter(|_| !offer.is_pegged()).map(|cap| Key::new(offer.quote.pauses_below(cap).scaled(), offer.id))
}

impl OrderBook {
    /// Applies an event. Pushes the ids of all offers whose public state may have changed onto `touched` (an offer may
    /// be listed twice, or have been removed).
    pub fn apply(&mut self, event: &BookEvent, at: UnixMs, touched: &mut Vec<OfferId>) {
        match *event {
            BookEvent::OfferCreated { offer, lender, terms } => self.insert_offer(offer, lender, terms, at, touched),
            BookEvent::OfferCancelled { offer, .. } => self.remove_offer(offer, touched),
            BookEvent::OfferPaused { offer } => self.set_lender_pause(offer, true, at, touched),
            BookEvent::OfferResumed { offer } => self.set_lender_pause(offer, false, at, touched),
            BookEvent::PriceMoved { price, .. } => self.set_price(price, touched),
            BookEvent::VaultBalanceChanged { lender, usable } => self.set_usable(lender, usable, touched),
            BookEvent::AllowanceChanged { lender, allowance } => self.set_allowance(lender, allowance, touched),
            BookEvent::OfferReserved(ref reservation) => self.add_reservation(reservation, at, touched),
            BookEvent::ReservationConfirmed { reservation, loan } => {
                if let Some(ended) = self.end_reservation(reservation) {
                    self.lend(&ended, loan, at, touched);
                }
            }
            BookEvent::ReservationReleased { reservation, .. } => {
                if let Some(ended) = self.end_reservation(reservation) {
                    self.release_principal(&ended, Sats::ZERO, at, touched);
                }
            }
            BookEvent::ReservationExtended { reservation, expires_at } => {
                self.extend_reservation(reservation, expires_at);
            }
            BookEvent::LoanEnded { loan, end } => {
                self.negotiations.close(NegotiationSubject::Loan(loan));
                // A failed loan is not counted.
                if self.loans.remove(&loan).is_some() && end == LoanEnd::Failed {
                    self.total_loans = self.total_loans.saturating_sub(1);
                }
            }
            BookEvent::LoanReplaced { loan, successor } => {
                self.negotiations.close(NegotiationSubject::Loan(loan));
                if let Some(followed) = self.loans.remove(&loan) {
                    self.loans.insert(successor, Loan { id: successor, ..followed });
                }
            }
            BookEvent::TermChangeScheduled { sub_collection, ref change } => {
                if let Some(changes) = self.term_changes.get_mut(usize::from(sub_collection.0)) {
                    changes.announced = Some(change.clone());
                }
            }
            BookEvent::TermChangeActivated { sub_collection, .. } => self.change_terms(sub_collection, touched),
            BookEvent::TermAccepted { offer, change } => self.accept(offer, change, at, touched),
            BookEvent::OffersUnfunded { ref offers } => self.set_funding(offers, true, touched),
            BookEvent::OffersFunded { ref offers } => self.set_funding(offers, false, touched),
            BookEvent::GoodUntilSet { offer, good_until } => self.set_good_until(offer, good_until, at, touched),
            BookEvent::GoodUntilSigned { offer, good_until } => {
                self.set_good_until(offer, Some(good_until), at, touched);
                self.change(offer, touched, Offer::set_time_signed);
            }
            BookEvent::OffersExpired { ref offers } => self.expire_all(offers, touched),
            BookEvent::ConditionsSet { offer, ref conditions } => self.set_conditions(offer, conditions, touched),
            BookEvent::NumbersChosen { offer, ref numbers } => {
                self.conditional.choose_numbers(offer, numbers);
                touched.push(offer);
            }
            BookEvent::CancelsOnDisconnect { offer } => drop(self.on_disconnect.insert(offer)),
            BookEvent::RequestPlaced { request, ref terms } => {
                self.requests.insert(request, terms.as_ref().clone(), at);
            }
            BookEvent::RequestEnded { request, .. } => self.remove_request(request),
            BookEvent::RequestFilled { request, offer } => {
                if self.offer(offer).is_some_and(Offer::is_open) {
                    self.requests.fill(request, offer);
                }
            }
            BookEvent::RequestsExpired { ref requests } => {
                for request in requests {
                    self.remove_request(*request);
                }
            }
            BookEvent::NegotiationOpened { negotiation, ref loan } => {
                self.negotiations.open(negotiation, Arc::clone(loan));
            }
            BookEvent::ProposalMade { negotiation, proposal } => self.negotiations.propose(negotiation, proposal, at),
            BookEvent::PegSet { offer, min } => self.set_peg(offer, min, touched),
            BookEvent::ProposalAccepted { negotiation, offer } => self.negotiations.accept(negotiation, offer, at),
            BookEvent::ExtensionAgreed { negotiation } => self.negotiations.agree_on_extension(negotiation, at),
            BookEvent::NegotiationEnded { negotiation, end } => self.negotiations.end(negotiation, end, at),
            BookEvent::NegotiationsExpired { ref negotiations } => {
                for negotiation in negotiations {
                    self.negotiations.remove(*negotiation);
                }
            }
        }
    }

    fn insert_offer(&mut self, id: OfferId, lender: UserId, terms: OfferTerms, at: UnixMs, touched: &mut Vec<OfferId>) {
        let mut offer = Offer::new(id, lender, terms, at);
        let threshold = threshold_key(&offer);
        let over_cap =
            threshold.is_some_and(|threshold| self.price.is_none_or(|price| price.scaled() < threshold.score()));
        let own = self.lenders.entry(lender).or_default();
        offer.list_index = own.add(id, offer.process, offer.takeable());
        offer.paused = own.reasons_by_need(&offer).with(PauseReasons::LTV, over_cap);
        offer.paused = offer.paused.with(PauseReasons::ABSENCE, own.allowance.is_absent);
        let threshold = threshold.map(|key| self.thresholds.seek(key));
        let (entry, after) = (RankingEntry::of(&offer), OfferLiquidity::of(&offer));
        let rank = self.rankings.get(entry.ranking).filter(|_| after.live).map(|ranking| ranking.seek(entry.rank));
        self.totals.update(own, entry.process, OfferLiquidity::NONE, after);
        self.latest_offer = self.latest_offer.max(id.sequence());
        self.offers.insert(offer);
        if let Some(threshold) = &threshold {
            self.thresholds.insert(threshold);
        }
        if let Some((ranking, rank)) = self.rankings.get_mut(entry.ranking).zip(rank.as_ref()) {
            ranking.insert(rank);
        }
        touched.push(id);
    }

    pub(super) fn remove_offer(&mut self, id: OfferId, touched: &mut Vec<OfferId>) {
        let Some(offer) = self.offers.get(id) else { return };
        if let Some(good_until) = offer.good_until() {
            self.offer_expiries.remove(&(good_until, id));
        }
        self.on_disconnect.remove(&id);
        self.negotiations.close(NegotiationSubject::Offer(id));
        if offer.is_pegged() {
            self.pegs.remove(id);
        }
        if offer.is_conditional() {
            let is_lent = offer.used > Sats::ZERO;
            self.forget_conditions(id, is_lent);
        }
        let Some(offer) = self.offers.get(id) else { return };
        let (entry, before) = (RankingEntry::of(offer), OfferLiquidity::of(offer));
        let (lender, place) = (offer.lender, offer.list_index);
        let threshold = threshold_key(offer).map(|key| self.thresholds.seek(key));
        let rank = self.rankings.get(entry.ranking).filter(|_| before.live).map(|ranking| ranking.seek(entry.rank));
        let Some(own) = self.lenders.get_mut(&lender) else { return };
        own.remove(place);
        self.totals.update(own, entry.process, before, OfferLiquidity::NONE);
        let is_idle = own.is_idle();
        if let Some(threshold) = &threshold {
            self.thresholds.remove(threshold);
        }
        if let Some((ranking, rank)) = self.rankings.get_mut(entry.ranking).zip(rank.as_ref()) {
            ranking.remove(rank);
        }
        self.offers.remove(id);
        if is_idle {
            self.lenders.remove(&lender);
        }
        touched.push(id);
    }

    /// Forgets the conditions of an offer that leaves the book. The request that it fills ends with its loan, and is
    /// open again without one.
    fn forget_conditions(&mut self, id: OfferId, is_lent: bool) {
        self.conditional.remove(id);
        self.negotiations.forget_offer(id);
        match self.requests.filled_by(id).filter(|_| is_lent) {
            Some(request) => self.remove_request(request),
            None => self.requests.reopen(id),
        }
    }

    fn remove_request(&mut self, id: RequestId) {
        self.requests.remove(id);
        self.negotiations.close(NegotiationSubject::Request(id));
    }

    fn set_lender_pause(&mut self, id: OfferId, paused: bool, at: UnixMs, touched: &mut Vec<OfferId>) {
        self.change(id, touched, |offer| {
            offer.paused = offer.paused.with(PauseReasons::LENDER, paused);
            offer.updated_at = at;
        });
    }

    fn set_price(&mut self, price: UnitPrice, touched: &mut Vec<OfferId>) {
        let Some(before) = self.price.replace(price) else { return };
        let (low, high) = (before.min(price).scaled(), before.max(price).scaled());
        let affected = self.thresholds.between(Key::max_of_score(low), Key::max_of_score(high));
        self.change_all(&affected, touched, |offer| {
            offer.paused = offer.paused.with(PauseReasons::LTV, price < before);
        });
        for id in self.pegs.moved(before, price) {
            self.reprice(id, touched);
        }
    }

    fn set_usable(&mut self, lender: UserId, usable: Sats, touched: &mut Vec<OfferId>) {
        let own = self.lenders.entry(lender).or_default();
        let before = own.liquidity();
        let known = own.usable.replace(usable).unwrap_or_default();
        let after = own.liquidity();
        let affected = own.needing_between(ProcessType::Instant, known.min(usable), known.max(usable));
        self.totals.instant.replace(before, after);
        self.change_all(&affected, touched, |offer| {
            offer.paused = offer.paused.with(PauseReasons::BALANCE, usable < known);
        });
    }

    fn set_allowance(&mut self, lender: UserId, allowance: Allowance, touched: &mut Vec<OfferId>) {
        let own = self.lenders.entry(lender).or_default();
        let before = std::mem::replace(&mut own.allowance, allowance);
        let (known, limit) = (before.limit(), allowance.limit());
        let affected = own.needing_between(ProcessType::Manual, known.min(limit), known.max(limit));
        let is_absence_new = before.is_absent != allowance.is_absent;
        let all: OfferIds = own.offers().filter(|_| is_absence_new).collect();
        self.change_all(&affected, touched, |offer| {
            offer.paused = offer.paused.with(PauseReasons::LIMITS, limit < known);
        });
        self.change_all(&all, touched, |offer| {
            offer.paused = offer.paused.with(PauseReasons::ABSENCE, allowance.is_absent);
        });
    }

    fn set_funding(&mut self, offers: &[OfferId], is_unfunded: bool, touched: &mut Vec<OfferId>) {
        self.change_all(offers, touched, |offer| {
            offer.paused = offer.paused.with(PauseReasons::FUNDING, is_unfunded);
        });
    }

    fn set_good_until(&mut self, id: OfferId, good_until: Option<UnixMs>, at: UnixMs, touched: &mut Vec<OfferId>) {
        let Some(offer) = self.offers.get(id) else { return };
        if let Some(before) = offer.good_until() {
            self.offer_expiries.remove(&(before, id));
        }
        self.change(id, touched, |offer| {
            offer.set_good_until(good_until);
            offer.paused = offer.paused.with(PauseReasons::EXPIRED, false);
            offer.updated_at = at;
        });
        // Indexed as the offer says it, which is what removes it from the index again.
        let set = self.offers.get(id).and_then(Offer::good_until);
        self.offer_expiries.extend(set.map(|good_until| (good_until, id)));
    }

    fn set_conditions(&mut self, id: OfferId, conditions: &Arc<OfferConditions>, touched: &mut Vec<OfferId>) {
        if self.offers.get(id).is_some() {
            self.conditional.insert(id, Arc::clone(conditions));
            self.change(id, touched, |offer| offer.set_conditional(true));
        }
    }

    fn expire_all(&mut self, offers: &[OfferId], touched: &mut Vec<OfferId>) {
        for id in offers {
            if let Some(good_until) = self.offers.get(*id).and_then(Offer::good_until) {
                self.offer_expiries.remove(&(good_until, *id));
            }
        }
        self.change_all(offers, touched, |offer| {
            offer.paused = offer.paused.with(PauseReasons::EXPIRED, true);
        });
    }

    fn change_terms(&mut self, sub_collection: SubCollectionId, touched: &mut Vec<OfferId>) {
        let Some(changes) = self.term_changes.get_mut(usize::from(sub_collection.0)) else { return };
        let Some(change) = changes.announced.take() else { return };
        let group = Arc::make_mut(&mut self.group);
        let Some(sub) = group.sub_collections.get_mut(usize::from(sub_collection.0)) else { return };
        let change_id = change.id;
        let (previous_interest, previous_term) = (sub.interest, sub.term);
        (sub.interest, sub.term) = (change.interest, change.term);
        changes.effective = Some(EffectiveChange { change, previous_interest, previous_term });
        let is_affected = |offer: &&Offer| offer.sub_collection == sub_collection;
        let ids: Vec<OfferId> = self.offers.iter().filter(is_affected).map(|offer| offer.id).collect();
        for id in ids {
            self.change(id, touched, |offer| {
                let agreed = offer.accepts_next_term() || offer.accepted_change == Some(change_id);
                if offer.process == ProcessType::Instant && !agreed {
                    offer.paused |= PauseReasons::TERMS;
                }
            });
        }
    }

    /// Whether an offer fills a borrow request or was negotiated, but its borrower cannot take it: it is paused, or the
    /// terms of its sub-collection are not those of the request any more.
    fn is_lost(&self, id: OfferId) -> bool {
        if self.is_agreed(id) {
            return self.offer(id).is_some_and(|offer| !offer.paused.is_empty());
        }
        let request = self.requests.filled_by(id).and_then(|request| self.requests.get(request));
        request.zip(self.offer(id)).is_some_and(|(request, offer)| {
            let sub = self.group.sub_collection(offer.sub_collection);
            !offer.paused.is_empty() || sub.is_none_or(|sub| !request.terms.accepts(sub))
        })
    }

    fn accept(&mut self, id: OfferId, change: TermChangeId, at: UnixMs, touched: &mut Vec<OfferId>) {
        let Some(offer) = self.offer(id) else { return };
        // Accepting an announced change does not accept the one already in effect.
        let in_effect = self.effective_change(offer.sub_collection).is_some_and(|now| now.change.id == change);
        self.change(id, touched, |offer| {
            offer.accepted_change = Some(change);
            if in_effect {
                offer.paused = offer.paused.with(PauseReasons::TERMS, false);
            }
            offer.updated_at = at;
        });
    }

    /// Changes an offer in place and updates all indices.
    pub(super) fn change(&mut self, id: OfferId, touched: &mut Vec<OfferId>, act: impl FnOnce(&mut Offer)) {
        let Some(offer) = self.offers.get_mut(id) else { return };
        let Some(own) = self.lenders.get_mut(&offer.lender) else { return };
        let (entry, before) = (RankingEntry::of(offer), OfferLiquidity::of(offer));
        act(offer);
        // The sats that the vault or the allowance must cover change with what can be taken, and the pause with them.
        if before.takeable != offer.takeable() {
            offer.paused = own.reasons_by_need(offer);
            own.set_need(offer.list_index, offer.takeable());
        }
        let (moved, after) = (RankingEntry::of(offer), OfferLiquidity::of(offer));
        if (before.live != after.live || entry != moved)
            && let Some(ranking) = self.rankings.get_mut(entry.ranking)
        {
            if before.live {
                let rank = ranking.seek(entry.rank);
                ranking.remove(&rank);
            }
            if after.live {
                let rank = ranking.seek(moved.rank);
                ranking.insert(&rank);
            }
        }
        if before != after {
            self.totals.update(own, entry.process, before, after);
        }
        // No borrower is signing for it.
        let is_idle = offer.is_conditional() && offer.held == Sats::ZERO;
        touched.push(id);
        if is_idle && self.is_lost(id) {
            self.remove_offer(id, touched);
        }
    }

    /// Changes many offers; each batch is prefetched before its first offer is read.
    fn change_all(&mut self, ids: &[OfferId], touched: &mut Vec<OfferId>, act: impl Fn(&mut Offer)) {
        const BATCH: usize = 16;
        for batch in ids.chunks(BATCH) {
            for id in batch {
                self.offers.prefetch(*id);
            }
            for id in batch {
                self.change(*id, touched, &act);
            }
        }
    }
}
