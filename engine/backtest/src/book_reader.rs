//! The reader of one book: finds the acceptances that the rule's offer could have got.

use std::collections::HashMap;
use std::sync::Arc;

use domain::{
    BookEvent, CollateralType, CollectionGroup, GroupId, Limits, LoanId, OfferId, OrderBook, Quantity, Reservation,
    ReservationId, Sats, UnixMs,
};

use crate::acceptance::{Acceptance, EndRecord, LoanRecord, Moment};
use crate::rule::Rule;

/// One book with what the rule could have got in it.
pub(crate) struct BookReader<'a> {
    rule: &'a Rule,
    book: OrderBook,
    group: GroupId,
    decimals: u8,
    sequence: u64,
    latest_offer: OfferId,
    /// The id after that of the latest offer when the rule began to quote.
    placed_before: Option<OfferId>,
    signing: HashMap<ReservationId, usize>,
    running: HashMap<LoanId, (usize, Quantity)>,
    pledged: HashMap<ReservationId, Quantity>,
    acceptances: Vec<Acceptance>,
    extent: Option<(UnixMs, UnixMs)>,
}

/// The result of reading one book.
pub(crate) struct ReadBook {
    pub(crate) acceptances: Vec<Acceptance>,
    pub(crate) placed_before: OfferId,
    /// The times of the first and the last event.
    pub(crate) extent: Option<(UnixMs, UnixMs)>,
}

impl<'a> BookReader<'a> {
    pub(crate) fn new(rule: &'a Rule, group: CollectionGroup) -> Self {
        let decimals = match group.collateral {
            CollateralType::Inscription => 0,
            CollateralType::Rune { decimals, .. } | CollateralType::Brc20 { decimals, .. } => decimals,
        };
        let id = group.id;
        Self {
            rule,
            book: OrderBook::new(Arc::new(group), Arc::new(Limits::default())),
            group: id,
            decimals,
            sequence: 0,
            latest_offer: OfferId::new(id, 0).unwrap_or(OfferId(0)),
            placed_before: None,
            signing: HashMap::new(),
            running: HashMap::new(),
            pledged: HashMap::new(),
            acceptances: Vec::new(),
            extent: None,
        }
    }

    /// Takes the next event of the book.
    pub(crate) fn take(&mut self, event: &BookEvent, at: UnixMs) {
        self.sequence += 1;
        self.extent = Some(self.extent.map_or((at, at), |(first, last)| (first.min(at), last.max(at))));
        if self.placed_before.is_none() && self.rule.quotes_at(at) {
            self.placed_before = Some(self.next_offer());
        }
        let when = Moment { at, group: self.group, sequence: self.sequence };
        match event {
            BookEvent::OfferCreated { offer, .. } => self.latest_offer = self.latest_offer.max(*offer),
            BookEvent::OfferReserved(reservation) => self.reserve(reservation, when),
            BookEvent::ReservationReleased { reservation, .. } => {
                self.pledged.remove(reservation);
                if let Some(place) = self.signing.remove(reservation) {
                    self.acceptances[place].released = Some(when);
                }
            }
            BookEvent::ReservationConfirmed { reservation, loan } => {
                let pledged = self.pledged.remove(reservation);
                if let Some((place, pledged)) = self.signing.remove(reservation).zip(pledged) {
                    self.acceptances[place].loans.push(LoanRecord { loan: *loan, began: when });
                    self.running.insert(*loan, (place, pledged));
                }
            }
            BookEvent::LoanReplaced { loan, successor } => {
                if let Some((place, pledged)) = self.running.remove(loan) {
                    self.acceptances[place].loans.push(LoanRecord { loan: *successor, began: when });
                    self.running.insert(*successor, (place, pledged));
                }
            }
            BookEvent::LoanEnded { loan, end } => {
                if let Some((place, pledged)) = self.running.remove(loan) {
                    let collateral = self.book.price().map_or(Sats::ZERO, |price| price.value_floor(pledged));
                    self.acceptances[place].end = Some(EndRecord { when, end: *end, collateral });
                }
            }
            _ => {}
        }
        self.book.apply(event, at, &mut Vec::new());
    }

    pub(crate) fn finish(self) -> ReadBook {
        let placed_before = self.placed_before.unwrap_or_else(|| self.next_offer());
        ReadBook { acceptances: self.acceptances, placed_before, extent: self.extent }
    }

    fn next_offer(&self) -> OfferId {
        OfferId(self.latest_offer.0 + 1)
    }

    fn reserve(&mut self, reservation: &Reservation, when: Moment) {
        if let Some(acceptance) = self.acceptance(reservation, when) {
            let pledged = Quantity { raw: reservation.pledged_raw, decimals: self.decimals };
            self.signing.insert(reservation.id, self.acceptances.len());
            self.pledged.insert(reservation.id, pledged);
            self.acceptances.push(acceptance);
        }
    }

    /// The acceptance, if the rule quotes in this ranking now, not worse than the offer that is taken.
    fn acceptance(&self, reservation: &Reservation, when: Moment) -> Option<Acceptance> {
        let taken = self.book.offer(reservation.offer)?;
        let sub = self.book.group().sub_collection(taken.sub_collection)?;
        let is_rival = taken.process == self.rule.process && !taken.is_conditional();
        if !is_rival || !self.rule.quotes_at(when.at) || !self.rule.quotes_in(sub) {
            return None;
        }
        let pledged = Quantity { raw: reservation.pledged_raw, decimals: self.decimals };
        let (principal, quote) = self.rule.quote(self.book.price()?, sub.bundle, pledged)?;
        (quote >= taken.quote).then(|| Acceptance {
            when,
            sub_collection: sub.id,
            principal,
            quote,
            taken: taken.id,
            taken_quote: taken.quote,
            next_offer: self.next_offer(),
            interest: sub.interest,
            released: None,
            loans: Vec::new(),
            end: None,
        })
    }
}
