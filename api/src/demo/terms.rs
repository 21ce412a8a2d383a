//! Term changes in the demo.

use std::sync::Arc;
use std::time::Duration;

use domain::{TermChange, TermChangeId, UnixMs};
use engine::{Market, Refusal};
use simulator::{DemoMarket, TermAnnouncement};

use crate::clock;

/// The interval between announcements, in milliseconds.
const INTERVAL_MS: u64 = 240_000;

/// The notice period, in milliseconds. In a real market it would be days.
const NOTICE_PERIOD_MS: u64 = 120_000;

/// Announces a term change every few minutes, until it is aborted.
pub(super) async fn announce(market: Market, demo: Arc<DemoMarket>) {
    loop {
        let now = clock::now();
        // Numbered by time and not by a count, so that a continued market does not repeat earlier changes.
        let number = now.0 / INTERVAL_MS + 1;
        let wait_ms = (number * INTERVAL_MS).saturating_sub(now.0);
        tokio::time::sleep(Duration::from_millis(wait_ms)).await;
        let Some(news) = demo.term_announcement(number) else { return };
        if let Err(refusal) = announce_change(&market, news, clock::now()).await {
            // An earlier change of the same terms may still be pending.
            tracing::debug!(%refusal, ?news, "no change of terms was announced");
        }
    }
}

async fn announce_change(market: &Market, news: TermAnnouncement, now: UnixMs) -> Result<(), Refusal> {
    let TermAnnouncement { group, sub_collection, interest, term } = news;
    let change =
        TermChange { id: TermChangeId(rand::random()), interest, term, change_at: now.plus_ms(NOTICE_PERIOD_MS) };
    market.announce_term(group, sub_collection, change).await
}
