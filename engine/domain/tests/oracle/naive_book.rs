//! The naive order book: lists, scans, and everything recomputed at every read.
//!
//! It shares the types with the real book but no rule: it does not read events, and derives pauses and ranks from first
//! principles.

mod naive_conditions;
mod naive_negotiations;
mod naive_offers;
mod naive_pegs;
mod naive_refinances;
mod naive_requests;
mod naive_reservations;
mod naive_terms;

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use domain::{
    Allowance, Bundle, CollectionGroup, Command, Limits, LoanId, LoanTerms, NegotiationRejection, OfferConditions,
    OfferId, PauseReasons, ProcessType, Quantity, Rejection, ReservationId, SubCollectionId, TermChange, TermChangeId,
    UnitPrice, UnixMs, UserId,
};

pub(crate) use naive_negotiations::NaiveNegotiation;
pub(crate) use naive_requests::NaiveRequest;

/// An offer with its full state.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "an oracle names every reason for a pause on its own")]
pub(crate) struct NaiveOffer {
    pub(crate) id: OfferId,
    pub(crate) lender: UserId,
    pub(crate) sub: SubCollectionId,
    pub(crate) process: ProcessType,
    pub(crate) principal: u64,
    pub(crate) quantity: Quantity,
    pub(crate) smallest: u64,
    pub(crate) cap: Option<u32>,
    /// The least and the largest principal, if it follows the floor.
    pub(crate) peg: Option<(u64, u64)>,
    consents: bool,
    accepted: Option<TermChangeId>,
    paused_by_lender: bool,
    paused_by_terms: bool,
    unfunded: bool,
    pub(crate) good_until: Option<UnixMs>,
    time_signed: bool,
    expired: bool,
    pub(crate) conditions: Option<Arc<OfferConditions>>,
    pub(crate) used: u64,
    pub(crate) cancels_on_disconnect: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct NaiveReservation {
    pub(crate) id: ReservationId,
    pub(crate) offer: OfferId,
    pub(crate) borrower: UserId,
    pub(crate) principal: u64,
    pub(crate) pledged: u128,
    pub(crate) expires_at: UnixMs,
}

#[derive(Clone, Debug)]
pub(crate) struct NaiveLoan {
    pub(crate) id: LoanId,
    pub(crate) sub: SubCollectionId,
    pub(crate) lender: UserId,
    pub(crate) borrower: UserId,
    pub(crate) principal: u64,
    pub(crate) pledged_raw: u128,
}

pub(crate) struct NaiveBook {
    pub(crate) group: CollectionGroup,
    limits: Limits,
    pub(crate) price: Option<UnitPrice>,
    pub(crate) usable: HashMap<UserId, u64>,
    pub(crate) allowances: HashMap<UserId, Allowance>,
    pub(crate) offers: Vec<NaiveOffer>,
    latest: u64,
    pub(crate) reservations: Vec<NaiveReservation>,
    pub(crate) loans: Vec<NaiveLoan>,
    pub(crate) requests: Vec<NaiveRequest>,
    latest_request: u64,
    pub(crate) negotiations: Vec<NaiveNegotiation>,
    latest_negotiation: u64,
    /// Interest and term of the offers that negotiations led to.
    agreed: HashMap<OfferId, LoanTerms>,
    /// The offers of which a part was lent.
    lent_from: HashSet<OfferId>,
    announced: HashMap<SubCollectionId, TermChange>,
    effective: HashMap<SubCollectionId, TermChangeId>,
}

/// Sats per whole unit times 10^8, rounded up, by the definition.
pub(crate) fn quote_of(principal: u64, quantity: Quantity) -> u128 {
    (u128::from(principal) * 100_000_000 * 10_u128.pow(u32::from(quantity.decimals))).div_ceil(quantity.raw)
}

fn ltv_of(quote: u128, price: UnitPrice) -> u128 {
    (quote * 10_000).div_ceil(u128::from(price.scaled()))
}

/// Ten minutes to 365 days from now.
fn check_time(good_until: Option<UnixMs>, now: UnixMs) -> Result<(), Rejection> {
    let (min, max) = (now.plus_ms(600_000), now.plus_ms(31_536_000_000));
    let is_fine = good_until.is_none_or(|time| (min..=max).contains(&time));
    if is_fine { Ok(()) } else { Err(Rejection::GoodUntilOutOfRange { min, max }) }
}

impl NaiveBook {
    pub(crate) fn new(group: CollectionGroup, limits: Limits) -> Self {
        Self {
            group,
            limits,
            price: None,
            usable: HashMap::new(),
            allowances: HashMap::new(),
            offers: Vec::new(),
            latest: 0,
            reservations: Vec::new(),
            loans: Vec::new(),
            requests: Vec::new(),
            latest_request: 0,
            negotiations: Vec::new(),
            latest_negotiation: 0,
            agreed: HashMap::new(),
            lent_from: HashSet::new(),
            announced: HashMap::new(),
            effective: HashMap::new(),
        }
    }

    pub(crate) fn find(&self, id: OfferId) -> Option<&NaiveOffer> {
        self.offers.iter().find(|offer| offer.id == id)
    }

    fn find_mut(&mut self, id: OfferId) -> &mut NaiveOffer {
        self.offers.iter_mut().find(|offer| offer.id == id).expect("the offer was found before")
    }

    pub(crate) fn held(&self, id: OfferId) -> u64 {
        self.reservations.iter().filter(|held| held.offer == id).map(|held| held.principal).sum()
    }

    pub(crate) fn takeable(&self, offer: &NaiveOffer) -> u64 {
        let left = offer.principal - offer.used - self.held(offer.id);
        if left < offer.smallest { 0 } else { left }
    }

    pub(crate) fn pauses(&self, offer: &NaiveOffer) -> PauseReasons {
        let quote = quote_of(offer.principal, offer.quantity);
        // A pegged offer that a borrower signs for stays as it is.
        let is_fixed = offer.peg.is_some() && self.held(offer.id) > 0;
        let over = match (offer.cap, self.price) {
            _ if is_fixed => false,
            (Some(cap), Some(price)) => ltv_of(quote, price) > u128::from(cap),
            _ => false,
        };
        let usable = self.usable.get(&offer.lender).copied().unwrap_or(0);
        let uncovered = offer.process == ProcessType::Instant && self.takeable(offer) > usable;
        let allowance = self.allowances.get(&offer.lender).copied().unwrap_or_default();
        let is_over_limits = offer.process == ProcessType::Manual
            && allowance.available.is_some_and(|available| self.takeable(offer) > available.get());
        PauseReasons::NONE
            .with(PauseReasons::LTV, over)
            .with(PauseReasons::LIMITS, is_over_limits)
            .with(PauseReasons::ABSENCE, allowance.is_absent)
            .with(PauseReasons::BALANCE, uncovered)
            .with(PauseReasons::TERMS, offer.paused_by_terms)
            .with(PauseReasons::LENDER, offer.paused_by_lender)
            .with(PauseReasons::FUNDING, offer.unfunded)
            .with(PauseReasons::EXPIRED, offer.expired)
    }

    pub(crate) fn is_live(&self, offer: &NaiveOffer) -> bool {
        self.pauses(offer).is_empty() && self.takeable(offer) > 0 && offer.conditions.is_none()
    }

    /// Live offers from the best one, by sorting all of them.
    pub(crate) fn ranked(&self, sub: SubCollectionId, process: ProcessType) -> Vec<OfferId> {
        let is_ranked = |offer: &&NaiveOffer| offer.sub == sub && offer.process == process && self.is_live(offer);
        let mut live: Vec<&NaiveOffer> = self.offers.iter().filter(is_ranked).collect();
        live.sort_by_key(|offer| (std::cmp::Reverse(quote_of(offer.principal, offer.quantity)), offer.id));
        live.into_iter().map(|offer| offer.id).collect()
    }

    pub(crate) fn instant_liquidity(&self) -> u64 {
        let mut open: HashMap<UserId, u64> = HashMap::new();
        for offer in self.offers.iter().filter(|offer| offer.process == ProcessType::Instant && self.is_live(offer)) {
            *open.entry(offer.lender).or_default() += self.takeable(offer);
        }
        open.iter().map(|(lender, sats)| (*sats).min(self.usable.get(lender).copied().unwrap_or(0))).sum()
    }

    /// Executes the command, or returns the reason of its refusal.
    pub(crate) fn execute(&mut self, command: &Command, now: UnixMs) -> Result<(), Rejection> {
        self.execute_alone(command, now)?;
        self.settle_pegs();
        self.settle_agreed();
        self.settle_requests();
        self.settle_negotiations();
        Ok(())
    }

    fn execute_alone(&mut self, command: &Command, now: UnixMs) -> Result<(), Rejection> {
        match *command {
            Command::Create { lender, ref draft, count, usable } => {
                if count < 1 || count > self.limits.count_max {
                    return Err(Rejection::CountOutOfRange { max: self.limits.count_max });
                }
                let own = self.offers.iter().filter(|offer| offer.lender == lender).count();
                if own + usize::from(count) > usize::from(self.limits.offers_per_lender_max) {
                    return Err(Rejection::TooManyOffers { max: self.limits.offers_per_lender_max.into() });
                }
                self.create(lender, draft, count, usable, (now, None), (None, None))
            }
            Command::Edit { lender, offer, ref draft, usable } => {
                let old = self.own_unreserved(lender, offer)?.clone();
                let bundle = self.group.sub_collection(old.sub).unwrap().bundle;
                let is_several = bundle != Bundle::Open && bundle != Bundle::Fixed(old.quantity);
                if self.agreed.contains_key(&offer) || is_several {
                    return Err(NegotiationRejection::Agreed(offer).into());
                }
                if old.process != draft.process {
                    return Err(Rejection::EditChangesProcess);
                }
                self.create(lender, draft, 1, usable, (now, old.good_until), (Some(offer), None))?;
                self.offers.retain(|other| other.id != offer);
                Ok(())
            }
            Command::Cancel { lender, offer } => {
                self.own_unreserved(lender, offer)?;
                self.offers.retain(|other| other.id != offer);
                Ok(())
            }
            Command::EndConnection { ref offers } => {
                self.end_connection(offers);
                Ok(())
            }
            Command::Pause { lender, offer } => {
                if self.own(lender, offer)?.paused_by_lender {
                    return Err(Rejection::AlreadyPaused(offer));
                }
                self.find_mut(offer).paused_by_lender = true;
                Ok(())
            }
            Command::Resume { lender, offer } => {
                if !self.own(lender, offer)?.paused_by_lender {
                    return Err(Rejection::NotPausedByLender(offer));
                }
                self.find_mut(offer).paused_by_lender = false;
                Ok(())
            }
            Command::SetGoodUntil { lender, offer, good_until } => self.set_good_until(lender, offer, good_until, now),
            Command::ExpireOffers => {
                for offer in &mut self.offers {
                    offer.expired |= offer.good_until.is_some_and(|time| time <= now);
                }
                Ok(())
            }
            Command::SetPrice { price, .. } => {
                if price.scaled() == 0 || price > UnitPrice::MAX {
                    return Err(Rejection::PriceOutOfRange);
                }
                self.price = Some(price);
                Ok(())
            }
            Command::SetVaultBalance { lender, usable } => {
                self.usable.insert(lender, usable.get());
                Ok(())
            }
            Command::SetAllowance { lender, allowance } => {
                self.allowances.insert(lender, allowance);
                Ok(())
            }
            Command::SetFunding { ref unfunded, ref funded } => {
                // Both lists refer to the book before the command; an offer in both ends up funded only if it was not.
                let seen = self.funding_changes(unfunded, true).into_iter().chain(self.funding_changes(funded, false));
                for (id, unfunded) in seen.collect::<Vec<_>>() {
                    self.find_mut(id).unfunded = unfunded;
                }
                Ok(())
            }
            Command::PlaceRequest { .. }
            | Command::WithdrawRequest { .. }
            | Command::CloseRequest { .. }
            | Command::FillRequest { .. }
            | Command::ExpireRequests => self.execute_on_request(command, now),
            Command::NegotiateOffer { .. }
            | Command::NegotiateRequest { .. }
            | Command::NegotiateLoan { .. }
            | Command::Propose { .. }
            | Command::AcceptProposal { .. }
            | Command::EndNegotiation { .. }
            | Command::ExpireNegotiations => self.execute_on_negotiation(command, now),
            Command::Reserve { .. }
            | Command::Confirm { .. }
            | Command::Release { .. }
            | Command::ExtendReservation { .. }
            | Command::ExpireReservations => self.execute_on_reservation(command, now),
            Command::EndLoan { loan, .. } => self.replace_loan(loan, None),
            Command::ReplaceLoan { loan, successor } => self.replace_loan(loan, Some(successor)),
            Command::ScheduleTermChange { .. } | Command::ActivateTermChanges | Command::AcceptTerm { .. } => {
                self.execute_on_terms(command, now)
            }
        }
    }

    /// Cancels the offers of a lost connection, and pauses those that a borrower is signing for.
    fn end_connection(&mut self, offers: &[OfferId]) {
        for id in offers {
            let Some(offer) = self.find(*id).filter(|offer| offer.cancels_on_disconnect) else { continue };
            if self.held(offer.id) > 0 {
                self.find_mut(*id).paused_by_lender = true;
            } else {
                self.offers.retain(|other| other.id != *id);
            }
        }
    }

    /// Removes a loan, and puts another one in its place.
    fn replace_loan(&mut self, loan: LoanId, successor: Option<LoanId>) -> Result<(), Rejection> {
        let place = self.loans.iter().position(|known| known.id == loan).ok_or(Rejection::UnknownLoan(loan))?;
        if let Some(successor) = successor.filter(|successor| self.loans.iter().any(|known| known.id == *successor)) {
            return Err(Rejection::DuplicateLoan(successor));
        }
        let ended = self.loans.remove(place);
        self.loans.extend(successor.map(|id| NaiveLoan { id, ..ended }));
        Ok(())
    }

    /// A signed time, and the time that a borrower has to take a fill, can only become shorter.
    fn set_good_until(
        &mut self,
        lender: UserId,
        offer: OfferId,
        good_until: Option<UnixMs>,
        now: UnixMs,
    ) -> Result<(), Rejection> {
        let own = self.own(lender, offer)?;
        check_time(good_until, now)?;
        let is_fill = self.requests.iter().any(|request| request.filled_by == Some(offer));
        let is_bound = own.time_signed || is_fill || self.agreed.contains_key(&offer);
        if let Some(until) = own.good_until.filter(|_| is_bound)
            && good_until.is_none_or(|asked| asked > until)
        {
            return Err(Rejection::GoodUntilSigned { until });
        }
        let own = self.find_mut(offer);
        (own.good_until, own.expired) = (good_until, false);
        Ok(())
    }

    /// The offers that an observation of coins changes: manual ones without a reservation.
    fn funding_changes(&self, ids: &[OfferId], unfunded: bool) -> Vec<(OfferId, bool)> {
        let offers = ids.iter().filter_map(|id| self.find(*id));
        let changed = offers.filter(|offer| {
            offer.process == ProcessType::Manual && self.held(offer.id) == 0 && offer.unfunded != unfunded
        });
        changed.map(|offer| (offer.id, unfunded)).collect()
    }

    fn own(&self, lender: UserId, id: OfferId) -> Result<&NaiveOffer, Rejection> {
        match self.find(id) {
            None => Err(Rejection::UnknownOffer(id)),
            Some(offer) if offer.lender != lender => Err(Rejection::NotOwner(id)),
            Some(offer) => Ok(offer),
        }
    }

    fn own_unreserved(&self, lender: UserId, id: OfferId) -> Result<&NaiveOffer, Rejection> {
        let offer = self.own(lender, id)?;
        if self.held(id) > 0 { Err(Rejection::UnderOffer(id)) } else { Ok(offer) }
    }
}
