//! The crate `orderbook-rs` as a contender: one book per ranking, orders as bids of one unit.

use std::collections::BTreeMap;

use orderbook_rs::{DefaultOrderBook, Id, Side, TimeInForce};

use super::{contender::Contender, order_log::Order};
use crate::market::RANKINGS;

/// The first number of takers, above those of all orders.
const TAKERS_FROM: u64 = 1 << 40;

pub(super) struct OrderbookRsBook {
    books: Vec<DefaultOrderBook>,
    takers: u64,
}

impl Default for OrderbookRsBook {
    fn default() -> Self {
        let books = (0..RANKINGS).map(|ranking| DefaultOrderBook::new(&format!("ranking-{ranking}")));
        Self { books: books.collect(), takers: TAKERS_FROM }
    }
}

impl Contender for OrderbookRsBook {
    fn add(&mut self, order: &Order) {
        let (id, price) = (Id::sequential(order.number), order.price.into());
        let added = self.books[order.ranking].add_limit_order(id, price, 1, Side::Buy, TimeInForce::Gtc, None);
        added.expect("the order is placed");
    }

    fn cancel(&mut self, order: &Order) {
        let cancelled = self.books[order.ranking].cancel_order(Id::sequential(order.number));
        assert!(cancelled.expect("a cancel succeeds").is_some(), "{order:?} is resting");
    }

    fn replace(&mut self, old: &Order, new: &Order) {
        self.cancel(old);
        self.add(new);
    }

    fn take(&mut self, ranking: usize) -> u64 {
        self.takers += 1;
        let matched = self.books[ranking].submit_market_order(Id::sequential(self.takers), 1, Side::Sell);
        let matched = matched.expect("a market order of one unit is filled");
        matched.trades().as_vec()[0].maker_order_id().as_u64().expect("orders are numbered")
    }

    fn levels(&self, ranking: usize) -> BTreeMap<u64, u64> {
        let (bids, _) = self.books[ranking].get_volume_by_price().expect("volumes fit");
        bids.into_iter().map(|(price, volume)| (u64::try_from(price).expect("prices fit"), volume)).collect()
    }
}
