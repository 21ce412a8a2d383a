//! The decisions about borrow requests.

use std::{collections::BTreeSet, sync::Arc};

use smallvec::smallvec;

use crate::{
    Allowance, BorrowRequest, Limits, OfferDraft, OfferId, PegRejection, RequestEnd, RequestId, RequestTerms, Sats,
    Taker, UnixMs, UserId,
};

use super::{
    BookEvent, Events, OrderBook, Rejection,
    decide::{Decision, Origin},
};

/// The maximum number of requests in one event.
const REQUESTS_PER_EVENT_MAX: usize = 1_000;

impl OrderBook {
    pub(super) fn place_request(&self, terms: &Arc<RequestTerms>, held_raw: Option<u128>, now: UnixMs) -> Decision {
        let superseded = self.check_request(terms, now)?;
        if let Some(held_raw) = held_raw {
            self.check_free_tokens(terms, held_raw)?;
        }
        let id = RequestId::new(self.group.id, self.requests.latest + 1).ok_or(Rejection::IdsExhausted)?;
        let reason = RequestEnd::CollateralGone;
        let ended = superseded.into_iter().map(|request| BookEvent::RequestEnded { request, reason });
        Ok(ended.chain([BookEvent::RequestPlaced { request: id, terms: Arc::clone(terms) }]).collect())
    }

    /// Checks a request before it is placed; returns the requests for its inscriptions of earlier owners.
    ///
    /// # Errors
    /// The rejection that placing it leads to.
    fn check_request(&self, terms: &RequestTerms, now: UnixMs) -> Result<BTreeSet<RequestId>, Rejection> {
        terms.check(&self.group, &self.limits, self.price, now)?;
        let (borrower_max, book_max) = (BorrowRequest::PER_BORROWER_MAX, BorrowRequest::PER_BOOK_MAX);
        if self.requests.of(terms.borrower.user).count() >= borrower_max {
            return Err(Rejection::TooManyRequests { max: borrower_max });
        }
        if self.requests.len() >= book_max {
            return Err(Rejection::TooManyRequests { max: book_max });
        }
        let known = || terms.inscriptions.iter().filter_map(|inscription| self.requests.for_inscription(*inscription));
        if let Some(own) = known().find(|known| known.terms.borrower.user == terms.borrower.user) {
            return Err(Rejection::AlreadyRequested(own.id));
        }
        // The caller has checked that the inscriptions are the new borrower's.
        Ok(known().map(|known| known.id).collect())
    }

    /// Checks that the borrower holds tokens for all requests together.
    fn check_free_tokens(&self, terms: &RequestTerms, held_raw: u128) -> Result<(), Rejection> {
        // The tokens of a loan that waits for its lender are not held any more.
        let is_signed = |request: &BorrowRequest| {
            request.filled_by.and_then(|offer| self.offer(offer)).is_some_and(|offer| offer.held > Sats::ZERO)
        };
        let open = self.requests.of(terms.borrower.user).filter(|request| !is_signed(request));
        let asked = open.map(|request| request.terms.quantity.raw);
        let free_raw = held_raw.saturating_sub(asked.fold(0, u128::saturating_add));
        if terms.quantity.raw > free_raw { Err(Rejection::TokensRequested { free_raw }) } else { Ok(()) }
    }

    pub(super) fn withdraw_request(&self, borrower: UserId, id: RequestId) -> Decision {
        let request = self.unfilled_request(id)?;
        if request.terms.borrower.user != borrower {
            return Err(Rejection::NotYourRequest(id));
        }
        Ok(smallvec![BookEvent::RequestEnded { request: id, reason: RequestEnd::Withdrawn }])
    }

    pub(super) fn close_request(&self, id: RequestId) -> Decision {
        self.unfilled_request(id)?;
        Ok(smallvec![BookEvent::RequestEnded { request: id, reason: RequestEnd::CollateralGone }])
    }

    /// Fills a request: creates an offer that only its borrower can take, with its collateral.
    pub(super) fn fill_request(
        &self,
        lender: UserId,
        id: RequestId,
        draft: &OfferDraft,
        usable: Option<Sats>,
        allowance: Allowance,
        now: UnixMs,
    ) -> Decision {
        let request = self.open_request(id, now)?;
        if request.terms.borrower.user == lender {
            return Err(Rejection::OwnRequest(id));
        }
        request.terms.check_draft(draft, &self.group)?;
        if draft.principal_min.is_some() {
            return Err(PegRejection::Fill(id).into());
        }
        allowance.check(draft.process, draft.principal)?;
        let good_until = draft.good_until.unwrap_or(now.plus_ms(BorrowRequest::SIGNING_MS));
        Limits::check_time(good_until, now, BorrowRequest::SIGNING_MAX_MS)?;
        let draft = OfferDraft {
            good_until: Some(good_until),
            conditions: Some(Arc::new(request.terms.conditions())),
            ..draft.clone()
        };
        let origin = Origin::Filling { quantity: request.terms.quantity };
        let created = self.create(lender, &draft, 1, usable, now, origin)?;
        // Under an allowance that is out of date it would be paused at once.
        let mut events: Events = self.allowance_changed(lender, allowance).into_iter().chain(created).collect();
        let offer = self.next_offer().ok_or(Rejection::IdsExhausted)?;
        events.push(BookEvent::RequestFilled { request: id, offer });
        Ok(events)
    }

    /// The ends of the taker's requests for inscriptions that are pledged for an offer which does not fill them.
    pub(super) fn requests_pledged_elsewhere(&self, offer: OfferId, taker: &Taker) -> impl Iterator<Item = BookEvent> {
        let known = taker.inscriptions.iter().filter_map(|inscription| self.requests.for_inscription(*inscription));
        let elsewhere = known.filter(|known| known.filled_by != Some(offer) && known.terms.borrower.user == taker.user);
        let ids: BTreeSet<RequestId> = elsewhere.map(|known| known.id).collect();
        ids.into_iter().map(|request| BookEvent::RequestEnded { request, reason: RequestEnd::Pledged })
    }

    pub(super) fn expire_requests(&self, now: UnixMs) -> Events {
        let expired: Vec<RequestId> = self.requests.expired(now).collect();
        let events = expired.chunks(REQUESTS_PER_EVENT_MAX);
        events.map(|requests| BookEvent::RequestsExpired { requests: requests.to_vec() }).collect()
    }

    /// A request that can be filled now.
    pub(super) fn open_request(&self, id: RequestId, now: UnixMs) -> Result<&BorrowRequest, Rejection> {
        let request = self.unfilled_request(id)?;
        if request.terms.good_until <= now { Err(Rejection::RequestExpired(id)) } else { Ok(request) }
    }

    fn unfilled_request(&self, id: RequestId) -> Result<&BorrowRequest, Rejection> {
        let request = self.requests.get(id).ok_or(Rejection::UnknownRequest(id))?;
        if request.filled_by.is_some() { Err(Rejection::RequestFilled(id)) } else { Ok(request) }
    }
}
