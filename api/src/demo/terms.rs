//! Terms that change in the demo.

use std::sync::Arc;
use std::time::Duration;

use devnet::{DemoMarket, TermNews};
use domain::{TermChange, TermChangeId, UnixMs};
use engine::{Market, Refusal};

use crate::clock;

/// How often a change is announced, in milliseconds.
const EVERY_MS: u64 = 240_000;

/// How long lenders are warned, in milliseconds. On a real market it would be days.
const WARNING_MS: u64 = 120_000;

/// Announces a change of terms every few minutes, until it is aborted.
pub(super) async fn announce(market: Market, demo: Arc<DemoMarket>) {
    loop {
        let now = clock::now();
        // By the time and not by a count, so that a market that goes on does not tell its old news again.
        let number = now.0 / EVERY_MS + 1;
        let wait_ms = (number * EVERY_MS).saturating_sub(now.0);
        tokio::time::sleep(Duration::from_millis(wait_ms)).await;
        let Some(news) = demo.term_news(number) else { return };
        if let Err(refusal) = tell(&market, news, clock::now()).await {
            // Another change of the same terms may still be ahead.
            tracing::debug!(%refusal, ?news, "no change of terms was announced");
        }
    }
}

async fn tell(market: &Market, news: TermNews, now: UnixMs) -> Result<(), Refusal> {
    let TermNews { group, sub_collection, interest, term } = news;
    let change = TermChange { id: TermChangeId(rand::random()), interest, term, change_at: now.plus_ms(WARNING_MS) };
    market.announce_term(group, sub_collection, change).await
}
