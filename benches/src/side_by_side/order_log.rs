//! Orders that every implementation can carry out, with their expected outcome.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use domain::Sats;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::{
    market::{RANKINGS, draft, floor_price},
    planner::lenders_for,
};

/// An order of one unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order {
    /// The number of the order; orders are numbered from 1 in their order of arrival.
    pub(super) number: u64,
    /// The index of its ranking.
    pub(super) ranking: usize,
    /// The number of its lender, from 1.
    pub(super) lender: u64,
    /// Its price in sats.
    pub(super) price: u64,
}

/// An operation.
#[derive(Clone, Copy, Debug)]
pub(super) enum Action {
    Add(Order),
    Cancel(Order),
    Replace { old: Order, new: Order },
    Take { ranking: usize },
}

/// A timed window, and the operations that restore the book's size afterwards, untimed.
#[derive(Clone, Debug, Default)]
pub(super) struct Window {
    pub(super) mixed: Vec<Action>,
    pub(super) trim: Vec<Action>,
}

/// A log and its expected outcome.
#[derive(Clone, Debug, Default)]
pub(super) struct OrderLog {
    pub(super) fill: Vec<Action>,
    pub(super) windows: Vec<Window>,
    /// The numbers of the orders taken, in order.
    pub(super) taken: Vec<u64>,
    /// For each ranking, the number of orders at each price at the end.
    pub(super) levels: Vec<BTreeMap<u64, u64>>,
}

impl OrderLog {
    /// The number of operations under the clock.
    pub(super) fn operations(&self) -> usize {
        self.windows.iter().map(|window| window.mixed.len()).sum()
    }
}

/// The resting orders as sorted sets: the simplest possible book.
struct ReferenceBook {
    rng: ChaCha8Rng,
    /// The number of orders of each lender.
    lenders: Vec<usize>,
    resting: Vec<Order>,
    /// For each ranking, price and number of its orders.
    ranked: Vec<BTreeSet<(Reverse<u64>, u64)>>,
    places: std::collections::HashMap<u64, usize>,
    number: u64,
    taken: Vec<u64>,
}

/// The part of the mix that all implementations support: of nine operations six add, one replaces, one cancels, one
/// takes.
pub(super) fn order_log(seed: u64, size: usize, operations: usize) -> OrderLog {
    let mut book = ReferenceBook::new(seed, lenders_for(size));
    let (least, length) = (size * 9 / 10, size / 2);
    let fill = (0..least).map(|_| Action::Add(book.added(None))).collect();
    let mut windows = Vec::new();
    for _ in 0..operations.div_ceil(length) {
        let mixed = (0..length).map(|_| book.mix()).collect();
        let mut trim = Vec::new();
        while book.resting.len() > least {
            trim.push(Action::Cancel(book.any_removed()));
        }
        windows.push(Window { mixed, trim });
    }
    let levels = book.ranked.iter().map(|ranked| {
        let mut levels = BTreeMap::new();
        for (Reverse(price), _) in ranked {
            *levels.entry(*price).or_insert(0) += 1;
        }
        levels
    });
    OrderLog { fill, windows, levels: levels.collect(), taken: book.taken }
}

impl ReferenceBook {
    fn new(seed: u64, lenders: usize) -> Self {
        Self {
            rng: ChaCha8Rng::seed_from_u64(seed),
            lenders: vec![0; lenders],
            resting: Vec::new(),
            ranked: vec![BTreeSet::new(); RANKINGS],
            places: std::collections::HashMap::new(),
            number: 0,
            taken: Vec::new(),
        }
    }

    fn mix(&mut self) -> Action {
        match self.rng.random_range(0..9) {
            0..6 => Action::Add(self.added(None)),
            6 => {
                let old = self.any_removed();
                Action::Replace { old, new: self.added(Some(old)) }
            }
            7 => Action::Cancel(self.any_removed()),
            _ => {
                let ranking = self.rng.random_range(0..RANKINGS);
                let (_, number) = *self.ranked[ranking].first().expect("no ranking becomes empty");
                self.removed(self.places[&number]);
                self.taken.push(number);
                Action::Take { ranking }
            }
        }
    }

    /// Adds a new order, or the replacement of an old one.
    fn added(&mut self, old: Option<Order>) -> Order {
        let lender = old.map_or_else(|| self.some_lender(), |old| place(old.lender) - 1);
        let ranking = old.map_or_else(|| self.rng.random_range(0..RANKINGS), |old| old.ranking);
        let draft = draft(ranking, floor_price(), Sats::MAX, &mut self.rng);
        self.number += 1;
        let lender_number = u64::try_from(lender).expect("few lenders") + 1;
        let order = Order { number: self.number, ranking, lender: lender_number, price: draft.principal.get() };
        self.lenders[lender] += 1;
        self.places.insert(order.number, self.resting.len());
        self.resting.push(order);
        self.ranked[ranking].insert((Reverse(order.price), order.number));
        order
    }

    fn some_lender(&mut self) -> usize {
        loop {
            let one = self.rng.random_range(0..self.lenders.len());
            let lender = one.min(self.rng.random_range(0..self.lenders.len()));
            if self.lenders[lender] < usize::from(domain::Limits::default().offers_per_lender_max) {
                return lender;
            }
        }
    }

    fn any_removed(&mut self) -> Order {
        let place = self.rng.random_range(0..self.resting.len());
        self.removed(place)
    }

    fn removed(&mut self, at: usize) -> Order {
        let order = self.resting.swap_remove(at);
        self.places.remove(&order.number);
        if let Some(moved) = self.resting.get(at) {
            self.places.insert(moved.number, at);
        }
        self.ranked[order.ranking].remove(&(Reverse(order.price), order.number));
        self.lenders[place(order.lender) - 1] -= 1;
        order
    }
}

fn place(number: u64) -> usize {
    usize::try_from(number).expect("few lenders")
}
