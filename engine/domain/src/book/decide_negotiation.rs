//! The decisions about negotiations.

use std::sync::Arc;

use smallvec::smallvec;

use crate::{
    Allowance, BorrowRequest, CollateralType, Inscription, Limits, LoanId, NamedBorrower, NegotiatedLoan, Negotiation,
    NegotiationEnd, NegotiationId, NegotiationRejection, NegotiationSubject, Offer, OfferConditions, OfferId,
    OfferTerms, PauseReasons, ProcessType, Proposal, ProposedTerms, Quantity, RequestId, RequestTerms, Role,
    SubCollectionId, Taker, UnitPrice, UnixMs, UserId,
};

use super::{
    BookEvent, Events, OrderBook, Rejection,
    decide::{Asked, Decision},
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
        if conditions.is_some_and(|conditions| conditions.is_hidden_from(taker.user)) {
            return Err(Rejection::UnknownOffer(id));
        }
        offer.check_takeable(taker.user, asked.now)?;
        conditions.map_or(Ok(()), |conditions| conditions.check(offer, taker, asked.now))?;
        let loan = NegotiatedLoan {
            subject: NegotiationSubject::Offer(id),
            borrower: borrower.clone(),
            lender: offer.lender,
            sub_collection: offer.sub_collection,
            inscriptions: taker.inscriptions.clone(),
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
            sub_collection: self.listing_of(&request.terms)?,
            inscriptions: request.terms.inscriptions.clone(),
            quantity: request.terms.quantity,
        };
        self.open_negotiation(loan, Role::Lender, asked)
    }

    /// Opens a negotiation about the extension of a running loan, by either side.
    pub(super) fn negotiate_loan(
        &self,
        user: UserId,
        id: LoanId,
        borrower: &NamedBorrower,
        inscriptions: &[Inscription],
        asked: Asked,
    ) -> Decision {
        let loan = self.loan(id).filter(|loan| loan.borrower == borrower.user).ok_or(Rejection::UnknownLoan(id))?;
        let by = match user {
            _ if user == loan.borrower => Role::Borrower,
            _ if user == loan.lender => Role::Lender,
            _ => return Err(Rejection::UnknownLoan(id)),
        };
        let quantity = match self.group.collateral {
            CollateralType::Inscription => Quantity::of_inscriptions(inscriptions),
            CollateralType::Rune { .. } | CollateralType::Brc20 { .. } => {
                inscriptions.is_empty().then(|| Quantity::tokens(loan.pledged_raw, self.group.collateral.decimals()))
            }
        };
        let quantity = quantity.filter(|quantity| quantity.raw == loan.pledged_raw).ok_or(Rejection::WrongQuantity)?;
        let loan = NegotiatedLoan {
            subject: NegotiationSubject::Loan(id),
            borrower: borrower.clone(),
            lender: loan.lender,
            sub_collection: loan.sub_collection,
            inscriptions: inscriptions.to_vec(),
            quantity,
        };
        self.open_negotiation(loan, by, asked)
    }

    fn open_negotiation(&self, loan: NegotiatedLoan, by: Role, asked: Asked) -> Decision {
        let proposal = self.proposal(by, &loan, asked)?;
        let (opener, other) = match by {
            Role::Borrower => (loan.borrower.user, loan.lender),
            Role::Lender => (loan.lender, loan.borrower.user),
        };
        let is_for_both = matches!(loan.subject, NegotiationSubject::Loan(_));
        let same = |known: &&Negotiation| known.is_open() && (is_for_both || known.opener() == opener);
        if let Some(known) = self.negotiations.about(loan.subject).find(same) {
            return Err(NegotiationRejection::AlreadyOpen(known.id).into());
        }
        self.check_bounds(opener, other)?;
        // Those that are over are kept for their two sides only as long as there is room.
        let full = self.negotiations.len() >= Negotiation::PER_BOOK_MAX;
        let over = full.then(|| self.negotiations.first_over()).flatten();
        if full && over.is_none() {
            return Err(NegotiationRejection::TooMany { max: Negotiation::PER_BOOK_MAX }.into());
        }
        let id = NegotiationId::new(self.group.id, self.negotiations.latest + 1).ok_or(Rejection::IdsExhausted)?;
        let dropped = over.map(|over| BookEvent::NegotiationsExpired { negotiations: vec![over] });
        let mut events: Events = dropped.into_iter().collect();
        events.push(BookEvent::NegotiationOpened { negotiation: id, loan: Arc::new(loan) });
        events.push(BookEvent::ProposalMade { negotiation: id, proposal });
        Ok(events)
    }

    /// Checks the numbers of negotiations that a user has opened, and that the other side has received. Those that are
    /// over count for the one who opened them alone: the other side can always make room by an answer.
    fn check_bounds(&self, opener: UserId, other: UserId) -> Result<(), Rejection> {
        let own = || self.negotiations.of(opener).filter(|known| known.opener() == opener);
        let received = self.negotiations.of(other).filter(|known| known.opener() != other && known.is_open());
        let bounds = [
            (own().count(), Negotiation::PER_OPENER_MAX),
            (own().filter(|known| known.parties().contains(&other)).count(), Negotiation::PER_PAIR_MAX),
            (received.count(), Negotiation::RECEIVED_MAX),
        ];
        match bounds.into_iter().find(|(count, max)| count >= max) {
            Some((_, max)) => Err(NegotiationRejection::TooMany { max }.into()),
            None => Ok(()),
        }
    }

    /// Answers a proposal by another one.
    pub(super) fn propose(&self, user: UserId, id: NegotiationId, round: usize, asked: Asked) -> Decision {
        let negotiation = self.negotiation(id).ok_or(NegotiationRejection::Unknown(id))?;
        let answered = negotiation.check_answer(user, round, asked.now)?;
        let max = Negotiation::ROUNDS_MAX;
        if negotiation.proposals.len() >= max {
            return Err(NegotiationRejection::TooManyRounds { max }.into());
        }
        let proposal = self.proposal(answered.by.other(), &negotiation.loan, asked)?;
        Ok(smallvec![BookEvent::ProposalMade { negotiation: id, proposal }])
    }

    /// Accepts the latest proposal: creates an offer with its terms that only the borrower can take, for a limited time.
    /// About a running loan, its terms are those of an extension, and no offer is needed.
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
            NegotiationSubject::Offer(offer) => {
                self.check_still_offered(offer, user, now)?;
                None
            }
            NegotiationSubject::Loan(_) => {
                self.check_terms(loan, terms)?;
                return Ok(smallvec![BookEvent::ExtensionAgreed { negotiation: id }]);
            }
        };
        self.check_terms(loan, terms)?;
        let covered = allowance.check(ProcessType::Manual, terms.principal);
        // What a lender's limits leave is for the lender alone.
        covered
            .map_err(|over| if user == loan.lender { over } else { NegotiationRejection::LenderLimited(id).into() })?;
        self.check_offer_limit(loan.lender, 1)?;
        let offer = self.next_offer().ok_or(Rejection::IdsExhausted)?;
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
    pub(super) fn end_negotiation(&self, user: UserId, id: NegotiationId, round: usize) -> Decision {
        let negotiation = self.negotiation(id).ok_or(NegotiationRejection::Unknown(id))?;
        let role = negotiation.check_seen(user, round)?;
        let is_own = negotiation.latest().is_some_and(|latest| latest.by == role);
        let end = if is_own { NegotiationEnd::Withdrawn } else { NegotiationEnd::Declined };
        Ok(smallvec![BookEvent::NegotiationEnded { negotiation: id, end }])
    }

    /// Checks that a borrower does not agree to what a lender has paused since, or let expire. A lender who accepts knows.
    fn check_still_offered(&self, id: OfferId, user: UserId, now: UnixMs) -> Result<(), Rejection> {
        let Some(offer) = self.offer(id).filter(|offer| offer.lender != user) else { return Ok(()) };
        if offer.is_expired(now) {
            return Err(Rejection::OfferExpired(id));
        }
        if offer.paused.contains(PauseReasons::LENDER) { Err(Rejection::OfferPaused(id)) } else { Ok(()) }
    }

    pub(super) fn expire_negotiations(&self, now: UnixMs) -> Events {
        let expired: Vec<NegotiationId> = self.negotiations.expired(now).collect();
        let events = expired.chunks(NEGOTIATIONS_PER_EVENT_MAX);
        events.map(|negotiations| BookEvent::NegotiationsExpired { negotiations: negotiations.to_vec() }).collect()
    }

    /// Returns a proposal with checked terms, and a checked time for which it is good.
    fn proposal(&self, by: Role, loan: &NegotiatedLoan, asked: Asked) -> Result<Proposal, Rejection> {
        let Asked { terms, good_until, now } = asked;
        self.check_terms(loan, terms)?;
        Limits::check_time(good_until, now, Negotiation::GOOD_FOR_MAX_MS)?;
        Ok(Proposal { by, terms, good_until })
    }

    /// Checks that a loan could be made on these terms, which are those of a manual offer apart from interest and term. The
    /// money of an extension is lent already: its principal stays, and neither floor nor limits of offers concern it.
    fn check_terms(&self, loan: &NegotiatedLoan, terms: ProposedTerms) -> Result<(), Rejection> {
        if let NegotiationSubject::Loan(id) = loan.subject {
            let principal = self.loan(id).ok_or(Rejection::UnknownLoan(id))?.principal;
            if terms.principal != principal {
                return Err(NegotiationRejection::PrincipalChanged { principal }.into());
            }
            return Ok(self.limits.check_negotiated(terms.loan)?);
        }
        if !self.group.is_lending_allowed {
            return Err(Rejection::LendingNotAllowed);
        }
        let price = self.price.ok_or(Rejection::NoPrice)?;
        let min = self.limits.min_offer(&self.group.collateral, ProcessType::Manual);
        self.limits.check_principal(terms.principal, min)?;
        self.limits.check_negotiated(terms.loan)?;
        let ltv = price.ltv_of(UnitPrice::quoted(terms.principal, loan.quantity));
        if ltv >= Limits::OFFER_LTV_END { Err(Rejection::AboveCeiling { ltv }) } else { Ok(()) }
    }

    /// The collateral of a negotiation about an offer.
    fn negotiated_quantity(
        &self,
        offer: &Offer,
        taker: &Taker,
        asked: Option<Quantity>,
    ) -> Result<Quantity, Rejection> {
        if taker.inscriptions.is_empty() == (self.group.collateral == CollateralType::Inscription) {
            return Err(Rejection::WrongQuantity);
        }
        let sub = self.group.sub_collection(offer.sub_collection);
        let sub = sub.ok_or(Rejection::UnknownSubCollection(offer.sub_collection))?;
        let quantity = sub.pledged_quantity(asked, self.group.collateral.decimals())?;
        let is_whole = Quantity::of_inscriptions(&taker.inscriptions) == Some(quantity);
        if taker.inscriptions.is_empty() || is_whole { Ok(quantity) } else { Err(Rejection::WrongQuantity) }
    }

    /// The sub-collection in which a loan against the collateral of a request is listed: one that takes manual offers if
    /// there is any.
    fn listing_of(&self, terms: &RequestTerms) -> Result<SubCollectionId, Rejection> {
        let fitting = self.group.sub_collections.iter().filter(|sub| terms.fits(sub.bundle));
        let first = fitting.min_by_key(|sub| (!sub.manual, sub.id));
        first.map(|sub| sub.id).ok_or(Rejection::QuantityOfRequest { asked: terms.quantity })
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
        inscriptions: loan.inscriptions.clone(),
        ..OfferConditions::default()
    }
}
