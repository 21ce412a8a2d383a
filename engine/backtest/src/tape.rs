//! The tape of one book: its acceptances, as a backtest needs them.

use std::collections::{HashMap, VecDeque};

use domain::{
    BookEvent, CollateralType, CollectionGroup, DAY_MS, GroupId, LoanId, OfferId, OrderBook, Quantity, Reservation,
    ReservationId, Sats, UnixMs,
};

use crate::acceptance::{Acceptance, EndRecord, LoanRecord, Moment};

/// The bounds of a tape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TapeBounds {
    /// The days after which an acceptance whose loan has ended is dropped.
    pub days: u64,
    /// The maximum number of acceptances; the earliest are dropped.
    pub acceptances: usize,
}

/// The acceptances of one book, from the first that is kept.
#[derive(Clone, Debug)]
pub struct Tape {
    bounds: Option<TapeBounds>,
    group: GroupId,
    decimals: u8,
    sequence: u64,
    latest_offer: OfferId,
    acceptances: VecDeque<Acceptance>,
    /// The number of acceptances that were dropped.
    dropped: usize,
    /// The numbers of acceptances that are being signed, and of those with a running loan.
    signing: HashMap<ReservationId, usize>,
    running: HashMap<LoanId, usize>,
    /// The times of the first event and of the last.
    extent: Option<(UnixMs, UnixMs)>,
}

impl Tape {
    /// Returns the tape of a book without events; without bounds it keeps everything.
    #[must_use]
    pub fn new(group: &CollectionGroup, bounds: Option<TapeBounds>) -> Self {
        let decimals = match group.collateral {
            CollateralType::Inscription => 0,
            CollateralType::Rune { decimals, .. } | CollateralType::Brc20 { decimals, .. } => decimals,
        };
        Self {
            bounds,
            group: group.id,
            decimals,
            sequence: 0,
            latest_offer: OfferId::new(group.id, 0).unwrap_or(OfferId(0)),
            acceptances: VecDeque::new(),
            dropped: 0,
            signing: HashMap::new(),
            running: HashMap::new(),
            extent: None,
        }
    }

    /// Records the next event of a book, which has not been applied to `book` yet.
    pub fn record(&mut self, book: &OrderBook, event: &BookEvent, at: UnixMs) {
        self.sequence += 1;
        self.extent = Some(self.extent.map_or((at, at), |(first, last)| (first.min(at), last.max(at))));
        let when = Moment { at, group: self.group, sequence: self.sequence };
        match event {
            BookEvent::OfferCreated { offer, .. } => self.latest_offer = self.latest_offer.max(*offer),
            BookEvent::OfferReserved(reservation) => {
                if let Some(acceptance) = self.acceptance(book, reservation, when) {
                    self.drop_old(at);
                    self.signing.insert(reservation.id, self.dropped + self.acceptances.len());
                    self.acceptances.push_back(acceptance);
                }
            }
            BookEvent::ReservationReleased { reservation, .. } => {
                if let Some(acceptance) = self.signing.remove(reservation).and_then(|number| self.numbered(number)) {
                    acceptance.released = Some(when);
                }
            }
            BookEvent::ReservationConfirmed { reservation, loan } => {
                let number = self.signing.remove(reservation);
                self.add_loan(number, *loan, when);
            }
            BookEvent::LoanReplaced { loan, successor } => {
                let number = self.running.remove(loan);
                self.add_loan(number, *successor, when);
            }
            BookEvent::LoanEnded { loan, end } => {
                if let Some(acceptance) = self.running.remove(loan).and_then(|number| self.numbered(number)) {
                    let value = |price: domain::UnitPrice| price.value_floor(acceptance.pledged);
                    let collateral = book.price().map_or(Sats::ZERO, value);
                    acceptance.end = Some(EndRecord { when, end: *end, collateral });
                }
            }
            _ => {}
        }
    }

    /// The acceptances, in order.
    #[must_use]
    pub const fn acceptances(&self) -> &VecDeque<Acceptance> {
        &self.acceptances
    }

    /// The time of the first event of the book.
    #[must_use]
    pub fn began(&self) -> Option<UnixMs> {
        self.extent.map(|(first, _)| first)
    }

    pub(crate) const fn extent(&self) -> Option<(UnixMs, UnixMs)> {
        self.extent
    }

    /// The id after that of the latest offer.
    pub(crate) const fn next_offer(&self) -> OfferId {
        OfferId(self.latest_offer.0 + 1)
    }

    fn numbered(&mut self, number: usize) -> Option<&mut Acceptance> {
        self.acceptances.get_mut(number.checked_sub(self.dropped)?)
    }

    fn add_loan(&mut self, number: Option<usize>, loan: LoanId, began: Moment) {
        let Some(number) = number else { return };
        if let Some(acceptance) = self.numbered(number) {
            acceptance.loans.push(LoanRecord { loan, began });
            self.running.insert(loan, number);
        }
    }

    /// Drops acceptances beyond the bounds. Those of running loans stay, as long as there are not too many.
    fn drop_old(&mut self, now: UnixMs) {
        let Some(TapeBounds { days, acceptances: most }) = self.bounds else { return };
        let is_old = |first: &Acceptance| first.is_over() && first.when.at.0 + days * DAY_MS < now.0;
        while self.acceptances.len() >= most.max(1) || self.acceptances.front().is_some_and(is_old) {
            self.acceptances.pop_front();
            self.dropped += 1;
        }
    }

    /// The acceptance of an offer that anyone could take; `None` for another, or without a price.
    fn acceptance(&self, book: &OrderBook, reservation: &Reservation, when: Moment) -> Option<Acceptance> {
        let taken = book.offer(reservation.offer).filter(|taken| !taken.is_conditional())?;
        let sub = book.group().sub_collection(taken.sub_collection)?;
        Some(Acceptance {
            when,
            process: taken.process,
            sub_collection: sub.id,
            bundle: sub.bundle,
            term: sub.term,
            interest: sub.interest,
            price: book.price()?,
            pledged: Quantity { raw: reservation.pledged_raw, decimals: self.decimals },
            taken: taken.id,
            taken_quote: taken.quote,
            next_offer: self.next_offer(),
            released: None,
            loans: Vec::new(),
            end: None,
        })
    }
}
