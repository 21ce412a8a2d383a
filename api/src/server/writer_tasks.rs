//! The tasks of the node that decides: they watch offers, chain and prices, and deliver messages.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use actix_web::rt::task::JoinHandle;
use actix_web::web;
use engine::locks::MutexExt as _;
use lending::chain_watch::funding_watch::{FundingWatch, FundingWatchIntervals};
use lending::chain_watch::loan_watch::LoanWatchState;
use lending::instant_offers::reconcile::ReconcilePass;
use lending::vaults::vault_watch::WatchIntervals;
use tokio::time::timeout;

use super::supervised::{PAUSE, supervise};
use crate::app::App;
use crate::clock;
use crate::delivery::context::DeliveryContext;
use crate::delivery::worker;
use crate::offer_reconciliation;
use crate::prices::PriceWatch;
use crate::public_log;
use crate::upstreams::MeteredUpstreams;

#[derive(Default)]
struct Running {
    watchers: Vec<JoinHandle<()>>,
    delivery: Option<JoinHandle<()>>,
}

/// The running tasks. Clones share them.
#[derive(Clone, Default)]
pub(super) struct WriterTasks(Arc<Mutex<Running>>);

impl WriterTasks {
    /// Starts the tasks.
    pub(super) async fn start(&self, app: &web::Data<App>, upstreams: Arc<MeteredUpstreams>) {
        announce_to_signer(app);
        let next_pass = offer_reconciliation::reconcile_at_start(app).await;
        let watchers = watchers(app, upstreams, next_pass);
        let context = DeliveryContext {
            market: app.market.clone(),
            delivery: Arc::clone(&app.delivery),
            public_url: app.public_url.clone(),
            metrics: Arc::clone(&app.metrics),
        };
        let delivery = actix_web::rt::spawn(async move {
            supervise("messages", PAUSE, async || worker::run(&context).await).await;
        });
        let mut running = self.0.lock_unpoisoned();
        running.watchers.extend(watchers);
        running.delivery = Some(delivery);
    }

    /// Waits until the deliveries in progress are recorded, at most as long as `time`. Those that take longer are
    /// repeated by the next node that decides.
    pub(super) async fn finish_deliveries(&self, time: Duration) {
        let delivery = self.0.lock_unpoisoned().delivery.take();
        if let Some(mut delivery) = delivery
            && timeout(time, &mut delivery).await.is_err()
        {
            self.0.lock_unpoisoned().watchers.push(delivery);
        }
    }

    /// Takes the tasks, to be aborted.
    pub(super) fn take(&self) -> Vec<JoinHandle<()>> {
        let mut running = self.0.lock_unpoisoned();
        let delivery = running.delivery.take();
        running.watchers.drain(..).chain(delivery).collect()
    }
}

/// Asks the signer once, so that it refuses the server that this one has replaced from now on.
fn announce_to_signer(app: &web::Data<App>) {
    if app.cluster.is_some() && app.signer.current().is_configured() {
        let app = app.clone();
        actix_web::rt::spawn(async move {
            for signer in app.signer.ports() {
                if let Err(error) = signer.fetch_policy().await {
                    tracing::warn!(%error, "the vault signer does not know yet that this node decides");
                }
            }
        });
    }
}

fn watchers(
    app: &web::Data<App>,
    upstreams: Arc<MeteredUpstreams>,
    next_pass: (ReconcilePass, Duration),
) -> Vec<JoinHandle<()>> {
    let mut tasks = vec![actix_web::rt::spawn(offer_reconciliation::run(app.clone(), next_pass))];
    let (publications, log) = (Arc::clone(&app.publications), Arc::clone(&app.public_log));
    let interval = Duration::from_secs(app.settings.heads_interval_s.max(1));
    tasks.push(actix_web::rt::spawn(public_log::publish(publications, log, interval, clock::now)));
    tasks.push(actix_web::rt::spawn(public_log::anchor(Arc::clone(&app.anchors), Arc::clone(&app.publications))));
    tasks.extend(app.loan_service.clone().map(|loan_service| {
        actix_web::rt::spawn(
            async move { supervise("orders", PAUSE, async || loan_service.watch_orders().await).await },
        )
    }));
    tasks.extend(app.loan_service.clone().map(|loan_service| {
        let watch = FundingWatch::new(loan_service, FundingWatchIntervals::default());
        actix_web::rt::spawn(async move { supervise("funding", PAUSE, async || watch.run().await).await })
    }));
    tasks.extend(app.vault_watch.clone().map(|watch| {
        // The task ends with the market, or is dropped at any await.
        actix_web::rt::spawn(async move {
            supervise("vaults", PAUSE, async || watch.run(WatchIntervals::default()).await).await;
        })
    }));
    if !upstreams.upstreams.prices.is_empty() {
        let (market, board) = (app.market.clone(), app.prices.clone());
        let watch = PriceWatch::new(market.clone(), upstreams, board, &app.settings.prices);
        tasks.push(actix_web::rt::spawn(async move { market.follow(watch).await }));
    }
    if let Some(loan_service) = app.loan_service.clone() {
        tasks.push(actix_web::rt::spawn(async move {
            supervise("loans", PAUSE, async || loan_service.watch_loans(&LoanWatchState::default()).await).await;
        }));
    }
    tasks
}
