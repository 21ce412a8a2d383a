//! The simulated prices as market news.

use std::collections::VecDeque;
use std::time::Duration;

use devnet::{DemoMarket, PriceFeed};
use engine::market_data::{MarketData, MarketNews, PriceTick};

use crate::clock;

/// Prices that move at their times.
pub(super) struct DemoPrices {
    feed: PriceFeed,
    waiting: VecDeque<MarketNews>,
}

impl DemoPrices {
    /// The prices of a market from now on.
    pub(super) fn new(demo: &DemoMarket) -> Self {
        Self { feed: demo.price_feed(clock::now()), waiting: VecDeque::new() }
    }
}

impl MarketData for DemoPrices {
    async fn next(&mut self) -> Option<MarketNews> {
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
                MarketNews::Price(PriceTick { group: tick.group, price: tick.price, observed_at: tick.observed_at })
            }));
        }
    }
}
