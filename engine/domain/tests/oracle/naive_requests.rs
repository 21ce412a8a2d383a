//! The borrow requests of the naive book: a list, searched and sorted at every read.

use std::sync::Arc;

use domain::{
    Bundle, CollateralType, Command, OfferConditions, OfferDraft, OfferId, PauseReasons, ProcessType, Rejection,
    RequestId, RequestTerms, Sats, UnixMs, UserId,
};

use super::{NaiveBook, check_time, ltv_of, quote_of};

#[derive(Clone, Debug)]
pub(crate) struct NaiveRequest {
    pub(crate) id: RequestId,
    pub(crate) terms: RequestTerms,
    pub(crate) filled_by: Option<OfferId>,
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

    /// Lets go of requests whose offer has gone: after every command, by looking at all of them.
    pub(super) fn settle_requests(&mut self) {
        let requests = std::mem::take(&mut self.requests);
        for mut request in requests {
            if let Some(filled_by) = request.filled_by {
                let offer = self.find(filled_by);
                let pauses = offer.filter(|_| self.held(filled_by) == 0).map(|offer| self.pauses(offer));
                let is_over = match (offer, pauses) {
                    (None, _) => self.lent_from.contains(&filled_by),
                    (Some(_), Some(pauses)) => pauses.contains(PauseReasons::EXPIRED),
                    (Some(_), None) => false,
                };
                if is_over {
                    continue;
                }
                if offer.is_none() || pauses.is_some_and(|pauses| !pauses.is_empty()) {
                    request.filled_by = None;
                }
            }
            self.requests.push(request);
        }
    }

    pub(super) fn execute_on_request(&mut self, command: &Command, now: UnixMs) -> Result<(), Rejection> {
        match command {
            Command::PlaceRequest { terms } => {
                self.check_request(terms, now)?;
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
            Command::FillRequest { lender, request, draft, usable } => {
                self.fill(*lender, *request, draft, *usable, now)?;
            }
            _ => self.requests.retain(|request| request.terms.good_until > now),
        }
        Ok(())
    }

    fn unfilled(&self, id: RequestId) -> Result<&NaiveRequest, Rejection> {
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
        let is_whole = terms.quantity.raw == 1 && terms.quantity.decimals == 0;
        let is_amount = terms.quantity.raw != 0 && terms.quantity.decimals == self.group.collateral.decimals();
        if terms.inscription.is_some() != is_inscription || !(if is_inscription { is_whole } else { is_amount }) {
            return Err(Rejection::WrongQuantity);
        }
        let price = self.price.ok_or(Rejection::NoPrice)?;
        let manual = self.limits.min_offer(&self.group.collateral, ProcessType::Manual);
        let instant = self.limits.min_offer(&self.group.collateral, ProcessType::Instant);
        let min = if manual < instant { manual } else { instant };
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
        let fits = |sub: &&domain::SubCollection| {
            sub.interest <= terms.interest_max
                && sub.term >= terms.term_min
                && sub.term <= terms.term_max
                && (sub.bundle == Bundle::Open || sub.bundle == Bundle::Fixed(terms.quantity))
        };
        if self.group.sub_collections.iter().find(fits).is_none() {
            return Err(Rejection::NoTermOfRequest);
        }
        check_time(Some(terms.good_until), now)?;
        if self.requests.iter().filter(|other| other.terms.borrower.user == terms.borrower.user).count() >= 10 {
            return Err(Rejection::TooManyRequests { max: 10 });
        }
        if self.requests.len() >= 1_000 {
            return Err(Rejection::TooManyRequests { max: 1_000 });
        }
        let same = |other: &&NaiveRequest| is_inscription && other.terms.inscription == terms.inscription;
        match self.requests.iter().find(same) {
            Some(known) => Err(Rejection::AlreadyRequested(known.id)),
            None => Ok(()),
        }
    }

    fn fill(
        &mut self,
        lender: UserId,
        id: RequestId,
        draft: &OfferDraft,
        usable: Option<Sats>,
        now: UnixMs,
    ) -> Result<(), Rejection> {
        let terms = self.unfilled(id)?.terms.clone();
        if terms.good_until <= now {
            return Err(Rejection::RequestExpired(id));
        }
        if terms.borrower.user == lender {
            return Err(Rejection::OwnRequest(id));
        }
        let sub = self.group.sub_collection(draft.sub_collection);
        let sub = sub.ok_or(Rejection::UnknownSubCollection(draft.sub_collection))?;
        if sub.interest > terms.interest_max {
            return Err(Rejection::InterestAboveRequest { interest: sub.interest, max: terms.interest_max });
        }
        if sub.term < terms.term_min || sub.term > terms.term_max {
            return Err(Rejection::TermOutsideRequest { term: sub.term, min: terms.term_min, max: terms.term_max });
        }
        let is_other_bundle = sub.bundle != Bundle::Open && sub.bundle != Bundle::Fixed(terms.quantity);
        if is_other_bundle {
            return Err(Rejection::QuantityOfRequest { asked: terms.quantity });
        }
        if draft.principal != terms.principal {
            return Err(Rejection::PrincipalOfRequest { asked: terms.principal });
        }
        if draft.quantity.is_some() && draft.quantity != Some(terms.quantity) {
            return Err(Rejection::QuantityOfRequest { asked: terms.quantity });
        }
        let good_until = draft.good_until.unwrap_or(UnixMs(now.0 + 12 * 3_600_000));
        let latest = UnixMs(now.0 + 72 * 3_600_000);
        if good_until > latest {
            return Err(Rejection::GoodUntilOutOfRange { min: now.plus_ms(600_000), max: latest });
        }
        let mut draft = draft.clone();
        draft.good_until = Some(good_until);
        draft.conditions = Some(Arc::new(OfferConditions {
            borrower: Some(terms.borrower.clone()),
            inscriptions: terms.inscription.iter().copied().collect(),
            ..OfferConditions::default()
        }));
        self.execute(&Command::Create { lender, draft, count: 1, usable }, now)?;
        let offer = self.offers.last().expect("it was just created").id;
        let request = self.requests.iter_mut().find(|request| request.id == id);
        request.expect("it was found before").filled_by = Some(offer);
        Ok(())
    }
}
