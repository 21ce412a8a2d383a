//! The crate `lobster` as a contender: one book per ranking, orders as bids of one unit.

use std::collections::BTreeMap;

use lobster::{OrderBook, OrderEvent, OrderType, Side};

use super::{contender::Contender, order_log::Order};
use crate::market::RANKINGS;

/// The first number of takers, above those of all orders.
const TAKERS_FROM: u128 = 1 << 64;
/// The crate's own default.
const QUEUE_CAPACITY: usize = 10;

pub(super) struct LobsterBook {
    books: Vec<OrderBook>,
    takers: u128,
}

impl LobsterBook {
    /// Creates books with capacity for `size` orders in total, which the crate requires in advance.
    pub(super) fn new(size: usize) -> Self {
        let arena = (size / RANKINGS * 3 / 2).max(10_000);
        let books = (0..RANKINGS).map(|_| OrderBook::new(arena, QUEUE_CAPACITY, false));
        Self { books: books.collect(), takers: TAKERS_FROM }
    }
}

impl Contender for LobsterBook {
    fn add(&mut self, order: &Order) {
        let limit = OrderType::Limit { id: order.number.into(), side: Side::Bid, qty: 1, price: order.price };
        let event = self.books[order.ranking].execute(limit);
        assert!(matches!(event, OrderEvent::Placed { .. }), "{order:?} is placed");
    }

    fn cancel(&mut self, order: &Order) {
        self.books[order.ranking].execute(OrderType::Cancel { id: order.number.into() });
    }

    fn replace(&mut self, old: &Order, new: &Order) {
        self.cancel(old);
        self.add(new);
    }

    fn take(&mut self, ranking: usize) -> u64 {
        self.takers += 1;
        let market = OrderType::Market { id: self.takers, side: Side::Ask, qty: 1 };
        match self.books[ranking].execute(market) {
            OrderEvent::Filled { fills, .. } => u64::try_from(fills[0].order_2).expect("a resting order's number"),
            other => panic!("a market order of one unit is filled, not {other:?}"),
        }
    }

    fn levels(&self, ranking: usize) -> BTreeMap<u64, u64> {
        // It returns every level; the number only reserves capacity.
        let depth = self.books[ranking].depth(1);
        depth.bids.iter().map(|level| (level.price, level.qty)).collect()
    }
}
