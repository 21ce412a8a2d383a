//! The planner of logs: applies commands to its own book, so that every recorded command is one that the book accepts.

mod requests;

use std::{collections::HashMap, sync::Arc};

use domain::{
    BookEvent, CollectionGroup, Command, Limits, LoanEnd, LoanId, OfferDraft, OfferId, OrderBook, ProcessType,
    Quantity, RequestId, ReservationId, Sats, Taker, UnitPrice, UnixMs, UserId,
};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::{
    book_log::{Kind, Log, Size, Step, Window},
    market::{self, FLOOR, RANKINGS, draft, floor_price, place_of},
};

/// The range of vault balances.
const VAULT_SATS: std::ops::Range<u64> = 2_000_000..20_000_000;
/// The duration of a reservation: a quarter of an hour.
const RESERVATION_MS: u64 = 900_000;
/// The range of the price, within 1 % of the floor, and its maximum step of 0.01 % per tick.
const PRICE_RANGE_PER_CENT: u64 = 1;
const PRICE_STEP_PER_MILLION: u64 = 100;
/// The start time of every log.
pub const START: UnixMs = UnixMs(1_700_000_000_000);
/// The amount that a vault tick adds if vaults only grow.
const CREDIT_SATS: u64 = 1_000;
/// Of so many manual offers, one follows the floor.
const PEGGED_OF_MANUAL: u32 = 10;
/// The first borrower id, above those of all lenders.
const BORROWERS_FROM: u64 = 1_000_000_000;

/// The operations of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mix {
    /// 60 % create, 10 % edit, 10 % cancel, 10 % accept, 5 % price ticks, 5 % vault ticks.
    Offers,
    /// The same with requests beside the offers: 54 % create, a tenth of the manual offers following the floor, 10 % edit,
    /// 10 % cancel, 8 % accept, 5 % price ticks, 5 % vault ticks, 4 % requests, 2 % withdrawn and 2 % filled ones.
    TwoSided,
}

impl Mix {
    /// Every mix.
    pub const ALL: [Self; 2] = [Self::Offers, Self::TwoSided];

    /// The name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Offers => "offers",
            Self::TwoSided => "two-sided",
        }
    }
}

/// A book, the planner's knowledge of it, and a random source.
pub struct Planner {
    /// The book after everything recorded so far.
    pub book: OrderBook,
    rng: ChaCha8Rng,
    now: UnixMs,
    touched: Vec<OfferId>,
    offers: Vec<(OfferId, UserId)>,
    places: HashMap<OfferId, usize>,
    vaults: Vec<Sats>,
    mix: Mix,
    /// Whether vaults only grow, and no offer exhausts one.
    are_vaults_funded: bool,
    loans: Vec<LoanId>,
    /// The open requests with their borrowers.
    requests: Vec<(RequestId, UserId)>,
    serial: u128,
}

/// The number of operations per window: every window grows the book from 90 % to 110 % of `size`.
fn window_operations(size: usize) -> usize {
    size / 2
}

/// The log of a mix at `size` live offers, with at least `operations` under the clock, and the resulting book.
#[must_use]
pub fn mixed_log(seed: u64, size: usize, operations: usize, mix: Mix) -> (Log, OrderBook) {
    let planner = Planner::new(seed, market::group(1), lenders_for(size));
    Planner { mix, ..planner }.log(size, operations)
}

/// The same with vaults that only grow, for a market whose vaults change by received payments.
#[must_use]
pub fn funded_log(seed: u64, size: usize, operations: usize, vaults: Vec<Sats>) -> (Log, OrderBook) {
    let mut planner = Planner::new(seed, market::group(1), vaults.len());
    (planner.vaults, planner.are_vaults_funded) = (vaults, true);
    planner.log(size, operations)
}

/// The number of lenders. A lender may have 500 offers in a book; on average they have 20 in a small one and 100 in a
/// large one.
#[must_use]
pub fn lenders_for(size: usize) -> usize {
    (size / 100).max(size.min(1_000) / 20)
}

impl Planner {
    /// An empty book with a price and a vault for each of `lenders`.
    #[must_use]
    pub fn new(seed: u64, group: Arc<CollectionGroup>, lenders: usize) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let vaults = (0..lenders).map(|_| Sats::new(rng.random_range(VAULT_SATS))).collect();
        Self {
            book: OrderBook::new(group, Arc::new(Limits::default())),
            rng,
            now: START,
            touched: Vec::new(),
            offers: Vec::new(),
            places: HashMap::new(),
            vaults,
            mix: Mix::Offers,
            are_vaults_funded: false,
            loans: Vec::new(),
            requests: Vec::new(),
            serial: 0,
        }
    }

    fn log(mut self, size: usize, operations: usize) -> (Log, OrderBook) {
        let fill = self.fill(size * 9 / 10);
        let start = self.size();
        let mut windows = Vec::new();
        let mut end = start;
        let wanted = operations.div_ceil(window_operations(size));
        for number in 1..=wanted {
            let mut mixed = Vec::new();
            for _ in 0..window_operations(size) {
                self.mix(&mut mixed);
            }
            end = self.size();
            let trim = if number < wanted { self.trim(size * 9 / 10) } else { Vec::new() };
            windows.push(Window { mixed, trim });
        }
        (Log { fill, windows, start, end }, self.book)
    }

    /// The current size of the book.
    #[must_use]
    pub fn size(&self) -> Size {
        let rankings = (0..RANKINGS).map(place_of);
        let live = rankings.map(|(sub_collection, process)| self.book.ranked_count(sub_collection, process)).sum();
        Size { offers: self.offers.len(), live }
    }

    /// Sets the price and creates offers until `count` are live.
    pub fn fill(&mut self, count: usize) -> Vec<Step> {
        let mut steps = Vec::with_capacity(count + 1);
        self.act(Kind::PriceTick, Command::SetPrice { price: floor_price(), observed_at: self.now }, &mut steps);
        for _ in 0..count {
            self.create(&mut steps);
        }
        steps
    }

    /// Records one operation of the mix.
    pub fn mix(&mut self, steps: &mut Vec<Step>) {
        let drawn = self.rng.random_range(0..100);
        match self.mix {
            Mix::Offers => match drawn {
                0..60 => self.create(steps),
                60..70 => self.edit(steps),
                70..80 => self.cancel(steps),
                80..90 => self.accept(steps),
                90..95 => self.tick_price(steps),
                _ => self.tick_vault(steps),
            },
            Mix::TwoSided => match drawn {
                0..54 => self.create(steps),
                54..64 => self.edit(steps),
                64..74 => self.cancel(steps),
                74..82 => self.accept(steps),
                82..87 => self.tick_price(steps),
                87..92 => self.tick_vault(steps),
                92..96 => self.request(steps),
                96..98 => self.withdraw(steps),
                _ => self.fill_request(steps),
            },
        }
    }

    /// Cancels random offers until `count` are left, withdraws every request, and ends every loan.
    pub fn trim(&mut self, count: usize) -> Vec<Step> {
        let mut steps = Vec::new();
        while self.offers.len() > count {
            self.cancel(&mut steps);
        }
        while !self.requests.is_empty() {
            self.withdraw(&mut steps);
        }
        for loan in std::mem::take(&mut self.loans) {
            self.act(Kind::Confirm, Command::EndLoan { loan, end: LoanEnd::Repaid }, &mut steps);
        }
        steps
    }

    /// Lets a lender create an offer.
    pub fn create(&mut self, steps: &mut Vec<Step>) {
        let lender = loop {
            // The smaller of two draws: some lenders have many more offers than others.
            let one = self.rng.random_range(0..self.vaults.len());
            let lender = one.min(self.rng.random_range(0..self.vaults.len()));
            if self.book.offers_of(user(lender)).count() < usize::from(Limits::default().offers_per_lender_max) {
                break lender;
            }
        };
        let ranking = self.rng.random_range(0..RANKINGS);
        let usable = self.vaults[lender];
        let mut draft = draft(ranking, self.price(), usable, &mut self.rng);
        if self.mix == Mix::TwoSided
            && draft.process == ProcessType::Manual
            && self.rng.random_ratio(1, PEGGED_OF_MANUAL)
        {
            draft = pegged(draft, self.price());
        }
        self.act(Kind::Create, Command::Create { lender: user(lender), draft, count: 1, usable: Some(usable) }, steps);
    }

    /// Lets a lender change an offer's principal and LTV limit.
    pub fn edit(&mut self, steps: &mut Vec<Step>) {
        let Some((offer, lender)) = self.any_offer() else { return };
        let terms = self.book.offer(offer).expect("the offer is in the book");
        let old = domain::OfferDraft {
            max_ltv: terms.max_ltv,
            accepts_next_term: terms.accepts_next_term(),
            ..domain::OfferDraft::plain(terms.sub_collection, terms.process, terms.principal)
        };
        let usable = self.vaults[place(lender)];
        let draft = draft(market::ranking_of(&old), self.price(), usable, &mut self.rng);
        self.act(Kind::Edit, Command::Edit { lender, offer, draft, usable: Some(usable) }, steps);
    }

    /// Lets a lender cancel an offer.
    pub fn cancel(&mut self, steps: &mut Vec<Step>) {
        let Some((offer, lender)) = self.any_offer() else { return };
        self.act(Kind::Cancel, Command::Cancel { lender, offer }, steps);
    }

    /// Lets a borrower take the best offer of a ranking.
    pub fn accept(&mut self, steps: &mut Vec<Step>) {
        let (sub_collection, process) = place_of(self.rng.random_range(0..RANKINGS));
        let Some(offer) = self.book.best(sub_collection, process).map(|best| best.id) else { return };
        let borrower = UserId(BORROWERS_FROM + self.rng.random_range(0..10_000));
        self.take(offer, Taker::new(borrower), steps);
    }

    fn take(&mut self, offer: OfferId, taker: Taker, steps: &mut Vec<Step>) {
        self.serial += 1;
        let (reservation, loan) = (ReservationId(self.serial), LoanId(self.serial));
        let expires_at = self.now.plus_ms(RESERVATION_MS);
        let reserve = Command::Reserve { reservation, offer, taker, pledged_raw: None, expires_at };
        self.act(Kind::Reserve, reserve, steps);
        self.act(Kind::Confirm, Command::Confirm { reservation, loan }, steps);
        self.loans.push(loan);
    }

    /// Moves the price by a small random step.
    pub fn tick_price(&mut self, steps: &mut Vec<Step>) {
        let floor = floor_price().scaled();
        let (low, high) = (floor / 100 * (100 - PRICE_RANGE_PER_CENT), floor / 100 * (100 + PRICE_RANGE_PER_CENT));
        let step = floor / 1_000_000 * PRICE_STEP_PER_MILLION;
        let price = self.price().scaled();
        let price = (price - step + self.rng.random_range(0..=2 * step)).clamp(low, high);
        let price = UnitPrice::from_scaled(price);
        self.act(Kind::PriceTick, Command::SetPrice { price, observed_at: self.now }, steps);
    }

    /// Moves a vault's balance by up to 5 % of the largest vault.
    pub fn tick_vault(&mut self, steps: &mut Vec<Step>) {
        let lender = self.rng.random_range(0..self.vaults.len());
        let step = VAULT_SATS.end / 20;
        let moved = self.vaults[lender].get() + self.rng.random_range(0..=2 * step) - step;
        let usable = if self.are_vaults_funded {
            Sats::new(self.vaults[lender].get() + CREDIT_SATS)
        } else {
            Sats::new(moved.clamp(VAULT_SATS.start, VAULT_SATS.end))
        };
        self.vaults[lender] = usable;
        self.act(Kind::VaultTick, Command::SetVaultBalance { lender: user(lender), usable }, steps);
    }

    fn price(&self) -> UnitPrice {
        self.book.price().unwrap_or(UnitPrice::from_sats(FLOOR).expect("the floor is a price"))
    }

    fn any_offer(&mut self) -> Option<(OfferId, UserId)> {
        let count = self.offers.len();
        (count > 0).then(|| self.offers[self.rng.random_range(0..count)])
    }

    /// Records a command and applies it.
    fn act(&mut self, kind: Kind, command: Command, steps: &mut Vec<Step>) {
        self.now = self.now.plus_ms(1);
        let events = match self.book.decide(&command, self.now) {
            Ok(events) => events,
            Err(rejection) => panic!("the planned command {command:?} is refused: {rejection}"),
        };
        self.touched.clear();
        for event in &events {
            self.track(event);
            self.book.apply(event, self.now, &mut self.touched);
        }
        steps.push(Step { kind, command, at: self.now });
    }

    /// Updates the list of offers for an event; called before the event is applied to the book.
    fn track(&mut self, event: &BookEvent) {
        match *event {
            BookEvent::OfferCreated { offer, lender, .. } => {
                self.places.insert(offer, self.offers.len());
                self.offers.push((offer, lender));
            }
            BookEvent::OfferCancelled { offer, .. } => self.untrack(offer),
            BookEvent::RequestPlaced { request, ref terms } => self.requests.push((request, terms.borrower.user)),
            BookEvent::RequestFilled { request, .. } | BookEvent::RequestEnded { request, .. } => {
                self.requests.retain(|(known, _)| *known != request);
            }
            // Offers against an inscription are taken as a whole.
            BookEvent::ReservationConfirmed { reservation, .. } => {
                let taken = self.book.reservation(reservation).expect("the reservation exists").offer;
                self.untrack(taken);
            }
            _ => {}
        }
    }

    fn untrack(&mut self, offer: OfferId) {
        let place = self.places.remove(&offer).expect("every offer has an index");
        self.offers.swap_remove(place);
        if let Some((moved, _)) = self.offers.get(place) {
            self.places.insert(*moved, place);
        }
    }
}

/// The same offer, following the floor within a third below and above its principal.
fn pegged(draft: OfferDraft, price: UnitPrice) -> OfferDraft {
    let ltv = price.ltv_of(UnitPrice::quoted(draft.principal, Quantity::inscriptions(1)));
    let (least, most) = (draft.principal.get() * 2 / 3, draft.principal.get() * 4 / 3);
    OfferDraft { principal: Sats::new(most), principal_min: Some(Sats::new(least)), max_ltv: Some(ltv), ..draft }
}

/// The user of a vault.
fn user(place: usize) -> UserId {
    UserId(u64::try_from(place).expect("few lenders") + 1)
}

fn place(user: UserId) -> usize {
    usize::try_from(user.0 - 1).expect("few lenders")
}
