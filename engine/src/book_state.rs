//! The state of one group's book with everything derived from its events. Pure: time is passed in.

use std::sync::Arc;

use backtest::{Tape, TapeBounds};
use domain::{
    AcceptanceRate, BookEvent, ChangedNegotiation, CollectionGroup, Limits, LoanEnd, LoanId, OfferId, OrderBook,
    RequestId, UnixMs, UserId,
};
use rustc_hash::FxHashMap;

use crate::{
    held_offers::HeldOffers, journal::Sequence, ledger::LedgerState, lent_volume::LentVolume,
    offer_notice_times::OfferNoticeTimes, price_history::PriceHistory, wire::Volumes,
};

/// The acceptances that each book keeps for backtests.
const TAPE_BOUNDS: TapeBounds = TapeBounds { days: 90, acceptances: 5_000 };

/// The ids of things that events changed, not yet rendered: several events may change the same offer.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// Offers whose public state may have changed, or that were removed; may contain duplicates.
    pub(crate) offers: Vec<OfferId>,
    /// Loans that began or ended, in order.
    pub(crate) loans: Vec<LoanId>,
    /// Borrow requests that changed or were removed; may contain duplicates.
    pub(crate) requests: Vec<RequestId>,
    /// Negotiations that changed or were removed; may contain duplicates.
    pub(crate) negotiations: Vec<ChangedNegotiation>,
    /// The lenders whose offers were created.
    pub(crate) lenders: Vec<UserId>,
}

impl Changes {
    /// Whether nothing changed.
    pub(crate) fn is_empty(&self) -> bool {
        self.offers.is_empty()
            && self.loans.is_empty()
            && self.requests.is_empty()
            && self.negotiations.is_empty()
            && self.lenders.is_empty()
    }
}

/// The state behind one book's actor.
#[derive(Debug)]
pub(crate) struct BookState {
    pub(crate) book: OrderBook,
    /// The sequence of the last applied event.
    pub(crate) sequence: Sequence,
    pub(crate) prices: PriceHistory,
    pub(crate) lent: LentVolume,
    pub(crate) held: HeldOffers,
    pub(crate) notice_times: OfferNoticeTimes,
    pub(crate) tape: Tape,
    /// The latest reported trading volumes elsewhere.
    pub(crate) market_volumes: Option<Volumes>,
    /// Increases whenever terms were announced, changed or accepted; views of offers depend on them.
    pub(crate) terms_version: u64,
    /// The acceptance rates of the lenders who quote here, from the ledger.
    pub(crate) rates: FxHashMap<UserId, AcceptanceRate>,
}

impl BookState {
    /// Returns a book without events.
    pub(crate) fn new(group: Arc<CollectionGroup>, limits: Arc<Limits>) -> Self {
        Self {
            tape: Tape::new(&group, Some(TAPE_BOUNDS)),
            book: OrderBook::new(group, limits),
            sequence: 0,
            prices: PriceHistory::default(),
            lent: LentVolume::default(),
            held: HeldOffers::default(),
            notice_times: OfferNoticeTimes::default(),
            market_volumes: None,
            terms_version: 0,
            rates: FxHashMap::default(),
        }
    }

    /// Applies an event from the journal; [`BookState::finish_replay`] follows the last one.
    pub(crate) fn replay(&mut self, event: &BookEvent, at: UnixMs, scratch: &mut Vec<OfferId>) {
        scratch.clear();
        self.apply_event(event, at, scratch);
        drop(self.book.take_changed_requests());
        drop(self.book.take_changed_negotiations());
    }

    /// Builds the derived state that is cheaper to build once than to update at each event.
    pub(crate) fn finish_replay(&mut self) {
        self.held = HeldOffers::of(&self.book);
    }

    /// Whether the book does not know the vault or the allowance of a lender as they are in the ledger.
    pub(crate) fn lags_behind(&self, ledger: &LedgerState, lender: UserId, now: UnixMs) -> bool {
        let usable = ledger.usable(lender);
        let is_balance_new = usable.is_some() && usable != self.book.usable(lender);
        is_balance_new || ledger.allowance(lender, self.book.group().id, now) != self.book.allowance(lender)
    }

    /// Updates a lender's acceptance rate, which all their offers here show; returns whether it changed.
    pub(crate) fn update_rate(&mut self, lender: UserId, rate: AcceptanceRate, changes: &mut Changes) -> bool {
        let known = self.rates.insert(lender, rate);
        let is_news = known.unwrap_or_default() != rate;
        if is_news {
            changes.offers.extend(self.book.offers_of(lender).map(|offer| offer.id));
        }
        is_news
    }

    /// Applies an event that was just decided.
    pub(crate) fn apply(&mut self, event: &BookEvent, at: UnixMs, changes: &mut Changes) {
        let known = changes.offers.len();
        self.apply_event(event, at, &mut changes.offers);
        for id in changes.offers.iter().skip(known) {
            self.held.update(*id, self.book.offer(*id));
        }
        changes.requests.append(&mut self.book.take_changed_requests());
        changes.negotiations.append(&mut self.book.take_changed_negotiations());
        match *event {
            BookEvent::OfferCreated { lender, .. } => changes.lenders.push(lender),
            BookEvent::ReservationConfirmed { loan, .. } | BookEvent::LoanEnded { loan, .. } => {
                changes.loans.push(loan);
            }
            BookEvent::LoanReplaced { loan, successor } => changes.loans.extend([loan, successor]),
            _ => {}
        }
    }

    fn apply_event(&mut self, event: &BookEvent, at: UnixMs, touched: &mut Vec<OfferId>) {
        self.tape.record(&self.book, event, at);
        if let BookEvent::LoanEnded { loan, end: LoanEnd::Failed } = event
            && let Some(failed) = self.book.loan(*loan)
        {
            self.lent.subtract(failed.principal, failed.accepted_at);
        }
        let known = touched.len();
        self.book.apply(event, at, touched);
        self.sequence += 1;
        for id in touched.iter().skip(known) {
            self.notice_times.update(*id, self.book.offer(*id), at);
        }
        if let BookEvent::TermChangeScheduled { sub_collection, change } = event {
            self.notice_times.record_announcement(*sub_collection, change.id, at);
        }
        match *event {
            BookEvent::PriceMoved { price, observed_at } => self.prices.record(price, observed_at),
            BookEvent::ReservationConfirmed { loan, .. } => {
                if let Some(loan) = self.book.loan(loan) {
                    self.lent.record(loan.principal, at);
                }
            }
            BookEvent::TermChangeScheduled { .. }
            | BookEvent::TermChangeActivated { .. }
            | BookEvent::TermAccepted { .. } => self.terms_version += 1,
            _ => {}
        }
    }
}
