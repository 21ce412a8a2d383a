//! The wiring of the server: from the settings to a running server, and its orderly stop.

mod metrics_server;
pub mod open_files;
mod supervised;

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::ServerHandle;
use actix_web::middleware::{Compress, Condition, from_fn};
use actix_web::rt::task::JoinHandle;
use actix_web::{HttpServer, web};
use bitcoin::Network;
use engine::Market;
use engine::clock::SystemClock;
use engine::journal::Journal;
use lending::chain_watch::funding_watch::{FundingWatch, FundingWatchIntervals};
use lending::chain_watch::loan_watch::LoanWatchState;
use lending::instant_offers::quotes::QuoteState;
use lending::service::loan_service::LoanService;
use lending::vaults::vault_watch::{VaultWatch, WatchIntervals};
use persistence::{Options, SledJournal};
use simulator::DemoMarket;

use crate::app::{App, Rates, Readiness};
use crate::bot_check::BotCheck;
use crate::config::delivery_settings::DeliverySetup;
use crate::config::public_url::PublicUrl;
use crate::config::session_key::{FILE_NAME, SessionKey, VARIABLE};
use crate::config::settings::Settings;
use crate::config::turnstile_settings::SECRET_VARIABLE;
use crate::config::upstream_settings::UpstreamSettings;
use crate::delivery::context::DeliveryContext;
use crate::delivery::{Delivery, worker};
use crate::demo::Simulation;
use crate::demo::devnet::{DemoChain, Devnet};
use crate::demo::history;
use crate::demo::inbox::DemoInbox;
use crate::failure::Failure;
use crate::feed::chunked_body::CHUNK_LENGTH_MAX;
use crate::feed::watchdog;
use crate::http::content_policy::ContentPolicy;
use crate::http::idempotency::IdempotencyStore;
use crate::http::origin::AllowedOrigins;
use crate::live_ports::LivePorts;
use crate::market_setup::{loan_rules, market_settings};
use crate::metrics::Metrics;
use crate::middleware::{request_id, security_headers, uncoded_errors, write_origin};
use crate::node::Node;
use crate::node::chain_status::RecentStatus;
use crate::offer_reconciliation;
use crate::openapi::docs;
use crate::operator::listener::OperatorSocket;
use crate::outage;
use crate::prices::PriceWatch;
use crate::prices::board::PriceBoard;
use crate::progress::ProgressCallback;
use crate::routes;
use crate::session::keyring::Keyring;
use crate::share::picture_cache::PictureCache;
use crate::signer_handle::SignerHandle;
use crate::sockets::connection::Connection;
use crate::sockets::socket_registry::SocketRegistry;
use crate::upstreams::{MeteredUpstreams, PASSWORD_VARIABLE};
use metrics_server::MetricsServer;
use supervised::{PAUSE, supervise};
use tokio::time::timeout;

/// The grace period of running requests when the server stops, in seconds.
const STOP_S_MAX: u64 = 5;

/// The interval and the number of checks whether stopped threads have released the journal.
const RELEASE_CHECK_INTERVAL: Duration = Duration::from_millis(5);
const RELEASE_CHECKS_MAX: u32 = 400;

/// The timeout of mail server and Telegram at the start.
const DELIVERY_CHECK_TIMEOUT: Duration = Duration::from_secs(5);

/// The timeout within which a client must send the head of a request.
const REQUEST_HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// The timeout of an idle connection. Longer than the 60 s for which nginx and most load balancers keep theirs to it:
/// the side that sends requests must be the one to close, or a request meets a connection that is just being closed.
const KEEP_ALIVE: Duration = Duration::from_secs(75);

/// A running server. It must be started and stopped inside an actor system.
pub struct Server {
    /// The address it listens on, with the actual port.
    pub address: SocketAddr,
    /// The address of the operators' figures.
    pub metrics_address: SocketAddr,
    metrics_http: MetricsServer,
    app: web::Data<App>,
    handle: ServerHandle,
    serving: JoinHandle<std::io::Result<()>>,
    tasks: Vec<JoinHandle<()>>,
    delivery_worker: JoinHandle<()>,
    simulation: Option<Simulation>,
}

impl Server {
    /// Opens the journal, starts the market and serves it; with `demo`, the simulated market.
    ///
    /// # Errors
    /// One line: a port in use, a folder that cannot be written, another process that uses it, a damaged journal.
    pub async fn start(
        settings: Settings,
        demo: Option<DemoMarket>,
        progress: ProgressCallback<'_>,
    ) -> Result<Self, Failure> {
        if demo.is_some() {
            return Self::start_on(settings, None, demo, progress).await;
        }
        for line in settings.upstreams.iter().filter_map(UpstreamSettings::closed) {
            progress(&line);
        }
        let password = std::env::var(PASSWORD_VARIABLE).ok();
        let upstreams = Arc::new(MeteredUpstreams::with_own(&settings, password)?);
        let node = Node::connect(&settings, upstreams).await?;
        match &node {
            Some(Node::Real(real)) => progress(&real.describe_sources()),
            _ => progress(
                "No Bitcoin node and ord are configured (--node-url, --ord-url), nor others in their places: the market is \
                 served, and loans are not possible yet.",
            ),
        }
        if node.is_some() && settings.signer_socket.is_none() && !settings.signer_in_process {
            progress("No signer is configured (--signer-socket): there are manual loans, and no instant ones.");
        }
        Box::pin(Self::start_on(settings, node, demo, progress)).await
    }

    /// Starts the server on a given chain. A simulated market without one uses its own, in the data folder.
    ///
    /// # Errors
    /// Those of [`Self::start`].
    pub async fn start_on(
        settings: Settings,
        node: Option<Node>,
        demo: Option<DemoMarket>,
        progress: ProgressCallback<'_>,
    ) -> Result<Self, Failure> {
        Box::pin(Self::start_with(settings, DeliverySetup::from_env(), node, demo, progress)).await
    }

    /// Starts the server with given secrets of mail server and bot.
    ///
    /// # Errors
    /// Those of [`Self::start`].
    pub async fn start_with(
        settings: Settings,
        delivery: DeliverySetup,
        node: Option<Node>,
        demo: Option<DemoMarket>,
        progress: ProgressCallback<'_>,
    ) -> Result<Self, Failure> {
        let upstreams = match &node {
            Some(Node::Real(real)) => Arc::clone(real.metered_upstreams()),
            _ => Arc::new(MeteredUpstreams::of(&settings)?),
        };
        let (listener, address) = listen(settings.listen, "listen")?;
        let (metrics_listener, metrics_address) = listen(settings.metrics_listen, "metrics-listen")?;
        progress(&format!("Opening the journal in {} ...", settings.data.display()));
        let journal = SledJournal::open(&settings.data, Options::default()).map_err(Failure::new)?;
        // After the journal, whose lock covers the whole folder.
        let chain = match (&node, &demo) {
            (None, Some(demo)) => Some(DemoChain::open(&settings, demo)?),
            _ => None,
        };
        let node = node.or_else(|| chain.as_ref().map(DemoChain::node));
        let (journal, demo) = (Arc::new(journal), demo.map(Arc::new));
        let has_history = match (&chain, &demo) {
            (Some(chain), Some(demo)) => history::generate(&settings, &journal, demo, chain, progress).await?,
            _ => false,
        };
        let app = web::Data::new(assemble(settings, delivery, address, journal, node, demo, &upstreams)?);
        let operator = OperatorSocket::open(&app.settings.data)?;
        if let Some(demo) = &app.demo {
            // Collections that the past has just listed and reported are neither listed nor reported again.
            let (chain, progress): (_, ProgressCallback<'_>) =
                if has_history { (None, &|_| {}) } else { (chain.as_ref(), progress) };
            Box::pin(Simulation::list(&app.market, demo, chain, &app.settings.data, progress)).await?;
        }
        report_delivery_channels(&app, progress).await;
        let next_pass = offer_reconciliation::reconcile_at_start(&app).await;
        let (serving, handle) = serve(&app, listener)?;
        let metrics_http = MetricsServer::start(&app, metrics_listener)?;
        progress(&metrics_server::announcement(metrics_address));
        let mut tasks = vec![actix_web::rt::spawn(watchdog::watch(app.clone()))];
        tasks.push(actix_web::rt::spawn(offer_reconciliation::run(app.clone(), next_pass)));
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
        tasks.extend(operator.map(|operator| actix_web::rt::spawn(operator.serve(app.market.clone()))));
        if let Some(loan_service) = app.loan_service.clone() {
            tasks.push(actix_web::rt::spawn(async move {
                supervise("loans", PAUSE, async || loan_service.watch_loans(&LoanWatchState::default()).await).await;
            }));
        }
        let context = DeliveryContext {
            market: app.market.clone(),
            delivery: Arc::clone(&app.delivery),
            public_url: app.public_url.clone(),
            metrics: Arc::clone(&app.metrics),
        };
        let delivery_worker = actix_web::rt::spawn(async move {
            supervise("messages", PAUSE, async || worker::run(&context).await).await;
        });
        app.readiness.set(true);
        let block_every = Duration::from_secs(app.settings.demo_block_seconds);
        let devnet = app.devnet.as_deref();
        let simulation =
            app.demo.as_ref().map(|demo| Simulation::start(&app.market, demo, devnet, block_every, address));
        Ok(Self { address, metrics_address, metrics_http, app, handle, serving, tasks, delivery_worker, simulation })
    }

    /// Returns the state that handlers share, for tests that inspect it.
    #[must_use]
    pub fn app(&self) -> &App {
        &self.app
    }

    /// Waits until the server ends by itself, which happens only when its threads fail.
    ///
    /// # Errors
    /// The error of the threads.
    pub async fn ended(&mut self) -> Result<(), Failure> {
        match (&mut self.serving).await {
            Ok(served) => served.map_err(Failure::new),
            Err(error) => Err(Failure::new(error)),
        }
    }

    /// Refuses new requests, waits until every accepted one is durable and answered, and releases the folder.
    pub async fn stop(self) {
        let Self { app, handle, serving, metrics_http, mut tasks, mut delivery_worker, simulation, .. } = self;
        app.readiness.set(false);
        // Deliveries in progress are completed while the market can still record their results.
        app.delivery.stop();
        // Deliveries that take longer are repeated after the next start.
        if timeout(app.delivery.timing.stop_timeout, &mut delivery_worker).await.is_err() {
            tasks.push(delivery_worker);
        }
        if let Some(simulation) = simulation {
            simulation.stop().await;
        }
        // The market closes the feed, so that open sockets do not delay the stop.
        app.market.stop().await;
        handle.stop(true).await;
        metrics_http.stop().await;
        for task in tasks {
            task.abort();
            // It was aborted, so the error is expected.
            let _ = task.await;
        }
        // The threads have been stopped; an error now adds nothing to those logged before.
        let _ = serving.await;
        let journal = Arc::clone(&app.journal);
        drop(app);
        journal.close();
        // The folder is free when the last thread has released the journal.
        for _ in 0..RELEASE_CHECKS_MAX {
            if Arc::strong_count(&journal) == 1 {
                return;
            }
            tokio::time::sleep(RELEASE_CHECK_INTERVAL).await;
        }
        tracing::debug!("a thread still holds the journal");
    }
}

fn listen(requested: SocketAddr, flag: &str) -> Result<(TcpListener, SocketAddr), Failure> {
    let refused =
        |error| Failure::new(format!("cannot listen on {requested}: {error}; choose another address with --{flag}"));
    let listener = TcpListener::bind(requested).map_err(refused)?;
    listener.set_nonblocking(true).map_err(Failure::new)?;
    let address = listener.local_addr().map_err(Failure::new)?;
    Ok((listener, address))
}

/// Builds the state that handlers share.
fn assemble(
    settings: Settings,
    delivery: DeliverySetup,
    address: SocketAddr,
    journal: Arc<SledJournal>,
    node: Option<Node>,
    demo: Option<Arc<DemoMarket>>,
    upstreams: &MeteredUpstreams,
) -> Result<App, Failure> {
    let metrics = Arc::new(Metrics::new(upstreams.environment.metrics.clone())?);
    let key_file = settings.session_key_file.clone().unwrap_or_else(|| settings.data.join(FILE_NAME));
    let key = SessionKey::find(std::env::var(VARIABLE).ok().as_deref(), &key_file)?;
    let public_url = settings.public_url.clone().unwrap_or_else(|| PublicUrl::of_listener(address));
    let mut addresses = vec![public_url.clone()];
    addresses.extend(public_url.localhost_twin());
    addresses.extend(settings.allowed_origins.iter().cloned());
    let secret = std::env::var(SECRET_VARIABLE).ok();
    let is_regtest = settings.network == Network::Regtest;
    let bot_check = BotCheck::new(&settings.turnstile, is_regtest, secret, &addresses)?;
    let port: Arc<dyn Journal> = journal.clone();
    let market = Market::start(port, Arc::new(SystemClock), market_settings(&settings)).map_err(Failure::new)?;
    let signer = SignerHandle::of(&settings, public_url.domain(), &market)?;
    let rules = Arc::new(loan_rules(&settings)?);
    let loan_service = node.clone().map(|node| {
        let ports = Arc::new(LivePorts { node, signer: signer.clone() });
        LoanService::new(market.clone(), ports, Arc::clone(&rules))
    });
    let demo_inbox = demo.as_ref().map(|_| DemoInbox::open(&public_url)).transpose()?.map(Arc::new);
    let fallback = demo_inbox.as_ref().map(|inbox| Ok((inbox.mail_access(), inbox.bot()?))).transpose()?;
    let devnet = match (&node, &demo) {
        (Some(Node::Embedded(chain)), Some(demo)) => {
            Some(Arc::new(Devnet::new(market.clone(), Arc::clone(demo), chain.clone())))
        }
        _ => None,
    };
    Ok(App {
        market,
        journal,
        node,
        signer,
        quote_memory: QuoteState::default(),
        vault_watch: loan_service.clone().map(VaultWatch::new).map(Arc::new),
        loan_service,
        chain_status: RecentStatus::default(),
        keys: Keyring::new(&key),
        content_policy: ContentPolicy::new(&addresses, bot_check.is_some())?,
        delivery: Arc::new(Delivery::new(&settings, delivery, fallback, &key)?),
        bot_check,
        origins: AllowedOrigins::new(addresses.iter().map(ToString::to_string).collect()),
        idempotency: Arc::<IdempotencyStore>::default(),
        rates: Rates::new(&settings.quotas),
        pictures: PictureCache::default(),
        metrics,
        prices: PriceBoard::default(),
        sockets: Arc::new(SocketRegistry::new(settings.quotas.sockets_max, settings.quotas.sockets_per_ip_max)),
        demo,
        devnet,
        inbox: demo_inbox,
        readiness: Readiness::default(),
        public_url,
        settings,
    })
}

/// Reports the configured channels of notifications and whether they work now. Failures are retried while the server
/// runs.
async fn report_delivery_channels(app: &App, progress: ProgressCallback<'_>) {
    if app.inbox.is_some() {
        return;
    }
    let Ok(lines) = timeout(DELIVERY_CHECK_TIMEOUT, app.delivery.check()).await else {
        progress("The mail server or Telegram gives no answer yet; messages wait until it does.");
        return;
    };
    for line in lines {
        match line {
            Ok(line) => progress(&line),
            Err(line) => {
                progress(&line);
                tracing::warn!("{line}");
            }
        }
    }
}

type Serving = (JoinHandle<std::io::Result<()>>, ServerHandle);

fn serve(app: &web::Data<App>, listener: TcpListener) -> Result<Serving, Failure> {
    let shared = app.clone();
    let write_timeout = Duration::from_secs(app.settings.quotas.unread_seconds);
    let mut server = HttpServer::new(move || {
        actix_web::App::new()
            .app_data(shared.clone())
            .wrap(Condition::new(shared.devnet.is_some(), from_fn(outage::apply_outages)))
            .wrap(from_fn(write_origin::check_writes))
            .wrap(from_fn(request_id::assign_request_id))
            // Outside of the middleware that rewrites the bodies of refusals.
            .wrap(Compress::default())
            .wrap(from_fn(uncoded_errors::add_error_codes))
            .wrap(from_fn(security_headers::harden))
            .configure(docs::configure)
            .configure(routes::configure)
    })
    .on_connect(move |connection, extensions| Connection::store(connection, extensions, write_timeout))
    .client_request_timeout(REQUEST_HEAD_TIMEOUT)
    .keep_alive(KEEP_ALIVE)
    // A socket's buffer never shrinks, so it is flushed before it must grow.
    .h1_write_buffer_size(CHUNK_LENGTH_MAX)
    .shutdown_timeout(STOP_S_MAX)
    .disable_signals();
    if app.settings.workers > 0 {
        server = server.workers(app.settings.workers);
    }
    let server = server.listen(listener).map_err(Failure::new)?.run();
    let handle = server.handle();
    Ok((actix_web::rt::spawn(server), handle))
}
