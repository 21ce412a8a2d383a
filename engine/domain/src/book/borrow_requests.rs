//! The borrow requests of a book.

use std::{cmp::Reverse, collections::BTreeSet};

use rustc_hash::FxHashMap;

use crate::{BorrowRequest, Inscription, InterestRate, OfferId, RequestId, RequestTerms, UnitPrice, UnixMs, UserId};

/// The place of a request in the ladder: lowest LTV first, then the highest interest, then the earlier one. At any
/// price the LTV is as low as the principal per unit.
type LadderKey = (UnitPrice, Reverse<InterestRate>, RequestId);

/// All requests, and indices of them.
#[derive(Clone, Debug, Default)]
pub(super) struct BorrowRequests {
    /// The number of the latest request.
    pub(super) latest: u64,
    requests: FxHashMap<RequestId, BorrowRequest>,
    /// Those that no lender has filled.
    ladder: BTreeSet<LadderKey>,
    expiries: BTreeSet<(UnixMs, RequestId)>,
    by_borrower: BTreeSet<(UserId, RequestId)>,
    by_inscription: FxHashMap<Inscription, RequestId>,
    by_offer: FxHashMap<OfferId, RequestId>,
    /// Requests that changed and have not been taken from here since.
    changed: Vec<RequestId>,
}

fn ladder_key(request: &BorrowRequest) -> LadderKey {
    (request.terms.quote(), Reverse(request.terms.interest_max), request.id)
}

impl BorrowRequests {
    pub(super) fn get(&self, id: RequestId) -> Option<&BorrowRequest> {
        self.requests.get(&id)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &BorrowRequest> {
        self.requests.values()
    }

    pub(super) fn len(&self) -> usize {
        self.requests.len()
    }

    /// Those that no lender has filled, from the best one for lenders.
    pub(super) fn ranked(&self) -> impl Iterator<Item = &BorrowRequest> {
        self.ladder.iter().filter_map(|(_, _, id)| self.get(*id))
    }

    /// All requests of a borrower, ascending.
    pub(super) fn of(&self, borrower: UserId) -> impl Iterator<Item = &BorrowRequest> {
        let all = (borrower, RequestId(0))..=(borrower, RequestId(u64::MAX));
        self.by_borrower.range(all).filter_map(|(_, id)| self.get(*id))
    }

    /// The request for an inscription.
    pub(super) fn for_inscription(&self, inscription: Inscription) -> Option<&BorrowRequest> {
        self.get(*self.by_inscription.get(&inscription)?)
    }

    /// The request that an offer fills.
    pub(super) fn filled_by(&self, offer: OfferId) -> Option<RequestId> {
        self.by_offer.get(&offer).copied()
    }

    pub(super) fn next_expiry(&self) -> Option<UnixMs> {
        self.expiries.first().map(|(good_until, _)| *good_until)
    }

    /// The requests whose time is over.
    pub(super) fn expired(&self, now: UnixMs) -> impl Iterator<Item = RequestId> {
        self.expiries.iter().take_while(move |(good_until, _)| *good_until <= now).map(|(_, id)| *id)
    }

    pub(super) fn take_changed(&mut self) -> Vec<RequestId> {
        std::mem::take(&mut self.changed)
    }

    pub(super) fn insert(&mut self, id: RequestId, terms: RequestTerms, at: UnixMs) {
        self.latest = self.latest.max(id.sequence());
        self.by_borrower.insert((terms.borrower.user, id));
        self.by_inscription.extend(terms.inscriptions.iter().map(|inscription| (*inscription, id)));
        self.expiries.insert((terms.good_until, id));
        let request = BorrowRequest { id, terms, created_at: at, filled_by: None };
        self.ladder.insert(ladder_key(&request));
        self.requests.insert(id, request);
        self.changed.push(id);
    }

    pub(super) fn remove(&mut self, id: RequestId) {
        let Some(request) = self.requests.remove(&id) else { return };
        self.by_borrower.remove(&(request.terms.borrower.user, id));
        for inscription in &request.terms.inscriptions {
            self.by_inscription.remove(inscription);
        }
        self.expiries.remove(&(request.terms.good_until, id));
        self.ladder.remove(&ladder_key(&request));
        if let Some(offer) = request.filled_by {
            self.by_offer.remove(&offer);
        }
        self.changed.push(id);
    }

    /// Takes a request off the ladder, for its borrower to take an offer.
    pub(super) fn fill(&mut self, id: RequestId, offer: OfferId) {
        let Some(request) = self.requests.get_mut(&id) else { return };
        request.filled_by = Some(offer);
        self.ladder.remove(&ladder_key(request));
        self.by_offer.insert(offer, id);
        self.changed.push(id);
    }

    /// Puts a request back, because its borrower cannot take an offer any more.
    pub(super) fn reopen(&mut self, offer: OfferId) {
        let Some(request) = self.by_offer.remove(&offer).and_then(|id| self.requests.get_mut(&id)) else { return };
        request.filled_by = None;
        self.ladder.insert(ladder_key(request));
        self.changed.push(request.id);
    }
}
