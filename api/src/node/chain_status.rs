//! The state of the chain for display: the best block, the height of the indexer, and the recommended fee rates.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bitcoin::{FeeRate, Network};
use domain::UnixMs;
use engine::chain::{Chain as _, ChainError};
use engine::locks::MutexExt as _;
use lending::service::fee_bounds;
use serde::Serialize;
use tokio::sync::Mutex;
use utoipa::ToSchema;

use super::Node;
use crate::clock;
use crate::config::network;
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;

/// The cache lifetime of an answer, which is the same for all callers.
const FRESH: Duration = Duration::from_secs(2);
/// The timeout of the indexer here.
const INDEXER_TIMEOUT: Duration = Duration::from_secs(2);
/// The age up to which the last height of a slow indexer is still reported.
const INDEXER_HEIGHT_MAX_AGE: Duration = Duration::from_secs(10);

/// The state of the chain.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChainStatus {
    /// The network.
    #[serde(with = "network")]
    #[schema(schema_with = network::schema)]
    network: Network,
    /// The height of the best block.
    height: u32,
    /// The hash of the best block.
    block_hash: String,
    /// The height of the last block that the indexer has read; `null` while the indexer does not answer.
    #[schema(required)]
    pub indexer_height: Option<u32>,
    /// The median time past in unix milliseconds, with which timelocks are compared.
    #[schema(value_type = u64)]
    median_time: UnixMs,
    /// Recommended fee rates.
    fee_rates: FeeRates,
    /// The lowest fee rates at which a loan can be prepared, in sats per virtual byte; a lower limit applies to a loan
    /// that is already prepared.
    loan_rates_min: LoanRatesMin,
}

/// The progress of the chain, for monitoring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainProgress {
    /// The height of the best block.
    pub height: u32,
    /// The height of the last block that the indexer has read; `None` while it does not answer.
    pub indexer_height: Option<u32>,
    /// The time at which this server first saw the best block.
    pub tip_seen_at: UnixMs,
}

/// The lowest fee rates at which a loan can be prepared, in sats per virtual byte, with at most three decimals.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct LoanRatesMin {
    /// Of an instant loan.
    instant: f64,
    /// Of a manual loan and of a refinancing.
    manual: f64,
}

/// Recommended fee rates in sats per virtual byte, with at most three decimals.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct FeeRates {
    /// For the next block.
    fast: f64,
    /// For a confirmation within half an hour, which is three blocks.
    half_hour: f64,
    /// For a confirmation within an hour, which is six blocks.
    hour: f64,
}

/// A short-lived cache of the node's last answer or error, and of the indexer's height.
#[derive(Debug, Default)]
pub struct RecentStatus {
    recent: Mutex<Option<CachedStatus>>,
    indexer: Arc<CachedHeight>,
    /// The hash of the best block, and the time at which it was first seen.
    tip_seen: std::sync::Mutex<Option<(String, UnixMs)>>,
}

/// The time of an answer, and the answer or the reason why there is none.
type CachedStatus = (Instant, Result<ChainStatus, String>);

/// The time and value of the indexer's last height; no height when the indexer was unavailable.
type CachedHeight = std::sync::Mutex<Option<(Instant, Option<u32>)>>;

impl RecentStatus {
    /// Returns the node's recent answer; concurrent callers share one request.
    ///
    /// # Errors
    /// [`ErrorCode::NodeUnavailable`].
    pub async fn get(&self, node: &Node, network: Network) -> Result<ChainStatus, ApiError> {
        let mut recent = self.recent.lock().await;
        let known = recent.take().filter(|(at, _)| at.elapsed() < FRESH);
        let known = match known {
            Some(known) => known,
            None => self.look(node, network).await,
        };
        recent.insert(known).1.clone().map_err(unavailable)
    }

    /// Returns the progress of the chain; `None` while the node does not answer.
    pub async fn progress(&self, node: &Node, network: Network) -> Option<ChainProgress> {
        let ChainStatus { height, block_hash, indexer_height, .. } = self.get(node, network).await.ok()?;
        Some(ChainProgress { height, indexer_height, tip_seen_at: self.tip_seen_at(block_hash, clock::now()) })
    }

    /// Records that a block is the best, and returns the time at which it first was.
    fn tip_seen_at(&self, hash: String, now: UnixMs) -> UnixMs {
        let mut seen = self.tip_seen.lock_unpoisoned();
        match &*seen {
            Some((known, at)) if *known == hash => *at,
            _ => seen.insert((hash, now)).1,
        }
    }

    /// Asks node and indexer, and returns the time of the answer, so that it is fresh for all callers that waited for
    /// it.
    async fn look(&self, node: &Node, network: Network) -> CachedStatus {
        // The caller's connection may close before the node answers; the request is completed all the same.
        let lookup = tokio::spawn(ask(node.clone(), network));
        let (status, indexer_height) = tokio::join!(lookup, self.indexer_height(node.clone()));
        let status = status.map_err(|error| error.to_string());
        let status = status.and_then(|status| status.map_err(|error| error.to_string()));
        let status = status.map(|status| ChainStatus { indexer_height, ..status });
        if let Ok(status) = &status {
            self.tip_seen_at(status.block_hash.clone(), clock::now());
        }
        (Instant::now(), status)
    }

    /// The indexer's height if it answers within [`INDEXER_TIMEOUT`], else its recent one. The request runs in a task
    /// of its own, which completes after the timeout too: a request cut off half-way would not show whether the indexer
    /// is available.
    async fn indexer_height(&self, node: Node) -> Option<u32> {
        let heard = Arc::clone(&self.indexer);
        let lookup = tokio::spawn(async move {
            let height = node.indexer_height().await;
            *heard.lock_unpoisoned() = Some((Instant::now(), height));
            height
        });
        if let Ok(Ok(height)) = tokio::time::timeout(INDEXER_TIMEOUT, lookup).await {
            return height;
        }
        let heard = *self.indexer.lock_unpoisoned();
        heard.filter(|(at, _)| at.elapsed() < INDEXER_HEIGHT_MAX_AGE).and_then(|(_, height)| height)
    }
}

async fn ask(node: Node, network: Network) -> Result<ChainStatus, ChainError> {
    let tip = node.tip().await?;
    let rate = async |blocks| node.fee_rate(blocks).await.map(per_virtual_byte);
    let fee_rates = FeeRates { fast: rate(1).await?, half_hour: rate(3).await?, hour: rate(6).await? };
    let least = fee_bounds::origination_rates(&node).await?;
    let loan_rates_min =
        LoanRatesMin { instant: per_virtual_byte(least.instant), manual: per_virtual_byte(least.manual) };
    let median_time = UnixMs(u64::from(tip.median_time_seconds) * 1_000);
    let (height, block_hash) = (tip.height, tip.hash.to_string());
    Ok(ChainStatus { network, height, block_hash, indexer_height: None, median_time, fee_rates, loan_rates_min })
}

/// Four weight units are a virtual byte. A rate beyond 32 bits exceeds all bitcoin there is.
fn per_virtual_byte(rate: FeeRate) -> f64 {
    f64::from(u32::try_from(rate.to_sat_per_kwu()).unwrap_or(u32::MAX)) * 4.0 / 1_000.0
}

pub(crate) fn unavailable(why: impl fmt::Display) -> ApiError {
    ApiError::new(ErrorCode::NodeUnavailable, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_age_of_the_tip_is_that_of_its_first_sight() {
        let status = RecentStatus::default();
        let seen = |hash: &str, now| status.tip_seen_at(hash.to_owned(), UnixMs(now)).0;
        assert_eq!([seen("a", 1), seen("a", 2), seen("b", 3), seen("b", 9), seen("a", 10)], [1, 1, 3, 3, 10]);
    }

    #[test]
    fn a_fee_rate_is_shown_for_a_virtual_byte() {
        for (per_kwu, shown) in [(250, 1.0), (253, 1.012), (25, 0.1), (7_500, 30.0)] {
            let difference: f64 = per_virtual_byte(FeeRate::from_sat_per_kwu(per_kwu)) - shown;
            assert!(difference.abs() < 1e-9, "{per_kwu}: {difference}");
        }
    }
}
