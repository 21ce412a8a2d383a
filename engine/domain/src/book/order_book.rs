//! The order book as a state machine: its state, and the reads of it.
//!
//! Every pause that follows from numbers is found by a threshold: an offer stores the price below which its LTV exceeds
//! its cap, and the sats that its vault must hold, so a tick changes only the offers between the old value and the new
//! one.

use std::{collections::BTreeSet, sync::Arc};

use rustc_hash::FxHashMap;

use crate::{
    Allowance, BorrowRequest, CollectionGroup, InterestRate, Limits, LoanId, LoanTerms, Negotiation, NegotiationId,
    Offer, OfferConditions, OfferId, Peg, ProcessType, RequestId, Reservation, ReservationId, Sats, SubCollection,
    SubCollectionId, TermChange, TermDays, UnitPrice, UnixMs, UserId,
};

use super::{
    borrow_requests::BorrowRequests,
    conditional_offers::ConditionalOffers,
    lender_offers::LenderOffers,
    negotiations::{ChangedNegotiation, Negotiations},
    offer_store::OfferStore,
    ordered_index::{Key, OrderedIndex},
    pegs::Pegs,
    totals::Totals,
};

/// A running loan in the book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loan {
    /// Its id.
    pub id: LoanId,
    /// The sub-collection of its offer.
    pub sub_collection: SubCollectionId,
    /// The lender.
    pub lender: UserId,
    /// The borrower.
    pub borrower: UserId,
    /// The principal.
    pub principal: Sats,
    /// The collateral, in raw units.
    pub pledged_raw: u128,
    /// The time at which the offer was accepted.
    pub accepted_at: UnixMs,
}

/// The terms of a sub-collection before its latest change, and that change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EffectiveChange {
    /// The change in effect.
    pub change: TermChange,
    /// The interest before it.
    pub previous_interest: InterestRate,
    /// The term before it.
    pub previous_term: TermDays,
}

/// Term changes of one sub-collection.
#[derive(Clone, Debug, Default)]
pub(super) struct TermChanges {
    pub(super) announced: Option<TermChange>,
    pub(super) effective: Option<EffectiveChange>,
}

/// The order book of one collection group.
#[derive(Clone, Debug)]
pub struct OrderBook {
    pub(super) group: Arc<CollectionGroup>,
    pub(super) limits: Arc<Limits>,
    pub(super) price: Option<UnitPrice>,
    pub(super) offers: OfferStore,
    /// The number of the latest offer.
    pub(super) latest_offer: u64,
    /// Live offers, per sub-collection manual and instant.
    pub(super) rankings: Vec<OrderedIndex>,
    /// Every capped offer, by the price below which it pauses.
    pub(super) thresholds: OrderedIndex,
    /// Hashed without a secret: ids are assigned by the server, so an attacker cannot choose colliding ones.
    pub(super) lenders: FxHashMap<UserId, LenderOffers>,
    pub(super) totals: Totals,
    pub(super) reservations: FxHashMap<ReservationId, Reservation>,
    pub(super) reservation_expiries: BTreeSet<(UnixMs, ReservationId)>,
    /// Offers that are good until a time, by that time; those that have expired are not in it.
    pub(super) offer_expiries: BTreeSet<(UnixMs, OfferId)>,
    /// Offers that are cancelled when the connection that placed them is lost.
    pub(super) on_disconnect: BTreeSet<OfferId>,
    /// The conditions of offers that not every borrower can take.
    pub(super) conditional: ConditionalOffers,
    pub(super) pegs: Pegs,
    pub(super) requests: BorrowRequests,
    pub(super) negotiations: Negotiations,
    pub(super) loans: FxHashMap<LoanId, Loan>,
    pub(super) total_loans: u64,
    pub(super) term_changes: Vec<TermChanges>,
}

/// The position of the ranking of a sub-collection and process type.
pub(super) fn ranking_index(sub_collection: SubCollectionId, process: ProcessType) -> usize {
    usize::from(sub_collection.0) * 2 + usize::from(process == ProcessType::Instant)
}

/// The ranking key: the best offer for the borrower first, then the earlier one.
pub(super) fn rank_key(offer: &Offer) -> Key {
    Key::new(u64::MAX - offer.quote.scaled(), offer.id)
}

/// Whether an offer with a quote ranks before another of the same ranking, which is `other` with the quote `other_quote`: it
/// was placed just before the offer `before` was, so at equal quotes it is earlier than that one and all later ones.
#[must_use]
pub fn ranks_before(quote: UnitPrice, before: OfferId, other_quote: UnitPrice, other: OfferId) -> bool {
    Key::new(u64::MAX - quote.scaled(), before) <= Key::new(u64::MAX - other_quote.scaled(), other)
}

impl OrderBook {
    /// Returns an empty book.
    #[must_use]
    pub fn new(group: Arc<CollectionGroup>, limits: Arc<Limits>) -> Self {
        let sub_collections = group.sub_collections.len();
        Self {
            group,
            limits,
            price: None,
            offers: OfferStore::default(),
            latest_offer: 0,
            rankings: vec![OrderedIndex::default(); sub_collections * 2],
            thresholds: OrderedIndex::default(),
            lenders: FxHashMap::default(),
            totals: Totals::default(),
            reservations: FxHashMap::default(),
            reservation_expiries: BTreeSet::new(),
            offer_expiries: BTreeSet::new(),
            on_disconnect: BTreeSet::new(),
            conditional: ConditionalOffers::default(),
            pegs: Pegs::default(),
            requests: BorrowRequests::default(),
            negotiations: Negotiations::default(),
            loans: FxHashMap::default(),
            total_loans: 0,
            term_changes: vec![TermChanges::default(); sub_collections],
        }
    }

    /// The group, with the terms that are in effect now.
    #[must_use]
    pub const fn group(&self) -> &Arc<CollectionGroup> {
        &self.group
    }

    /// The id of the next offer; `None` after the last one that a book can have.
    #[must_use]
    pub fn next_offer(&self) -> Option<OfferId> {
        OfferId::new(self.group.id, self.latest_offer + 1)
    }

    /// The latest price.
    #[must_use]
    pub const fn price(&self) -> Option<UnitPrice> {
        self.price
    }

    /// An offer, live or not.
    #[must_use]
    pub fn offer(&self, id: OfferId) -> Option<&Offer> {
        self.offers.get(id)
    }

    /// Every offer, in no particular order.
    pub fn offers(&self) -> impl Iterator<Item = &Offer> {
        self.offers.iter()
    }

    /// The offers that are cancelled when the connection that placed them is lost, ascending.
    pub fn offers_on_disconnect(&self) -> impl Iterator<Item = OfferId> {
        self.on_disconnect.iter().copied()
    }

    /// Every offer of a lender.
    pub fn offers_of(&self, lender: UserId) -> impl Iterator<Item = &Offer> {
        let own = self.lenders.get(&lender).into_iter().flat_map(LenderOffers::offers);
        own.filter_map(|id| self.offer(id))
    }

    /// All lenders with offers in this book.
    pub fn lenders(&self) -> impl Iterator<Item = UserId> {
        self.lenders.iter().filter(|(_, own)| own.count() > 0).map(|(lender, _)| *lender)
    }

    /// The number of lenders with live offers of a process type.
    #[must_use]
    pub const fn live_lender_count(&self, process: ProcessType) -> usize {
        match process {
            ProcessType::Manual => self.totals.manual.lenders,
            ProcessType::Instant => self.totals.instant.lenders,
        }
    }

    /// The rank of an offer, from 1; `None` while it is not live.
    #[must_use]
    pub fn rank(&self, id: OfferId) -> Option<usize> {
        let offer = self.offer(id).filter(|offer| offer.is_live())?;
        let ranking = self.ranking(offer.sub_collection, offer.process)?;
        Some(ranking.rank(rank_key(offer)) + 1)
    }

    /// The rank that a new offer with this quote would have, from 1.
    #[must_use]
    pub fn rank_of_quote(&self, sub_collection: SubCollectionId, process: ProcessType, quote: UnitPrice) -> usize {
        let key = Key::max_of_score(u64::MAX - quote.scaled());
        self.ranking(sub_collection, process).map_or(1, |ranking| ranking.rank(key) + 1)
    }

    /// The number of ranked offers.
    #[must_use]
    pub fn ranked_count(&self, sub_collection: SubCollectionId, process: ProcessType) -> usize {
        self.ranking(sub_collection, process).map_or(0, OrderedIndex::len)
    }

    /// The best offer.
    #[must_use]
    pub fn best(&self, sub_collection: SubCollectionId, process: ProcessType) -> Option<&Offer> {
        self.offer(self.ranking(sub_collection, process)?.first()?.id())
    }

    /// The offer ranked last.
    #[must_use]
    pub fn last_ranked(&self, sub_collection: SubCollectionId, process: ProcessType) -> Option<&Offer> {
        self.offer(self.ranking(sub_collection, process)?.last()?.id())
    }

    /// Live offers, from the best one.
    pub fn ranked(&self, sub_collection: SubCollectionId, process: ProcessType) -> impl Iterator<Item = &Offer> {
        let keys = self.ranking(sub_collection, process).into_iter().flat_map(OrderedIndex::iter);
        keys.filter_map(|key| self.offer(key.id()))
    }

    /// The sats that can be borrowed at once: the sum over all lenders of the smaller of vault balance and live instant
    /// principal.
    #[must_use]
    pub const fn instant_liquidity(&self) -> Sats {
        self.totals.instant.liquidity
    }

    /// The sum of all live manual offers.
    #[must_use]
    pub const fn manual_liquidity(&self) -> Sats {
        self.totals.manual.liquidity
    }

    /// The latest usable balance known to the book.
    #[must_use]
    pub fn usable(&self, lender: UserId) -> Option<Sats> {
        self.lenders.get(&lender).and_then(|own| own.usable)
    }

    /// The allowance of a lender known to the book.
    #[must_use]
    pub fn allowance(&self, lender: UserId) -> Allowance {
        self.lenders.get(&lender).map(|own| own.allowance).unwrap_or_default()
    }

    /// A reservation.
    #[must_use]
    pub fn reservation(&self, id: ReservationId) -> Option<&Reservation> {
        self.reservations.get(&id)
    }

    /// Every reservation, in no particular order.
    pub fn reservations(&self) -> impl Iterator<Item = &Reservation> {
        self.reservations.values()
    }

    /// The time at which the next reservation expires.
    #[must_use]
    pub fn next_reservation_expiry(&self) -> Option<UnixMs> {
        self.reservation_expiries.first().map(|(expires_at, _)| *expires_at)
    }

    /// The time at which the next offer expires.
    #[must_use]
    pub fn next_offer_expiry(&self) -> Option<UnixMs> {
        self.offer_expiries.first().map(|(good_until, _)| *good_until)
    }

    /// The conditions of an offer; `None` if anyone can take it.
    #[must_use]
    pub fn conditions(&self, id: OfferId) -> Option<&Arc<OfferConditions>> {
        self.conditional.get(id)
    }

    /// The bounds within which the principal of an offer follows the floor; `None` if it is fixed.
    #[must_use]
    pub fn peg(&self, id: OfferId) -> Option<Peg> {
        self.pegs.get(id)
    }

    /// Every offer, live or not, that names a borrower.
    pub fn offers_for(&self, borrower: UserId) -> impl Iterator<Item = &Offer> {
        self.conditional.naming(borrower).filter_map(|id| self.offer(id))
    }

    /// All borrowers named by offers.
    #[must_use]
    pub fn named_borrowers(&self) -> BTreeSet<UserId> {
        self.conditional.borrowers()
    }

    /// A borrow request.
    #[must_use]
    pub fn request(&self, id: RequestId) -> Option<&BorrowRequest> {
        self.requests.get(id)
    }

    /// The borrow requests that no lender has filled, from the best one for lenders: lowest LTV, highest interest,
    /// earliest.
    pub fn ranked_requests(&self) -> impl Iterator<Item = &BorrowRequest> {
        self.requests.ranked()
    }

    /// Every borrow request, in no particular order.
    pub fn requests(&self) -> impl Iterator<Item = &BorrowRequest> {
        self.requests.iter()
    }

    /// The borrow requests of a borrower, filled or not, ascending.
    pub fn requests_of(&self, borrower: UserId) -> impl Iterator<Item = &BorrowRequest> {
        self.requests.of(borrower)
    }

    /// The borrow request that an offer fills.
    #[must_use]
    pub fn request_filled_by(&self, offer: OfferId) -> Option<RequestId> {
        self.requests.filled_by(offer)
    }

    /// The time at which the next borrow request expires.
    #[must_use]
    pub fn next_request_expiry(&self) -> Option<UnixMs> {
        self.requests.next_expiry()
    }

    /// Takes the ids of all borrow requests that changed, or were removed, since the last call.
    pub fn take_changed_requests(&mut self) -> Vec<RequestId> {
        self.requests.take_changed()
    }

    /// A negotiation, open or over.
    #[must_use]
    pub fn negotiation(&self, id: NegotiationId) -> Option<&Negotiation> {
        self.negotiations.get(id)
    }

    /// Every negotiation, in no particular order.
    pub fn negotiations(&self) -> impl Iterator<Item = &Negotiation> {
        self.negotiations.iter()
    }

    /// The negotiations of a user on either side, ascending.
    pub fn negotiations_of(&self, user: UserId) -> impl Iterator<Item = &Negotiation> {
        self.negotiations.of(user)
    }

    /// The time at which the next negotiation expires.
    #[must_use]
    pub fn next_negotiation_expiry(&self) -> Option<UnixMs> {
        self.negotiations.next_expiry()
    }

    /// Takes all negotiations that changed, or were removed, since the last call.
    pub fn take_changed_negotiations(&mut self) -> Vec<ChangedNegotiation> {
        self.negotiations.take_changed()
    }

    /// Whether the terms of an offer were negotiated with its borrower.
    #[must_use]
    pub fn is_agreed(&self, offer: OfferId) -> bool {
        self.negotiations.agreed(offer).is_some()
    }

    /// The interest and the term of loans by an offer: those that were negotiated, or those of its sub-collection.
    #[must_use]
    pub fn loan_terms(&self, offer: &Offer) -> Option<LoanTerms> {
        let agreed = offer.is_conditional().then(|| self.negotiations.agreed(offer.id)).flatten();
        agreed.or_else(|| self.group.sub_collection(offer.sub_collection).map(SubCollection::loan_terms))
    }

    /// A running loan.
    #[must_use]
    pub fn loan(&self, id: LoanId) -> Option<&Loan> {
        self.loans.get(&id)
    }

    /// The number of running loans.
    #[must_use]
    pub fn loan_count(&self) -> usize {
        self.loans.len()
    }

    /// Running loans, oldest first; sorted at each call, which is rare.
    pub fn loans(&self) -> impl Iterator<Item = &Loan> {
        let mut loans: Vec<&Loan> = self.loans.values().collect();
        loans.sort_unstable_by_key(|loan| (loan.accepted_at, loan.id));
        loans.into_iter()
    }

    /// The number of loans confirmed in this book so far.
    #[must_use]
    pub const fn total_loans(&self) -> u64 {
        self.total_loans
    }

    /// The change announced for a sub-collection.
    #[must_use]
    pub fn announced_change(&self, sub_collection: SubCollectionId) -> Option<&TermChange> {
        self.changes(sub_collection)?.announced.as_ref()
    }

    /// The latest change in effect, with the terms before it.
    #[must_use]
    pub fn effective_change(&self, sub_collection: SubCollectionId) -> Option<&EffectiveChange> {
        self.changes(sub_collection)?.effective.as_ref()
    }

    /// The time at which the next announced change takes effect.
    #[must_use]
    pub fn next_term_change(&self) -> Option<UnixMs> {
        self.term_changes.iter().filter_map(|changes| changes.announced.as_ref()).map(|change| change.change_at).min()
    }

    pub(super) fn changes(&self, sub_collection: SubCollectionId) -> Option<&TermChanges> {
        self.term_changes.get(usize::from(sub_collection.0))
    }

    fn ranking(&self, sub_collection: SubCollectionId, process: ProcessType) -> Option<&OrderedIndex> {
        self.rankings.get(ranking_index(sub_collection, process))
    }
}
