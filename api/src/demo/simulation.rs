//! The simulation beside the server of a demo: prices, terms, blocks, and the simulated users.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use actix::Arbiter;
use actix_web::rt::task::JoinHandle;
use engine::Market;
use engine::wire::Volumes;
use futures_util::future::try_join_all;
use simulator::{DemoGroup, DemoMarket, PriceFeed};
use tokio::sync::{oneshot, watch};

use super::devnet::{DemoChain, Devnet};
use super::miner::Miner;
use super::operator::DemoOperator;
use super::prices::DemoPrices;
use super::{seed_file, terms};
use crate::clock;
use crate::config::public_url::PublicUrl;
use crate::failure::Failure;
use crate::progress::ProgressCallback;

/// The parts of the simulation that run together with the server.
pub(super) struct Simulation {
    /// The changes of prices and terms; none in a static market.
    changes: Vec<JoinHandle<()>>,
    shutdown: watch::Sender<bool>,
    simulated_users: Arbiter,
    gone: oneshot::Receiver<()>,
    miner: Option<Miner>,
}

impl Simulation {
    /// Lists missing collections, with prices of the last 90 days, and stores a new chain. A stored market continues
    /// where it stopped.
    ///
    /// # Errors
    /// Fails if the folder holds another market, or one whose chain is missing.
    pub(super) async fn list(
        market: &Market,
        demo: &DemoMarket,
        chain: Option<&DemoChain>,
        data: &Path,
        progress: ProgressCallback<'_>,
    ) -> Result<(), Failure> {
        let mut new_groups = Vec::new();
        for group in &demo.groups {
            match market.group(group.group.id) {
                Some(known) if known.slug == group.group.slug && known.collateral == group.group.collateral => {}
                Some(known) => {
                    return Err(Failure::new(format!(
                        "the data folder holds another market ({} instead of {}): choose another --data, or delete it",
                        known.slug, group.group.slug
                    )));
                }
                None => new_groups.push(group),
            }
        }
        seed_file::check_or_write(data, demo.seed)?;
        if let Some(chain) = chain {
            if chain.is_new() && new_groups.len() < demo.groups.len() {
                return Err(Failure::new(format!(
                    "the chain of the market in {} is not there: put it back, choose another --data, or delete the folder",
                    data.display()
                )));
            }
            // Before anything that depends on it is listed.
            chain.persist()?;
        }
        if new_groups.is_empty() {
            progress(&format!("Continuing the market of {} collections ...", demo.groups.len()));
        } else {
            progress(&format!("Listing {} collections with 90 days of prices ...", new_groups.len()));
        }
        for group in &new_groups {
            market.list_group(group.group.clone()).await.map_err(Failure::new)?;
        }
        let feed = demo.price_feed(clock::now());
        try_join_all(new_groups.iter().map(|group| import_price_history(market, &feed, group))).await?;
        try_join_all(demo.groups.iter().map(|group| set_volumes(market, group))).await?;
        Ok(())
    }

    /// Moves prices, mines blocks, and runs simulated lenders and borrowers through the public API.
    #[must_use]
    pub(super) fn start(
        market: &Market,
        demo: &Arc<DemoMarket>,
        devnet: Option<&Devnet>,
        block_every: Duration,
        address: SocketAddr,
    ) -> Self {
        let mut changes = Vec::new();
        if !demo.is_static {
            let (follower, source) = (market.clone(), DemoPrices::new(market, demo));
            changes.push(actix_web::rt::spawn(async move { follower.follow(source).await }));
            changes.push(actix_web::rt::spawn(terms::announce(market.clone(), Arc::clone(demo))));
        }
        let (shutdown, stopping) = watch::channel(false);
        let (going, gone) = oneshot::channel();
        let miner = devnet.map(|devnet| Miner::start(devnet.chain.clone(), block_every));
        let faucet = devnet.map(|devnet| Arc::clone(&devnet.faucet));
        let (demo, operator) = (Arc::clone(demo), DemoOperator::new(faucet));
        let base_url = PublicUrl::of_listener(address).to_string();
        // Simulated users sign all the time, which needs a thread of its own.
        let simulated_users = Arbiter::new();
        let is_spawned = simulated_users.spawn(async move {
            let report = simulator::run(demo, base_url, operator, stopping).await;
            tracing::debug!(?report, "the simulated users have stopped");
            // The receiver is gone when the server has failed.
            let _ = going.send(());
        });
        if !is_spawned {
            tracing::warn!("no simulated users: their thread has ended");
        }
        Self { changes, shutdown, simulated_users, gone, miner }
    }

    /// Stops the simulation.
    pub(super) async fn stop(self) {
        self.changes.iter().for_each(JoinHandle::abort);
        // A failure means that the simulated users have already stopped.
        let _ = self.shutdown.send(true);
        let _ = self.gone.await;
        self.simulated_users.stop();
        if let Some(miner) = self.miner {
            miner.stop().await;
        }
    }
}

async fn import_price_history(market: &Market, feed: &PriceFeed, group: &DemoGroup) -> Result<(), Failure> {
    let id = group.group.id;
    let history: Vec<_> = feed.history(id).iter().map(|point| (point.at, point.price)).collect();
    let Some((at, latest)) = history.last().copied() else { return Ok(()) };
    market.import_price_history(id, history).await.map_err(Failure::new)?;
    // The last point of the history is the current price.
    market.move_price(id, latest, at).await.map_err(Failure::new)
}

async fn set_volumes(market: &Market, group: &DemoGroup) -> Result<(), Failure> {
    let stats = &group.stats;
    let volumes = Volumes { total: stats.total, day: stats.day, week: stats.week, month: stats.month };
    market.set_market_volumes(group.group.id, volumes).await.map_err(Failure::new)
}
