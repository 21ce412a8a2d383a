//! The negotiations of the naive book: a list, searched at every read.

use std::{collections::BTreeSet, sync::Arc};

use domain::{
    Allowance, Bundle, CollateralType, Command, Inscription, LoanId, LoanTerms, NamedBorrower, NegotiatedLoan,
    NegotiationId, NegotiationRejection, NegotiationState, NegotiationSubject, OfferConditions, OfferDraft, OfferId,
    ProcessType, Proposal, ProposedTerms, Quantity, Rejection, RequestId, Role, Sats, SubCollectionId, Taker, UnixMs,
    UserId,
};

use super::{NaiveBook, NaiveOffer, ltv_of, naive_requests, quote_of};

#[derive(Clone, Debug)]
pub(crate) struct NaiveNegotiation {
    pub(crate) id: NegotiationId,
    pub(crate) loan: NegotiatedLoan,
    pub(crate) proposals: Vec<Proposal>,
    pub(crate) state: NegotiationState,
    pub(crate) kept_until: UnixMs,
}

impl NaiveNegotiation {
    fn side(&self, user: UserId) -> Option<Role> {
        match user {
            _ if user == self.loan.lender => Some(Role::Lender),
            _ if user == self.loan.borrower.user => Some(Role::Borrower),
            _ => None,
        }
    }

    fn is_of(&self, user: UserId) -> bool {
        self.side(user).is_some()
    }

    /// The user who made the first proposal.
    fn opener(&self) -> UserId {
        match self.proposals[0].by {
            Role::Borrower => self.loan.borrower.user,
            Role::Lender => self.loan.lender,
        }
    }
}

impl NaiveBook {
    pub(crate) fn find_negotiation(&self, id: NegotiationId) -> Option<&NaiveNegotiation> {
        self.negotiations.iter().find(|negotiation| negotiation.id == id)
    }

    /// The interest and the term of loans by an offer, by searching the negotiations that led to offers.
    pub(crate) fn loan_terms(&self, offer: OfferId, sub: SubCollectionId) -> Option<LoanTerms> {
        let agreed = self.agreed.get(&offer).copied();
        agreed
            .or_else(|| self.group.sub_collection(sub).map(|sub| LoanTerms { interest: sub.interest, days: sub.term }))
    }

    /// Removes negotiated offers that their borrowers cannot take any more: after every command, by looking at all of
    /// them.
    pub(super) fn settle_agreed(&mut self) {
        let is_lost = |offer: &NaiveOffer| {
            self.agreed.contains_key(&offer.id) && self.held(offer.id) == 0 && !self.pauses(offer).is_empty()
        };
        let lost: Vec<OfferId> = self.offers.iter().filter(|offer| is_lost(offer)).map(|offer| offer.id).collect();
        self.offers.retain(|offer| !lost.contains(&offer.id));
    }

    /// Ends the negotiations whose offer, request or loan is not in the book any more.
    pub(super) fn settle_negotiations(&mut self) {
        let mut negotiations = std::mem::take(&mut self.negotiations);
        for negotiation in negotiations.iter_mut().filter(|known| known.state == NegotiationState::Open) {
            let is_there = match negotiation.loan.subject {
                NegotiationSubject::Offer(offer) => self.find(offer).is_some(),
                NegotiationSubject::Request(request) => self.find_request(request).is_some(),
                NegotiationSubject::Loan(loan) => self.loans.iter().any(|known| known.id == loan),
            };
            if !is_there {
                negotiation.state = NegotiationState::Closed;
            }
        }
        self.negotiations = negotiations;
    }

    pub(super) fn execute_on_negotiation(&mut self, command: &Command, now: UnixMs) -> Result<(), Rejection> {
        match command {
            Command::NegotiateOffer { borrower, taker, offer, quantity, terms, good_until } => {
                let (lender, sub_collection, quantity) = self.subject_offer(*offer, taker, *quantity, now)?;
                let subject = NegotiationSubject::Offer(*offer);
                let (borrower, inscriptions) = (borrower.clone(), taker.inscriptions.clone());
                let loan = NegotiatedLoan { subject, borrower, lender, sub_collection, inscriptions, quantity };
                self.open(loan, Role::Borrower, *terms, *good_until, now)
            }
            Command::NegotiateRequest { lender, request, terms, good_until } => {
                let asked = self.fillable(*request, now)?.clone();
                if asked.borrower.user == *lender {
                    return Err(Rejection::OwnRequest(*request));
                }
                let fits = |bundle: Bundle| naive_requests::fits(&asked, bundle);
                let find = |is_manual: bool| {
                    let mut subs = self.group.sub_collections.iter();
                    subs.position(|sub| fits(sub.bundle) && (sub.manual || !is_manual))
                };
                let index = find(true).or_else(|| find(false));
                let index = index.ok_or(Rejection::QuantityOfRequest { asked: asked.quantity })?;
                let loan = NegotiatedLoan {
                    subject: NegotiationSubject::Request(*request),
                    borrower: asked.borrower.clone(),
                    lender: *lender,
                    sub_collection: SubCollectionId(u16::try_from(index).unwrap()),
                    inscriptions: asked.inscriptions.clone(),
                    quantity: asked.quantity,
                };
                self.open(loan, Role::Lender, *terms, *good_until, now)
            }
            Command::NegotiateLoan { user, loan, borrower, inscriptions, terms, good_until } => {
                let (loan, by) = self.subject_loan(*user, *loan, borrower, inscriptions)?;
                self.open(loan, by, *terms, *good_until, now)
            }
            Command::Propose { user, negotiation, round, terms, good_until } => {
                let known = self.answerable(*user, *negotiation, *round, now)?;
                if known.proposals.len() == 10 {
                    return Err(NegotiationRejection::TooManyRounds { max: 10 }.into());
                }
                let by = known.side(*user).unwrap();
                self.check_negotiable(&known.loan, *terms)?;
                check_72_hours(*good_until, now)?;
                let known = self.negotiations.iter_mut().find(|known| known.id == *negotiation).unwrap();
                known.proposals.push(Proposal { by, terms: *terms, good_until: *good_until });
                known.kept_until = *good_until;
                Ok(())
            }
            Command::AcceptProposal { user, negotiation, round, allowance } => {
                self.accept_proposal(*user, *negotiation, *round, *allowance, now)
            }
            Command::EndNegotiation { user, negotiation, round } => {
                let found = self.negotiations.iter_mut().find(|known| known.id == *negotiation && known.is_of(*user));
                let known = found.ok_or(NegotiationRejection::Unknown(*negotiation))?;
                if known.state != NegotiationState::Open {
                    return Err(NegotiationRejection::Over(*negotiation).into());
                }
                if known.proposals.len() != *round {
                    let round = known.proposals.len();
                    return Err(NegotiationRejection::Replaced { id: *negotiation, round }.into());
                }
                let is_own = known.proposals.last().unwrap().by == known.side(*user).unwrap();
                known.state = if is_own { NegotiationState::Withdrawn } else { NegotiationState::Declined };
                Ok(())
            }
            _ => {
                self.negotiations.retain(|known| known.kept_until > now);
                Ok(())
            }
        }
    }

    /// The lender, the sub-collection and the collateral of an offer to negotiate.
    fn subject_offer(
        &self,
        id: OfferId,
        taker: &Taker,
        asked: Option<Quantity>,
        now: UnixMs,
    ) -> Result<(UserId, SubCollectionId, Quantity), Rejection> {
        let offer = self.find(id).ok_or(Rejection::UnknownOffer(id))?;
        if let Some(conditions) = &offer.conditions {
            let is_hidden = conditions.link_key.is_some() || conditions.borrower.is_some();
            if is_hidden && conditions.borrower_id() != Some(taker.user) {
                return Err(Rejection::UnknownOffer(id));
            }
        }
        self.check_taker(offer, taker, now)?;
        let is_inscription = self.group.collateral == CollateralType::Inscription;
        if taker.inscriptions.is_empty() == is_inscription {
            return Err(Rejection::WrongQuantity);
        }
        let quantity = match (self.group.sub_collection(offer.sub).unwrap().bundle, asked) {
            (Bundle::Fixed(bundle), None) => {
                let distinct: BTreeSet<_> = taker.inscriptions.iter().collect();
                let is_whole = u128::try_from(distinct.len()) == Ok(bundle.raw);
                if is_inscription && !(is_whole && distinct.into_iter().eq(&taker.inscriptions)) {
                    return Err(Rejection::WrongQuantity);
                }
                bundle
            }
            (Bundle::Open, Some(asked)) if asked.raw != 0 && asked.decimals == self.group.collateral.decimals() => {
                asked
            }
            _ => return Err(Rejection::WrongQuantity),
        };
        Ok((offer.lender, offer.sub, quantity))
    }

    /// A running loan to extend, and the side of a user.
    fn subject_loan(
        &self,
        user: UserId,
        id: LoanId,
        borrower: &NamedBorrower,
        inscriptions: &[Inscription],
    ) -> Result<(NegotiatedLoan, Role), Rejection> {
        let found = self.loans.iter().find(|known| known.id == id && known.borrower == borrower.user);
        let known = found.ok_or(Rejection::UnknownLoan(id))?;
        let by = if known.borrower == user { Role::Borrower } else { Role::Lender };
        if by == Role::Lender && known.lender != user {
            return Err(Rejection::UnknownLoan(id));
        }
        let is_right = if self.group.collateral == CollateralType::Inscription {
            let distinct: BTreeSet<_> = inscriptions.iter().collect();
            u128::try_from(distinct.len()) == Ok(known.pledged_raw) && distinct.into_iter().eq(inscriptions)
        } else {
            inscriptions.is_empty()
        };
        if !is_right {
            return Err(Rejection::WrongQuantity);
        }
        let loan = NegotiatedLoan {
            subject: NegotiationSubject::Loan(id),
            borrower: borrower.clone(),
            lender: known.lender,
            sub_collection: known.sub,
            inscriptions: inscriptions.to_vec(),
            quantity: Quantity { raw: known.pledged_raw, decimals: self.group.collateral.decimals() },
        };
        Ok((loan, by))
    }

    fn fillable(&self, id: RequestId, now: UnixMs) -> Result<&domain::RequestTerms, Rejection> {
        let terms = &self.unfilled(id)?.terms;
        if now < terms.good_until { Ok(terms) } else { Err(Rejection::RequestExpired(id)) }
    }

    fn open(
        &mut self,
        loan: NegotiatedLoan,
        by: Role,
        terms: ProposedTerms,
        good_until: UnixMs,
        now: UnixMs,
    ) -> Result<(), Rejection> {
        self.check_negotiable(&loan, terms)?;
        check_72_hours(good_until, now)?;
        let (opener, other) =
            if by == Role::Lender { (loan.lender, loan.borrower.user) } else { (loan.borrower.user, loan.lender) };
        let known = self.negotiations.iter().find(|known| {
            let is_own = known.opener() == opener || matches!(loan.subject, NegotiationSubject::Loan(_));
            known.loan.subject == loan.subject && is_own && known.state == NegotiationState::Open
        });
        if let Some(known) = known {
            return Err(NegotiationRejection::AlreadyOpen(known.id).into());
        }
        let own: Vec<_> = self.negotiations.iter().filter(|known| known.opener() == opener).collect();
        let received = self
            .negotiations
            .iter()
            .filter(|known| known.is_of(other) && known.opener() != other && known.state == NegotiationState::Open);
        if own.len() >= 20 {
            return Err(NegotiationRejection::TooMany { max: 20 }.into());
        }
        if own.iter().filter(|known| known.is_of(other)).count() >= 5 {
            return Err(NegotiationRejection::TooMany { max: 5 }.into());
        }
        if received.count() >= 100 {
            return Err(NegotiationRejection::TooMany { max: 100 }.into());
        }
        self.latest_negotiation += 1;
        self.negotiations.push(NaiveNegotiation {
            id: NegotiationId::new(self.group.id, self.latest_negotiation).unwrap(),
            loan,
            proposals: vec![Proposal { by, terms, good_until }],
            state: NegotiationState::Open,
            kept_until: good_until,
        });
        Ok(())
    }

    fn answerable(
        &self,
        user: UserId,
        id: NegotiationId,
        round: usize,
        now: UnixMs,
    ) -> Result<&NaiveNegotiation, Rejection> {
        let found = self.find_negotiation(id).filter(|known| known.is_of(user));
        let known = found.ok_or(NegotiationRejection::Unknown(id))?;
        let latest = known.proposals.last().unwrap();
        if known.state != NegotiationState::Open {
            return Err(NegotiationRejection::Over(id).into());
        }
        if known.proposals.len() != round {
            return Err(NegotiationRejection::Replaced { id, round: known.proposals.len() }.into());
        }
        if latest.good_until <= now {
            return Err(NegotiationRejection::Over(id).into());
        }
        if Some(latest.by) == known.side(user) { Err(NegotiationRejection::NotYourTurn(id).into()) } else { Ok(known) }
    }

    fn accept_proposal(
        &mut self,
        user: UserId,
        id: NegotiationId,
        round: usize,
        allowance: Allowance,
        now: UnixMs,
    ) -> Result<(), Rejection> {
        let known = self.answerable(user, id, round, now)?;
        let (loan, terms) = (known.loan.clone(), known.proposals.last().unwrap().terms);
        let request = match loan.subject {
            NegotiationSubject::Offer(id) => {
                let offer = self.find(id).expect("an open negotiation ends with its offer");
                if user != loan.lender && (offer.expired || offer.good_until.is_some_and(|time| time <= now)) {
                    return Err(Rejection::OfferExpired(id));
                }
                if user != loan.lender && offer.paused_by_lender {
                    return Err(Rejection::OfferPaused(id));
                }
                None
            }
            NegotiationSubject::Request(request) => {
                self.fillable(request, now)?;
                Some(request)
            }
            NegotiationSubject::Loan(_) => {
                self.check_negotiable(&loan, terms)?;
                let known = self.negotiations.iter_mut().find(|known| known.id == id).unwrap();
                known.state = NegotiationState::ExtensionAgreed;
                known.kept_until = now.plus_ms(12 * 3_600_000);
                return Ok(());
            }
        };
        self.check_negotiable(&loan, terms)?;
        let available = if allowance.is_absent { Some(Sats::ZERO) } else { allowance.available };
        if let Some(available) = available.filter(|available| terms.principal > *available) {
            let is_lender = user == loan.lender;
            return Err(if is_lender {
                Rejection::OverLendingLimits { available }
            } else {
                NegotiationRejection::LenderLimited(id).into()
            });
        }
        let max = usize::from(self.limits.offers_per_lender_max);
        if self.offers.iter().filter(|offer| offer.lender == loan.lender).count() >= max {
            return Err(Rejection::TooManyOffers { max });
        }
        let draft = OfferDraft {
            cancels_on_disconnect: false,
            sub_collection: loan.sub_collection,
            process: ProcessType::Manual,
            principal: terms.principal,
            quantity: None,
            max_ltv: None,
            principal_min: None,
            accepts_next_term: false,
            good_until: Some(now.plus_ms(12 * 3_600_000)),
            conditions: Some(Arc::new(OfferConditions {
                borrower: Some(loan.borrower.clone()),
                inscriptions: loan.inscriptions.clone(),
                ..OfferConditions::default()
            })),
        };
        self.insert(loan.lender, &draft, (loan.quantity, terms.principal.get()), false);
        let offer = self.offers.last().expect("it was just created").id;
        self.allowances.insert(loan.lender, allowance);
        self.agreed.insert(offer, terms.loan);
        let known = self.negotiations.iter_mut().find(|known| known.id == id).unwrap();
        known.state = NegotiationState::Accepted(offer);
        known.kept_until = now.plus_ms(12 * 3_600_000);
        if let Some(request) = self.requests.iter_mut().find(|known| Some(known.id) == request) {
            request.filled_by = Some(offer);
        }
        Ok(())
    }

    /// Checks terms by the rules of a manual offer, and interest and term by those of negotiations; those of an extension
    /// by the latter alone.
    fn check_negotiable(&self, loan: &NegotiatedLoan, terms: ProposedTerms) -> Result<(), Rejection> {
        if let NegotiationSubject::Loan(id) = loan.subject {
            let principal = self.loans.iter().find(|known| known.id == id).unwrap().principal;
            if terms.principal.get() != principal {
                return Err(NegotiationRejection::PrincipalChanged { principal: Sats::new(principal) }.into());
            }
            return self.check_interest_and_term(terms.loan);
        }
        if !self.group.is_lending_allowed {
            return Err(Rejection::LendingNotAllowed);
        }
        let price = self.price.ok_or(Rejection::NoPrice)?;
        let min = self.limits.min_offer(&self.group.collateral, ProcessType::Manual);
        if terms.principal < min {
            return Err(Rejection::BelowMinOffer { min });
        }
        if terms.principal > self.limits.max_offer_sats {
            return Err(Rejection::AboveMaxOffer { max: self.limits.max_offer_sats });
        }
        self.check_interest_and_term(terms.loan)?;
        let ltv = ltv_of(quote_of(terms.principal.get(), loan.quantity).min(u128::from(u64::MAX)), price);
        if ltv >= 9_900 {
            let ltv = u32::try_from(ltv).unwrap_or(u32::MAX);
            return Err(Rejection::AboveCeiling { ltv: domain::Ltv::from_basis_points(ltv) });
        }
        Ok(())
    }

    fn check_interest_and_term(&self, LoanTerms { interest, days }: LoanTerms) -> Result<(), Rejection> {
        if interest.basis_points() < 1 || interest > self.limits.negotiated_interest_max {
            return Err(NegotiationRejection::InterestOutOfRange { max: self.limits.negotiated_interest_max }.into());
        }
        if days.0 < 1 || days > self.limits.negotiated_term_max {
            return Err(NegotiationRejection::TermOutOfRange { max: self.limits.negotiated_term_max }.into());
        }
        Ok(())
    }
}

fn check_72_hours(good_until: UnixMs, now: UnixMs) -> Result<(), Rejection> {
    let (min, max) = (UnixMs(now.0 + 600_000), UnixMs(now.0 + 72 * 3_600_000));
    if good_until < min || good_until > max { Err(Rejection::GoodUntilOutOfRange { min, max }) } else { Ok(()) }
}
