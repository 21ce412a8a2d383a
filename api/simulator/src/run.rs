//! The tasks of all simulated users.

use std::sync::Arc;
use std::time::Duration;

use reqwest::Method;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::action_counters::{ActionCounters, CountedAction, MarketReport};
use crate::api_client::{ApiClient, Call, CallError};
use crate::borrower::Borrower;
use crate::borrower_profile::BorrowerProfile;
use crate::clock;
use crate::demo_market::DemoMarket;
use crate::feed;
use crate::lender::{Lender, SharedState};
use crate::lender_client::LenderClient;
use crate::market_view::MarketView;
use crate::operator::Operator;
use crate::profile::Profile;
use crate::throttle::Throttle;
use crate::wallet_session::WalletSession;
use crate::wire::ServerConfig;

/// The interval between reports in the log.
const REPORT_EVERY: Duration = Duration::from_mins(1);
/// The retry delay while the server is not up.
const WAIT_FOR_SERVER: Duration = Duration::from_millis(500);

/// Lets the market's users lend and borrow through the public API at `base_url`, such as `http://127.0.0.1:8080`, until
/// `shutdown` becomes `true` or its sender is dropped. Then returns a report of their actions.
///
/// It waits for the server to come up, and never fails or panics because of a response: errors are logged and counted.
/// The users resume their accounts and loans when the market was kept from an earlier run.
pub async fn run(
    market: impl Into<Arc<DemoMarket>>,
    base_url: String,
    operator: impl Operator,
    mut shutdown: watch::Receiver<bool>,
) -> MarketReport {
    let (market, counters) = (market.into(), Arc::new(ActionCounters::default()));
    let mut tasks = JoinSet::new();
    tokio::select! {
        () = stopped(&mut shutdown) => {}
        () = work(&market, &base_url, operator, &counters, &mut tasks) => {}
    }
    tasks.shutdown().await;
    let report = counters.report();
    tracing::info!(?report, "the simulated users have stopped");
    report
}

/// Waits for the shutdown.
async fn stopped(shutdown: &mut watch::Receiver<bool>) {
    // A dropped sender counts as a shutdown: nothing else could stop the users later.
    let _ = shutdown.wait_for(|stop| *stop).await;
}

async fn work(
    market: &Arc<DemoMarket>,
    base_url: &str,
    operator: impl Operator,
    counters: &Arc<ActionCounters>,
    tasks: &mut JoinSet<()>,
) {
    let client = match ApiClient::new(base_url, market.pace.requests_max, Arc::clone(counters)) {
        Ok(client) => Arc::new(client),
        Err(error) => {
            counters.count(CountedAction::Failure);
            tracing::error!(%error, "no HTTP client: the simulated users stay idle");
            return;
        }
    };
    let config = Arc::new(wait_for_config(&client, counters).await);
    let view = Arc::new(MarketView::new(&market.groups));
    let shared = Arc::new(SharedState {
        market: Arc::clone(market),
        view: Arc::clone(&view),
        counters: Arc::clone(counters),
        throttle: Throttle::new(market.pace.gap_ms),
        loan_throttle: Throttle::new(market.pace.loan_gap_ms),
        limits: config.limits,
    });
    let groups: Vec<_> = market.groups.iter().map(|demo| demo.group.id).collect();
    for channels in feed::plan(&groups) {
        tasks.spawn(feed::follow(feed::address(base_url), channels, Arc::clone(&view), Arc::clone(counters)));
    }
    let (operator, started) = (Arc::new(operator), clock::now().0);
    let open = |seed, name: String| {
        WalletSession::new(Arc::clone(&client), Arc::clone(counters), Arc::clone(&config), seed, name)
            .inspect_err(|error| {
                counters.count(CountedAction::Failure);
                tracing::warn!(%error, "a simulated user has no wallet");
            })
            .ok()
    };
    for index in 0..market.lenders {
        let profile = Profile::draw(market.seed, index, &market.groups);
        if let Some(session) = open(profile.wallet_seed, format!("{started:x}-{index}")) {
            let lender_client = LenderClient::new(session, Arc::clone(market), Arc::clone(&view));
            tasks.spawn(Lender::new(profile, Arc::clone(&shared), Arc::clone(&operator), lender_client).run());
        }
        // Deriving a wallet takes milliseconds of computation; other tasks may need the thread.
        tokio::task::yield_now().await;
    }
    let borrowers = if market.is_static { 0 } else { market.borrowers };
    for index in 0..borrowers {
        let profile = BorrowerProfile::draw(market.seed, index, &market.groups);
        if let Some(session) = open(profile.wallet_seed, format!("{started:x}-b{index}")) {
            tasks.spawn(Borrower::new(profile, Arc::clone(&shared), Arc::clone(&operator), session).run());
        }
        tokio::task::yield_now().await;
    }
    supervise(tasks, counters).await;
}

/// Logs tasks that end, which none of them should, and the counts at intervals.
async fn supervise(tasks: &mut JoinSet<()>, counters: &ActionCounters) {
    let mut reports = tokio::time::interval(REPORT_EVERY);
    reports.tick().await;
    loop {
        tokio::select! {
            _ = reports.tick() => tracing::info!(report = ?counters.report(), "the simulated users are running"),
            Some(ended) = tasks.join_next() => {
                counters.count(CountedAction::Failure);
                tracing::error!(?ended, "the task of a simulated user ended");
            }
        }
    }
}

/// Requests the server's configuration until it answers.
async fn wait_for_config(client: &ApiClient, counters: &ActionCounters) -> ServerConfig {
    loop {
        let asked: Result<ServerConfig, CallError> =
            client.send(&Call::public(Method::GET, "/api/v1/config", None)).await.and_then(|answer| answer.read());
        match asked {
            Ok(config) => return config,
            Err(error) => {
                counters.count(CountedAction::Failure);
                tracing::debug!(%error, "the server is not up yet");
                tokio::time::sleep(WAIT_FOR_SERVER).await;
            }
        }
    }
}
