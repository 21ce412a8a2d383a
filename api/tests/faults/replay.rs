//! The replay of the journal: the book rebuilt from its events, and plain sets beside it.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::fmt::Write as _;
use std::sync::Arc;

use domain::{
    BookEvent, Event, GroupId, Limits, ListingEvent, LoanEvent, LoanId, Offer, OfferId, OrderBook, ProcessType,
    ReservationId, Sats, Stream,
};
use engine::journal::Recorded;

use super::naive_vaults::NaiveVaults;
use super::record::Outcome;

/// The only collection.
pub const GROUP: GroupId = GroupId(1);

/// The number of earlier views of the book that are kept.
const VIEWS_MAX: usize = 4_000;

/// The state of the market according to its journal.
#[derive(Default)]
pub struct Replay {
    book: Option<OrderBook>,
    touched: Vec<OfferId>,
    book_sequence: u64,
    vaults: NaiveVaults,
    /// The offers of a principal, in the order of their creation.
    created: HashMap<u64, Vec<OfferId>>,
    cancelled: HashMap<OfferId, u32>,
    /// Offers with their principals: created, and neither cancelled nor taken.
    standing: BTreeMap<OfferId, u64>,
    taken: HashMap<ReservationId, OfferId>,
    loans_signed: HashMap<LoanId, u32>,
    endings_signed: HashSet<LoanId>,
    views: VecDeque<(u64, String)>,
}

impl Replay {
    /// Applies an event.
    ///
    /// # Errors
    /// The first thing that cannot be.
    pub fn apply(&mut self, stream: Stream, recorded: &Recorded) -> Result<(), String> {
        match (stream, &recorded.event) {
            (Stream::Listings, Event::Listing(ListingEvent::GroupListed(group))) if group.id == GROUP => {
                self.book = Some(OrderBook::new(Arc::new((**group).clone()), Arc::new(Limits::default())));
                Ok(())
            }
            (Stream::Book(GROUP), Event::Book(event)) => self.apply_book(event, recorded),
            (Stream::Vault(owner), Event::Vault(event)) => self.vaults.apply_vault(owner, event),
            (Stream::Assets, Event::Asset(event)) => self.vaults.apply_asset(event),
            (Stream::Loan(loan), Event::Loan(event)) => {
                self.apply_loan(loan, event);
                self.vaults.apply_loan(loan, event)
            }
            _ => Ok(()),
        }
    }

    /// Applies an event of a stream that is read for itself, so that other streams are at another place.
    ///
    /// # Errors
    /// The first thing that cannot be.
    pub fn apply_alone(&mut self, stream: Stream, recorded: &Recorded) -> Result<(), String> {
        match (stream, &recorded.event) {
            (Stream::Loan(loan), Event::Loan(event)) => {
                self.apply_loan(loan, event);
                Ok(())
            }
            _ => self.apply(stream, recorded),
        }
    }

    fn apply_loan(&mut self, loan: LoanId, event: &LoanEvent) {
        match event {
            LoanEvent::Signed { .. } => *self.loans_signed.entry(loan).or_default() += 1,
            LoanEvent::EndingSigned { .. } => drop(self.endings_signed.insert(loan)),
            _ => {}
        }
    }

    fn apply_book(&mut self, event: &BookEvent, recorded: &Recorded) -> Result<(), String> {
        if recorded.sequence != self.book_sequence + 1 {
            return Err(format!("the book's event {} follows {}", recorded.sequence, self.book_sequence));
        }
        self.book_sequence = recorded.sequence;
        match event {
            BookEvent::OfferCreated { offer, terms, .. } => {
                let principal = terms.principal.get();
                self.created.entry(principal).or_default().push(*offer);
                self.standing.insert(*offer, principal);
            }
            BookEvent::OfferCancelled { offer, .. } => {
                *self.cancelled.entry(*offer).or_default() += 1;
                self.standing.remove(offer);
            }
            BookEvent::OfferReserved(reservation) => drop(self.taken.insert(reservation.id, reservation.offer)),
            // An inscription's offer is taken as a whole.
            BookEvent::ReservationConfirmed { reservation, .. } => {
                if let Some(offer) = self.taken.remove(reservation) {
                    self.standing.remove(&offer);
                }
            }
            BookEvent::ReservationReleased { reservation, .. } => drop(self.taken.remove(reservation)),
            _ => {}
        }
        let book = self.book.as_mut().ok_or("the book has events before it was listed")?;
        book.apply(event, recorded.at, &mut self.touched);
        self.touched.clear();
        let view = view_of(book);
        self.views.push_back((self.book_sequence, view));
        if self.views.len() > VIEWS_MAX {
            self.views.pop_front();
        }
        Ok(())
    }

    /// The number of events of the book.
    pub fn book_sequence(&self) -> u64 {
        self.book_sequence
    }

    /// The view of the book after an event; `None` if that is too long ago or yet to come.
    pub fn view_at(&self, sequence: u64) -> Option<&str> {
        let first = self.views.front()?.0;
        let place = usize::try_from(sequence.checked_sub(first)?).ok()?;
        self.views.get(place).map(|(_, view)| view.as_str())
    }

    /// The number of loans that were signed.
    pub fn loans(&self) -> usize {
        self.loans_signed.len()
    }

    /// The number of offers that were created for each command with this principal: one, or the command was doubled.
    pub fn doubled(&self) -> usize {
        let is_repeated = |offers: &&Vec<OfferId>| offers.len() > 1;
        self.created.values().filter(is_repeated).count() + self.loans_signed.values().filter(|it| **it > 1).count()
    }

    /// Compares the book with the plain sets, and its rankings with a sort.
    ///
    /// # Errors
    /// The first difference.
    pub fn check_book(&self) -> Result<(), String> {
        let Some(book) = &self.book else { return Ok(()) };
        let in_book: BTreeMap<OfferId, u64> =
            book.offers().filter(|offer| offer.used == Sats::ZERO).map(|it| (it.id, it.principal.get())).collect();
        if in_book != self.standing {
            let is_other = |(id, _): &(&OfferId, &u64)| in_book.get(*id) != self.standing.get(*id);
            let differing: Vec<_> = in_book.iter().chain(&self.standing).filter(is_other).collect();
            return Err(format!("the book differs from the set of its offers in {differing:?}"));
        }
        for sub in &book.group().sub_collections {
            for process in [ProcessType::Manual, ProcessType::Instant] {
                let ranked: Vec<OfferId> = book.ranked(sub.id, process).map(|offer| offer.id).collect();
                let mut sorted: Vec<&Offer> = book
                    .offers()
                    .filter(|offer| offer.sub_collection == sub.id && offer.process == process && offer.is_live())
                    .collect();
                sorted.sort_by_key(|offer| (std::cmp::Reverse(offer.principal), offer.id));
                if !sorted.iter().map(|offer| offer.id).eq(ranked.iter().copied()) {
                    return Err(format!("the ranking of {} is not that of a sort", sub.slug));
                }
            }
        }
        Ok(())
    }

    /// Checks that an acknowledged command is in the journal exactly once, and a refused one is not.
    ///
    /// # Errors
    /// The way in which it is not.
    pub fn check_outcome(&self, outcome: &Outcome) -> Result<(), String> {
        let created = |principal: &u64| self.created.get(principal).map_or(&[][..], Vec::as_slice);
        let cancelled = |id: &OfferId| self.cancelled.get(id).copied().unwrap_or(0);
        let is_once = match outcome {
            Outcome::Created { principal, id } => {
                matches!(created(principal), [only] if id.is_none_or(|id| id == *only))
            }
            Outcome::Edited { from, principal, id } => {
                cancelled(from) == 1 && matches!(created(principal), [only] if id.is_none_or(|id| id == *only))
            }
            Outcome::Cancelled { id } => cancelled(id) == 1,
            Outcome::Lent { loan } => self.loans_signed.get(loan) == Some(&1),
            Outcome::NotLent { loan } => !self.loans_signed.contains_key(loan),
            Outcome::Repaid { loan } => self.endings_signed.contains(loan),
            Outcome::Refused { principal } => created(principal).is_empty(),
        };
        if is_once { Ok(()) } else { Err(format!("the journal does not have as it was answered: {outcome:?}")) }
    }
}

/// The public offers of a book, a line each, in the order of their ids.
fn view_of(book: &OrderBook) -> String {
    let is_shown = |offer: &&Offer| offer.is_open() || (offer.paused.is_empty() && offer.held > Sats::ZERO);
    let mut offers: Vec<&Offer> = book.offers().filter(is_shown).collect();
    offers.sort_unstable_by_key(|offer| offer.id);
    let mut view = String::new();
    for offer in offers {
        let state = if offer.is_open() { "live" } else { "reserved" };
        // Writing to a string cannot fail.
        let _ = writeln!(view, "{}:{}:{}:{state}", offer.id, offer.principal.get(), offer.takeable().get());
    }
    view
}
