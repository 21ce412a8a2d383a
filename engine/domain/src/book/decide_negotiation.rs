//! The decisions about negotiations.

use std::sync::Arc;

use smallvec::smallvec;

use crate::{
    Allowance, BorrowRequest, Bundle, CollateralType, Limits, NamedBorrower, NegotiatedLoan, Negotiation,
    NegotiationEnd, NegotiationId, NegotiationRejection, NegotiationSubject, Offer, OfferConditions, OfferId,
    OfferTerms, ProcessType, Proposal, ProposedTerms, Quantity, RequestId, Role, SubCollectionId, Taker, UnitPrice,
    UnixMs, UserId,
};

use super::{
    BookEvent, Events, OrderBook, Rejection,
    decide::{Asked, Decision},
    lender_offers::LenderOffers,
};

/// The maximum number of negotiations in one event.
const NEGOTIATIONS_PER_EVENT_MAX: usize = 1_000;

impl OrderBook {
    /// Opens a negotiation about an offer that the borrower could take. Where the offer is open in its amount, `quantity`
    /// is the collateral; elsewhere it is that of the offer.
    pub(super) fn negotiate_offer(
        &self,
        borrower: &NamedBorrower,
        taker: &Taker,
        id: OfferId,
        quantity: Option<Quantity>,
        asked: Asked,
    ) -> Decision {
        let offer = self.offer(id).ok_or(Rejection::UnknownOffer(id))?;
        let conditions = self.conditions(id);
        // For others than its borrower an offer that is not listed does not exist.
        if conditions.is_some_and(|asks| !asks.is_listed() && asks.borrower_id() != Some(taker.user)) {
            return Err(Rejection::UnknownOffer(id));
        }
        offer.check_takeable(taker.user, asked.now)?;
        conditions.map_or(Ok(()), |conditions| conditions.check(id, taker, asked.now))?;
        let loan = NegotiatedLoan {
            subject: NegotiationSubject::Offer(id),
            borrower: borrower.clone(),
            lender: offer.lender,
            sub_collection: offer.sub_collection,
            inscription: taker.inscription,
            quantity: self.negotiated_quantity(offer, taker, quantity)?,
        };
        self.open_negotiation(loan, Role::Borrower, asked)
    }

    /// Opens a negotiation about a borrow request.
    pub(super) fn negotiate_request(&self, lender: UserId, id: RequestId, asked: Asked) -> Decision {
        let request = self.open_request(id, asked.now)?;
        if request.terms.borrower.user == lender {
            return Err(Rejection::OwnRequest(id));
        }
        let loan = NegotiatedLoan {
            subject: NegotiationSubject::Request(id),
            borrower: request.terms.borrower.clone(),
            lender,
            sub_collection: self.listing_of(request.terms.quantity)?,
            inscription: request.terms.inscription,
            quantity: request.terms.quantity,
        };
        self.open_negotiation(loan, Role::Lender, asked)
    }

    fn open_negotiation(&self, loan: NegotiatedLoan, by: Role, asked: Asked) -> Decision {
        let proposal = self.proposal(by, loan.quantity, asked)?;
        let (opener, other) = match by {
            Role::Borrower => (loan.borrower.user, loan.lender),
            Role::Lender => (loan.lender, loan.borrower.user),
        };
        let same = |known: &&Negotiation| known.is_open() && known.opener() == opener;
        if let Some(known) = self.negotiations.about(loan.subject).find(same) {
            return Err(NegotiationRejection::AlreadyOpen(known.id).into());
        }
        let own = self.negotiations.of(opener).filter(|known| known.opener() == opener).count();
        let bounds = [
            (own, Negotiation::PER_OPENER_MAX),
            (self.negotiations.of(opener).count(), Negotiation::PER_USER_MAX),
            (self.negotiations.of(other).count(), Negotiation::PER_USER_MAX),
            (self.negotiations.len(), Negotiation::PER_BOOK_MAX),
        ];
        if let Some((_, max)) = bounds.into_iter().find(|(count, max)| count >= max) {
            return Err(NegotiationRejection::TooMany { max }.into());
        }
        let id = NegotiationId::new(self.group.id, self.negotiations.latest + 1).ok_or(Rejection::IdsExhausted)?;
        Ok(smallvec![
            BookEvent::NegotiationOpened { negotiation: id, loan: Arc::new(loan) },
            BookEvent::ProposalMade { negotiation: id, proposal },
        ])
    }

    /// Answers a proposal by another one.
    pub(super) fn propose(&self, user: UserId, id: NegotiationId, round: usize, asked: Asked) -> Decision {
        let negotiation = self.negotiation(id).ok_or(NegotiationRejection::Unknown(id))?;
        let answered = negotiation.check_answer(user, round, asked.now)?;
        let max = Negotiation::ROUNDS_MAX;
        if negotiation.proposals.len() >= max {
            return Err(NegotiationRejection::TooManyRounds { max }.into());
        }
        let proposal = self.proposal(answered.by.other(), negotiation.loan.quantity, asked)?;
        Ok(smallvec![BookEvent::ProposalMade { negotiation: id, proposal }])
    }

    /// Accepts the latest proposal: creates an offer with its terms that only the borrower can take, for a limited time.
    pub(super) fn accept_proposal(
        &self,
        user: UserId,
        id: NegotiationId,
        round: usize,
        allowance: Allowance,
        now: UnixMs,
    ) -> Decision {
        let negotiation = self.negotiation(id).ok_or(NegotiationRejection::Unknown(id))?;
        let Proposal { terms, .. } = *negotiation.check_answer(user, round, now)?;
        let loan = &negotiation.loan;
        let request = match loan.subject {
            NegotiationSubject::Request(request) => Some(self.open_request(request, now)?.id),
            NegotiationSubject::Offer(_) => None,
        };
        self.check_terms(terms, loan.quantity)?;
        let covered = allowance.check(ProcessType::Manual, terms.principal);
        // What a lender's limits leave is for the lender alone.
        covered
            .map_err(|over| if user == loan.lender { over } else { NegotiationRejection::LenderLimited(id).into() })?;
        let max = usize::from(self.limits.offers_per_lender_max);
        if self.lenders.get(&loan.lender).map_or(0, LenderOffers::count) >= max {
            return Err(Rejection::TooManyOffers { max });
        }
        let max = OfferConditions::PER_BORROWER_MAX;
        let is_free = |offer: &&Offer| self.requests.filled_by(offer.id).is_none();
        if request.is_none() && self.offers_for(loan.borrower.user).filter(is_free).count() >= max {
            return Err(Rejection::TooManyForBorrower { max });
        }
        let offer = OfferId::new(self.group.id, self.latest_offer + 1).ok_or(Rejection::IdsExhausted)?;
        // Under an allowance that is out of date it would be paused at once.
        let mut events: Events = self.allowance_changed(loan.lender, allowance).into_iter().collect();
        events.extend([
            BookEvent::OfferCreated { offer, lender: loan.lender, terms: offer_terms(loan, terms) },
            BookEvent::ProposalAccepted { negotiation: id, offer },
            BookEvent::GoodUntilSet { offer, good_until: Some(now.plus_ms(BorrowRequest::SIGNING_MS)) },
            BookEvent::ConditionsSet { offer, conditions: Arc::new(conditions(loan)) },
        ]);
        events.extend(request.map(|request| BookEvent::RequestFilled { request, offer }));
        Ok(events)
    }

    /// Declines the latest proposal, or withdraws one's own.
    pub(super) fn end_negotiation(&self, user: UserId, id: NegotiationId) -> Decision {
        let negotiation = self.negotiation(id).ok_or(NegotiationRejection::Unknown(id))?;
        let role = negotiation.role_of(user).ok_or(NegotiationRejection::Unknown(id))?;
        if !negotiation.is_open() {
            return Err(NegotiationRejection::Over(id).into());
        }
        let is_own = negotiation.latest().is_some_and(|latest| latest.by == role);
        let end = if is_own { NegotiationEnd::Withdrawn } else { NegotiationEnd::Declined };
        Ok(smallvec![BookEvent::NegotiationEnded { negotiation: id, end }])
    }

    pub(super) fn expire_negotiations(&self, now: UnixMs) -> Events {
        let expired: Vec<NegotiationId> = self.negotiations.expired(now).collect();
        let events = expired.chunks(NEGOTIATIONS_PER_EVENT_MAX);
        events.map(|negotiations| BookEvent::NegotiationsExpired { negotiations: negotiations.to_vec() }).collect()
    }

    /// Returns a proposal with checked terms, and a checked time for which it is good.
    fn proposal(&self, by: Role, quantity: Quantity, asked: Asked) -> Result<Proposal, Rejection> {
        let Asked { terms, good_until, now } = asked;
        self.check_terms(terms, quantity)?;
        Limits::check_time(good_until, now, Negotiation::GOOD_FOR_MAX_MS)?;
        Ok(Proposal { by, terms, good_until })
    }

    /// Checks that a loan could be made on these terms, which are those of a manual offer apart from interest and term.
    fn check_terms(&self, terms: ProposedTerms, quantity: Quantity) -> Result<(), Rejection> {
        if !self.group.is_lending_allowed {
            return Err(Rejection::LendingNotAllowed);
        }
        let price = self.price.ok_or(Rejection::NoPrice)?;
        let min = self.limits.min_offer(&self.group.collateral, ProcessType::Manual);
        self.limits.check_principal(terms.principal, min)?;
        self.limits.check_negotiated(terms.loan)?;
        let ltv = price.ltv_of(UnitPrice::quoted(terms.principal, quantity));
        if ltv >= Limits::OFFER_LTV_END { Err(Rejection::AboveCeiling { ltv }) } else { Ok(()) }
    }

    /// The collateral of a negotiation about an offer.
    fn negotiated_quantity(
        &self,
        offer: &Offer,
        taker: &Taker,
        asked: Option<Quantity>,
    ) -> Result<Quantity, Rejection> {
        if taker.inscription.is_some() != (self.group.collateral == CollateralType::Inscription) {
            return Err(Rejection::WrongQuantity);
        }
        let sub = self.group.sub_collection(offer.sub_collection);
        let sub = sub.ok_or(Rejection::UnknownSubCollection(offer.sub_collection))?;
        match (sub.bundle, asked) {
            (Bundle::Fixed(bundle), None) => Ok(bundle),
            (Bundle::Open, Some(asked)) if asked.raw > 0 && asked.decimals == self.group.collateral.decimals() => {
                Ok(asked)
            }
            _ => Err(Rejection::WrongQuantity),
        }
    }

    /// The sub-collection in which a loan against this collateral is listed.
    fn listing_of(&self, quantity: Quantity) -> Result<SubCollectionId, Rejection> {
        let fits = |bundle: Bundle| bundle == Bundle::Fixed(quantity) || bundle == Bundle::Open;
        let mut subs = self.group.sub_collections.iter().filter(|sub| fits(sub.bundle));
        subs.next().map(|sub| sub.id).ok_or(Rejection::QuantityOfRequest { asked: quantity })
    }

    /// A request that can be filled now.
    fn open_request(&self, id: RequestId, now: UnixMs) -> Result<&BorrowRequest, Rejection> {
        let request = self.unfilled_request(id)?;
        if request.terms.good_until <= now { Err(Rejection::RequestExpired(id)) } else { Ok(request) }
    }
}

/// The terms of the offer that an accepted proposal leads to.
fn offer_terms(loan: &NegotiatedLoan, terms: ProposedTerms) -> OfferTerms {
    OfferTerms {
        sub_collection: loan.sub_collection,
        process: ProcessType::Manual,
        principal: terms.principal,
        quantity: loan.quantity,
        smallest_take: terms.principal,
        max_ltv: None,
        accepts_next_term: false,
    }
}

/// The conditions of that offer.
fn conditions(loan: &NegotiatedLoan) -> OfferConditions {
    OfferConditions {
        borrower: Some(loan.borrower.clone()),
        inscriptions: loan.inscription.into_iter().collect(),
        ..OfferConditions::default()
    }
}
