//! `/api/v1/chain`: where the chain stands, who has read it, and what its blocks cost.

use std::fmt;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use actix_web::{HttpRequest, HttpResponse, web};
use bitcoin::{FeeRate, Network};
use domain::UnixMs;
use engine::chain::{Chain as _, ChainError};
use lending::fee_bounds;
use serde::Serialize;
use tokio::sync::Mutex;
use utoipa::ToSchema;

use crate::app::App;
use crate::config::network;
use crate::demo::outage::{self, Part};
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;
use crate::node::Node;

/// How long an answer is good for: everybody looks at the same blocks.
const FRESH: Duration = Duration::from_secs(2);
/// How long the indexer is waited for here.
const INDEXER_PATIENCE: Duration = Duration::from_secs(2);
/// For how long an indexer that is slow counts as one that answers.
const HEARD: Duration = Duration::from_secs(10);

/// Where the chain stands.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChainStatus {
    /// Which chain.
    #[serde(with = "network")]
    #[schema(schema_with = network::schema)]
    network: Network,
    /// The height of the best block.
    height: u32,
    /// Its hash.
    block_hash: String,
    /// The height of the last block that the indexer has read; `null` while it gives no answer.
    #[schema(required)]
    indexer_height: Option<u32>,
    /// The median time past in unix milliseconds: what timelocks are held against.
    #[schema(value_type = u64)]
    median_time: UnixMs,
    /// What a transaction should pay.
    fee_rates: FeeRates,
    /// The least that the beginning of a loan must pay, in sats for each virtual byte; a prepared loan is held against less.
    loan_rates_min: LoanRatesMin,
}

/// The lowest fee rates at which a loan can be prepared, in sats for each virtual byte, with at most three decimals.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct LoanRatesMin {
    /// For an instant loan.
    instant: f64,
    /// For a manual loan and a refinancing.
    manual: f64,
}

/// Recommended fee rates in sats for each virtual byte, with at most three decimals.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct FeeRates {
    /// To be in the next block.
    fast: f64,
    /// To be confirmed within half an hour, which is three blocks.
    half_hour: f64,
    /// To be confirmed within an hour, which is six blocks.
    hour: f64,
}

/// The last answer of the node, or why there is none, and when that was.
#[derive(Debug, Default)]
pub struct RecentStatus {
    recent: Mutex<Option<Heard>>,
    indexer: Arc<HeardHeight>,
}

/// When an answer came, and it, or why there is none.
type Heard = (Instant, Result<ChainStatus, String>);

/// The height that the indexer named last, and when that was; no height when it was away.
type HeardHeight = std::sync::Mutex<Option<(Instant, Option<u32>)>>;

impl RecentStatus {
    /// What the node said a moment ago. All who ask at once wait for one question.
    async fn get(&self, node: &Node, network: Network) -> Result<ChainStatus, ApiError> {
        let mut recent = self.recent.lock().await;
        let known = recent.take().filter(|(at, _)| at.elapsed() < FRESH);
        let known = match known {
            Some(known) => known,
            None => self.look(node, network).await,
        };
        recent.insert(known).1.clone().map_err(unavailable)
    }

    /// Asks both, and says when the answer came: whoever waited for it meanwhile takes it for fresh.
    async fn look(&self, node: &Node, network: Network) -> Heard {
        // Whoever asked may be gone before the node answers: the question is heard out all the same.
        let asked = tokio::spawn(ask(node.clone(), network));
        let (status, indexer_height) = tokio::join!(asked, self.indexer_height(node.clone()));
        let status = status.map_err(|error| error.to_string());
        let status = status.and_then(|status| status.map_err(|error| error.to_string()));
        (Instant::now(), status.map(|status| ChainStatus { indexer_height, ..status }))
    }

    /// What the indexer says within [`INDEXER_PATIENCE`], else what it said a moment ago. It is asked in a task of its own,
    /// which hears it out: a question that is given up half-way would leave open whether the indexer is away.
    async fn indexer_height(&self, node: Node) -> Option<u32> {
        let heard = Arc::clone(&self.indexer);
        let asked = tokio::spawn(async move {
            let height = node.indexer_height().await;
            *heard.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), height));
            height
        });
        if let Ok(Ok(height)) = tokio::time::timeout(INDEXER_PATIENCE, asked).await {
            return height;
        }
        let heard = *self.indexer.lock().unwrap_or_else(PoisonError::into_inner);
        heard.filter(|(at, _)| at.elapsed() < HEARD).and_then(|(_, height)| height)
    }
}

async fn ask(node: Node, network: Network) -> Result<ChainStatus, ChainError> {
    let tip = node.tip().await?;
    let rate = async |blocks| node.fee_rate(blocks).await.map(per_virtual_byte);
    let fee_rates = FeeRates { fast: rate(1).await?, half_hour: rate(3).await?, hour: rate(6).await? };
    let least = fee_bounds::start_rates(&node).await?;
    let loan_rates_min =
        LoanRatesMin { instant: per_virtual_byte(least.instant), manual: per_virtual_byte(least.manual) };
    let median_time = UnixMs(u64::from(tip.median_time_seconds) * 1_000);
    let (height, block_hash) = (tip.height, tip.hash.to_string());
    Ok(ChainStatus { network, height, block_hash, indexer_height: None, median_time, fee_rates, loan_rates_min })
}

/// Four weight units are a virtual byte. A rate beyond 32 bits is beyond all money.
fn per_virtual_byte(rate: FeeRate) -> f64 {
    f64::from(u32::try_from(rate.to_sat_per_kwu()).unwrap_or(u32::MAX)) * 4.0 / 1_000.0
}

fn unavailable(why: impl fmt::Display) -> ApiError {
    ApiError::new(ErrorCode::NodeUnavailable, why)
}

impl App {
    /// The node.
    ///
    /// # Errors
    /// [`ErrorCode::NodeUnavailable`] when the server runs without one, or a visitor of the demo has taken it away.
    pub fn node(&self) -> Result<&Node, ApiError> {
        if outage::is_away(Part::Node) {
            // What is remembered is shared with everybody, so it neither answers here nor learns of this.
            return Err(unavailable(outage::REASON));
        }
        self.node.as_ref().ok_or_else(|| unavailable("this server has no Bitcoin node"))
    }
}

/// Shows the best block and the recommended fee rates.
///
/// # Errors
/// [`ErrorCode::NodeUnavailable`].
#[utoipa::path(get, path = "/api/v1/chain", operation_id = "getChain", tag = "market",
    responses((status = 200, body = ChainStatus), (status = 503, body = Problem)))]
pub async fn show(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    app.rates.reads.take(app.client_ip(&request), app.now())?;
    let mut status = app.chain_status.get(app.node()?, app.settings.network).await?;
    if outage::is_away(Part::Indexer) {
        status.indexer_height = None;
    }
    Ok(HttpResponse::Ok().json(status))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fee_rate_is_shown_for_a_virtual_byte() {
        for (per_kwu, shown) in [(250, 1.0), (253, 1.012), (25, 0.1), (7_500, 30.0)] {
            let difference: f64 = per_virtual_byte(FeeRate::from_sat_per_kwu(per_kwu)) - shown;
            assert!(difference.abs() < 1e-9, "{per_kwu}: {difference}");
        }
    }
}
