//! The simulated prices as a stream of market data.

use std::collections::VecDeque;
use std::time::Duration;

use engine::Market;
use engine::market_data::{MarketData, MarketUpdate, PriceTick};
use simulator::{DemoMarket, PriceFeed};

use crate::clock;

/// The simulated prices, published as they change.
pub(super) struct DemoPrices {
    feed: PriceFeed,
    waiting: VecDeque<MarketUpdate>,
}

impl DemoPrices {
    /// Builds the prices of a market from now on, each from its last value.
    pub(super) fn new(market: &Market, demo: &DemoMarket) -> Self {
        let mut feed = demo.price_feed(clock::now());
        for row in market.rows() {
            if let Some(price) = row.unit_price {
                feed.resume(row.id.0, price.0);
            }
        }
        Self { feed, waiting: VecDeque::new() }
    }
}

impl MarketData for DemoPrices {
    async fn next(&mut self) -> Option<MarketUpdate> {
        loop {
            if let Some(news) = self.waiting.pop_front() {
                return Some(news);
            }
            let now = clock::now();
            let wait_ms = self.feed.next_due(now).0.saturating_sub(now.0);
            if wait_ms > 0 {
                tokio::time::sleep(Duration::from_millis(wait_ms)).await;
            }
            let ticks = self.feed.next_ticks(clock::now()).into_iter();
            self.waiting.extend(ticks.map(|tick| {
                MarketUpdate::Price(PriceTick { group: tick.group, price: tick.price, observed_at: tick.observed_at })
            }));
        }
    }
}
