//! The order book as a state machine.

use std::sync::Arc;

use crate::{
    BookEvent, CollectionGroup, Command, Limits, LoanId, Offer, OfferId, ProcessType, Rejection, Reservation,
    ReservationId, Sats, SubCollectionId, TermChange, UnitPrice, UnixMs, UserId,
};

/// A running loan as the book shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loan {
    /// Its id.
    pub id: LoanId,
    /// Where it was taken.
    pub sub_collection: SubCollectionId,
    /// Who lent.
    pub lender: UserId,
    /// Who borrowed.
    pub borrower: UserId,
    /// What was lent.
    pub principal: Sats,
    /// What was pledged, in raw units.
    pub pledged_raw: u128,
    /// When it was accepted.
    pub accepted_at: UnixMs,
}

/// The order book of one collection group.
#[derive(Clone, Debug)]
pub struct OrderBook {
    group: Arc<CollectionGroup>,
}

impl OrderBook {
    /// An empty book.
    #[must_use]
    pub fn new(group: Arc<CollectionGroup>, _limits: Arc<Limits>) -> Self {
        Self { group }
    }

    /// What a command leads to; changes nothing.
    ///
    /// # Errors
    /// A [`Rejection`] that names the values.
    pub fn decide(&self, _command: &Command, _now: UnixMs) -> Result<Vec<BookEvent>, Rejection> {
        Ok(Vec::new())
    }

    /// Takes an event in. Pushes the ids of all offers whose public state may have changed onto `touched`
    /// (an offer may be named twice, or be gone).
    pub fn apply(&mut self, _event: &BookEvent, _at: UnixMs, _touched: &mut Vec<OfferId>) {}

    /// The group, with the terms that are in effect now.
    #[must_use]
    pub fn group(&self) -> &Arc<CollectionGroup> {
        &self.group
    }

    /// The latest price.
    #[must_use]
    pub fn price(&self) -> Option<UnitPrice> {
        None
    }

    /// An offer, live or not.
    #[must_use]
    pub fn offer(&self, _id: OfferId) -> Option<&Offer> {
        None
    }

    /// Every offer, in no particular order.
    pub fn offers(&self) -> impl Iterator<Item = &Offer> {
        std::iter::empty()
    }

    /// Every offer of a lender.
    pub fn offers_of(&self, _lender: UserId) -> impl Iterator<Item = &Offer> {
        std::iter::empty()
    }

    /// Everybody who has offers here.
    pub fn lenders(&self) -> impl Iterator<Item = UserId> {
        std::iter::empty()
    }

    /// How many lenders have live offers of a process type.
    #[must_use]
    pub fn live_lender_count(&self, _process: ProcessType) -> usize {
        0
    }

    /// The place of an offer in its ranking, from 1; `None` while it is not live.
    #[must_use]
    pub fn rank(&self, _id: OfferId) -> Option<usize> {
        None
    }

    /// How many offers are ranked.
    #[must_use]
    pub fn ranked_count(&self, _sub_collection: SubCollectionId, _process: ProcessType) -> usize {
        0
    }

    /// The best offer.
    #[must_use]
    pub fn best(&self, _sub_collection: SubCollectionId, _process: ProcessType) -> Option<&Offer> {
        None
    }

    /// Live offers from the best on.
    pub fn ranked(&self, _sub_collection: SubCollectionId, _process: ProcessType) -> impl Iterator<Item = &Offer> {
        std::iter::empty()
    }

    /// What can be borrowed at once: over all lenders, the smaller of vault balance and live instant principal.
    #[must_use]
    pub fn instant_liquidity(&self) -> Sats {
        Sats::ZERO
    }

    /// What all live manual offers add up to.
    #[must_use]
    pub fn manual_liquidity(&self) -> Sats {
        Sats::ZERO
    }

    /// The usable balance that the book last heard of.
    #[must_use]
    pub fn usable(&self, _lender: UserId) -> Option<Sats> {
        None
    }

    /// A reservation.
    #[must_use]
    pub fn reservation(&self, _id: ReservationId) -> Option<&Reservation> {
        None
    }

    /// When the next reservation expires.
    #[must_use]
    pub fn next_expiry(&self) -> Option<UnixMs> {
        None
    }

    /// Running loans, oldest first.
    pub fn loans(&self) -> impl Iterator<Item = &Loan> {
        std::iter::empty()
    }

    /// How many loans were ever confirmed here.
    #[must_use]
    pub fn total_loans(&self) -> u64 {
        0
    }

    /// The change announced for a sub-collection.
    #[must_use]
    pub fn announced_change(&self, _sub_collection: SubCollectionId) -> Option<&TermChange> {
        None
    }

    /// The latest change in effect, with the terms before it.
    #[must_use]
    pub fn effective_change(&self, _sub_collection: SubCollectionId) -> Option<&TermChange> {
        None
    }

    /// When the next announced change takes effect.
    #[must_use]
    pub fn next_term_change(&self) -> Option<UnixMs> {
        None
    }
}
