//! The borrow requests of the naive book: a list, searched and sorted at every read.

use std::{collections::BTreeSet, sync::Arc};

use domain::{
    Allowance, Bundle, CollateralType, Command, OfferConditions, OfferDraft, OfferId, PegRejection, ProcessType,
    Quantity, Rejection, RequestId, RequestTerms, Sats, SubCollectionId, UnixMs, UserId,
};

use super::{NaiveBook, NaiveOffer, ltv_of, quote_of};

#[derive(Clone, Debug)]
pub(crate) struct NaiveRequest {
    pub(crate) id: RequestId,
    pub(crate) terms: RequestTerms,
    pub(crate) filled_by: Option<OfferId>,
}

/// Whether a loan of this bundle is against the collateral of a request: one inscription stands for each of several.
pub(super) fn fits(terms: &RequestTerms, bundle: Bundle) -> bool {
    let each = Bundle::Fixed(Quantity::inscriptions(1));
    bundle == Bundle::Open
        || bundle == Bundle::Fixed(terms.quantity)
        || (!terms.inscriptions.is_empty() && bundle == each)
}

/// Whether two requests are about one inscription.
fn is_about_the_same(one: &RequestTerms, other: &RequestTerms) -> bool {
    one.inscriptions.iter().any(|inscription| other.inscriptions.contains(inscription))
}

impl NaiveBook {
    pub(crate) fn find_request(&self, id: RequestId) -> Option<&NaiveRequest> {
        self.requests.iter().find(|request| request.id == id)
    }

    /// Open requests from the lowest quote; of equal ones the highest interest, then the earliest.
    pub(crate) fn ranked_requests(&self) -> Vec<RequestId> {
        let mut open: Vec<_> = self.requests.iter().filter(|request| request.filled_by.is_none()).collect();
        open.sort_by(|one, other| {
            let (first, second) = (&one.terms, &other.terms);
            let quote = |terms: &RequestTerms| quote_of(terms.principal.get(), terms.quantity);
            quote(first)
                .cmp(&quote(second))
                .then(second.interest_max.cmp(&first.interest_max))
                .then(one.id.cmp(&other.id))
        });
        open.into_iter().map(|request| request.id).collect()
    }

    /// Removes fills that their borrowers cannot take any more, and opens their requests again: after every command, by
    /// looking at all of them. A request ends with its loan.
    pub(super) fn settle_requests(&mut self) {
        let is_lost = |offer: &NaiveOffer| {
            let request = self.requests.iter().find(|request| request.filled_by == Some(offer.id));
            let is_outside = |request: &NaiveRequest| self.check_terms(&request.terms, offer.sub).is_err();
            self.held(offer.id) == 0
                && !self.agreed.contains_key(&offer.id)
                && request.is_some_and(|request| !self.pauses(offer).is_empty() || is_outside(request))
        };
        let lost: Vec<OfferId> = self.offers.iter().filter(|offer| is_lost(offer)).map(|offer| offer.id).collect();
        self.offers.retain(|offer| !lost.contains(&offer.id));
        for mut request in std::mem::take(&mut self.requests) {
            let gone = request.filled_by.filter(|offer| self.find(*offer).is_none());
            if gone.is_some_and(|offer| self.lent_from.contains(&offer)) {
                continue;
            }
            request.filled_by = request.filled_by.filter(|_| gone.is_none());
            self.requests.push(request);
        }
    }

    /// Checks the interest, the term and the bundle of a sub-collection.
    pub(super) fn check_terms(&self, terms: &RequestTerms, sub: SubCollectionId) -> Result<(), Rejection> {
        let sub = self.group.sub_collection(sub).ok_or(Rejection::UnknownSubCollection(sub))?;
        if sub.interest > terms.interest_max {
            return Err(Rejection::InterestAboveRequest { interest: sub.interest, max: terms.interest_max });
        }
        if sub.term < terms.term_min || sub.term > terms.term_max {
            return Err(Rejection::TermOutsideRequest { term: sub.term, min: terms.term_min, max: terms.term_max });
        }
        if fits(terms, sub.bundle) { Ok(()) } else { Err(Rejection::QuantityOfRequest { asked: terms.quantity }) }
    }

    pub(super) fn execute_on_request(&mut self, command: &Command, now: UnixMs) -> Result<(), Rejection> {
        match command {
            Command::PlaceRequest { terms, held_raw } => {
                self.check_request(terms, now)?;
                let is_signed = |other: &NaiveRequest| other.filled_by.is_some_and(|offer| self.held(offer) > 0);
                let own = self.requests.iter();
                let own = own.filter(|other| other.terms.borrower.user == terms.borrower.user && !is_signed(other));
                let asked: u128 = own.map(|other| other.terms.quantity.raw).sum();
                let free_raw = held_raw.map_or(u128::MAX, |held| held.saturating_sub(asked));
                if free_raw < terms.quantity.raw {
                    return Err(Rejection::TokensRequested { free_raw });
                }
                // An inscription has one owner, who asked last.
                self.requests.retain(|other| !is_about_the_same(&other.terms, terms));
                self.latest_request += 1;
                let id = RequestId::new(self.group.id, self.latest_request).unwrap();
                self.requests.push(NaiveRequest { id, terms: (**terms).clone(), filled_by: None });
            }
            Command::WithdrawRequest { borrower, request } => {
                if self.unfilled(*request)?.terms.borrower.user != *borrower {
                    return Err(Rejection::NotYourRequest(*request));
                }
                self.requests.retain(|other| other.id != *request);
            }
            Command::CloseRequest { request } => {
                self.unfilled(*request)?;
                self.requests.retain(|other| other.id != *request);
            }
            Command::FillRequest { lender, request, draft, usable, allowance } => {
                self.fill(*lender, *request, draft, *usable, *allowance, now)?;
            }
            _ => self.requests.retain(|request| request.terms.good_until > now),
        }
        Ok(())
    }

    pub(super) fn unfilled(&self, id: RequestId) -> Result<&NaiveRequest, Rejection> {
        match self.find_request(id) {
            None => Err(Rejection::UnknownRequest(id)),
            Some(request) if request.filled_by.is_some() => Err(Rejection::RequestFilled(id)),
            Some(request) => Ok(request),
        }
    }

    fn check_request(&self, terms: &RequestTerms, now: UnixMs) -> Result<(), Rejection> {
        if !self.group.is_lending_allowed {
            return Err(Rejection::LendingNotAllowed);
        }
        let is_inscription = self.group.collateral == CollateralType::Inscription;
        let count = terms.inscriptions.len();
        let distinct: BTreeSet<_> = terms.inscriptions.iter().copied().collect();
        let is_ascending = distinct.iter().eq(&terms.inscriptions);
        let is_whole = terms.quantity.raw == u128::try_from(count).unwrap() && terms.quantity.decimals == 0;
        let is_whole = is_whole && is_ascending && (1..=20).contains(&count);
        let is_amount = terms.quantity.raw != 0 && terms.quantity.decimals == self.group.collateral.decimals();
        if terms.inscriptions.is_empty() == is_inscription || !(if is_inscription { is_whole } else { is_amount }) {
            return Err(Rejection::WrongQuantity);
        }
        let price = self.price.ok_or(Rejection::NoPrice)?;
        let (mut min, mut fits) = (Sats::new(u64::MAX), false);
        for (index, sub) in self.group.sub_collections.iter().enumerate() {
            let id = SubCollectionId(u16::try_from(index).unwrap());
            for (is_accepted, process) in [(sub.manual, ProcessType::Manual), (sub.instant, ProcessType::Instant)] {
                if is_accepted && self.check_terms(terms, id).is_ok() {
                    fits = true;
                    min = min.min(self.limits.min_offer(&self.group.collateral, process));
                }
            }
        }
        if !fits {
            return Err(Rejection::NoTermOfRequest);
        }
        if terms.principal < min {
            return Err(Rejection::BelowMinOffer { min });
        }
        if terms.principal > self.limits.max_offer_sats {
            return Err(Rejection::AboveMaxOffer { max: self.limits.max_offer_sats });
        }
        // A principal per unit beyond 64 bits is far above any price.
        let quote = quote_of(terms.principal.get(), terms.quantity).min(u128::from(u64::MAX));
        let ltv = ltv_of(quote, price);
        if ltv >= 9_900 {
            return Err(Rejection::AboveCeiling {
                ltv: domain::Ltv::from_basis_points(u32::try_from(ltv).unwrap_or(u32::MAX)),
            });
        }
        let (earliest, latest) = (UnixMs(now.0 + 600_000), UnixMs(now.0 + 31 * 86_400_000));
        if terms.good_until < earliest || terms.good_until > latest {
            return Err(Rejection::GoodUntilOutOfRange { min: earliest, max: latest });
        }
        if self.requests.iter().filter(|other| other.terms.borrower.user == terms.borrower.user).count() >= 10 {
            return Err(Rejection::TooManyRequests { max: 10 });
        }
        if self.requests.len() >= 1_000 {
            return Err(Rejection::TooManyRequests { max: 1_000 });
        }
        // The one for the first of the inscriptions is named.
        for inscription in &terms.inscriptions {
            let is_known = |other: &&NaiveRequest| {
                other.terms.borrower.user == terms.borrower.user && other.terms.inscriptions.contains(inscription)
            };
            if let Some(known) = self.requests.iter().find(is_known) {
                return Err(Rejection::AlreadyRequested(known.id));
            }
        }
        Ok(())
    }

    fn fill(
        &mut self,
        lender: UserId,
        id: RequestId,
        draft: &OfferDraft,
        usable: Option<Sats>,
        allowance: Allowance,
        now: UnixMs,
    ) -> Result<(), Rejection> {
        let terms = self.unfilled(id)?.terms.clone();
        if terms.good_until <= now {
            return Err(Rejection::RequestExpired(id));
        }
        if terms.borrower.user == lender {
            return Err(Rejection::OwnRequest(id));
        }
        self.check_terms(&terms, draft.sub_collection)?;
        if draft.principal != terms.principal {
            return Err(Rejection::PrincipalOfRequest { asked: terms.principal });
        }
        if draft.quantity.is_some() && draft.quantity != Some(terms.quantity) {
            return Err(Rejection::QuantityOfRequest { asked: terms.quantity });
        }
        if draft.principal_min.is_some() {
            return Err(PegRejection::Fill(id).into());
        }
        let available = if allowance.is_absent { Some(Sats::ZERO) } else { allowance.available };
        let is_limited = allowance.is_absent || draft.process == ProcessType::Manual;
        if let Some(available) = available.filter(|available| is_limited && draft.principal > *available) {
            return Err(Rejection::OverLendingLimits { available });
        }
        let good_until = draft.good_until.unwrap_or(UnixMs(now.0 + 12 * 3_600_000));
        let (earliest, latest) = (UnixMs(now.0 + 600_000), UnixMs(now.0 + 72 * 3_600_000));
        if good_until < earliest || good_until > latest {
            return Err(Rejection::GoodUntilOutOfRange { min: earliest, max: latest });
        }
        let mut draft = draft.clone();
        draft.good_until = Some(good_until);
        let own = self.offers.iter().filter(|offer| offer.lender == lender).count();
        if own + 1 > usize::from(self.limits.offers_per_lender_max) {
            return Err(Rejection::TooManyOffers { max: self.limits.offers_per_lender_max.into() });
        }
        // The limit of offers for one borrower is not for fills.
        draft.conditions = None;
        self.create(lender, &draft, 1, usable, (now, None), (None, Some(terms.quantity)))?;
        self.allowances.insert(lender, allowance);
        let created = self.offers.last_mut().expect("it was just created");
        created.conditions = Some(Arc::new(OfferConditions {
            borrower: Some(terms.borrower.clone()),
            inscriptions: terms.inscriptions.clone(),
            ..OfferConditions::default()
        }));
        created.smallest = created.principal;
        let offer = created.id;
        let request = self.requests.iter_mut().find(|request| request.id == id);
        request.expect("it was found before").filled_by = Some(offer);
        Ok(())
    }
}
