//! The start of a server, from the settings to open ports.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use actix_web::web;
use tokio::time::timeout;

use super::Server;
use super::assembly::assemble;
use super::cluster_node::ClusterNode;
use super::http_server::serve;
use super::journal_opening::{self, Opened};
use super::metrics_server::{self, MetricsServer};
use super::writer_tasks::WriterTasks;
use crate::app::App;
use crate::binary_hash;
use crate::cluster::node_exchange;
use crate::config::delivery_settings::DeliverySetup;
use crate::config::secret_source;
use crate::config::server_key::{LOG, SESSION, ServerKey};
use crate::config::settings::Settings;
use crate::config::upstream_settings::UpstreamSettings;
use crate::demo::Demo;
use crate::failure::Failure;
use crate::feed::watchdog;
use crate::journal::ServerJournal;
use crate::node::Node;
use crate::operator::listener::OperatorSocket;
use crate::progress::ProgressCallback;
use crate::upstreams::{MeteredUpstreams, PASSWORD_VARIABLE};

/// The timeout of mail server and Telegram at the start.
const DELIVERY_CHECK_TIMEOUT: Duration = Duration::from_secs(5);

/// The node of a server.
enum NodeChoice {
    /// The node of the settings; in a demo, its own chain.
    Configured,
    Given(Option<Node>),
}

/// A server that is yet to be started.
pub struct ServerBuilder<'a> {
    settings: Settings,
    /// The secrets of mail server and bot; those of the environment if none are set.
    delivery: Option<DeliverySetup>,
    node: NodeChoice,
    demo: Option<Demo>,
    progress: ProgressCallback<'a>,
}

impl ServerBuilder<'static> {
    /// Returns a server with the node of its settings, the secrets of its environment, and no demo.
    pub(super) fn new(settings: Settings) -> Self {
        Self { settings, delivery: None, node: NodeChoice::Configured, demo: None, progress: &|_| {} }
    }
}

impl ServerBuilder<'_> {
    /// Sets the secrets of mail server and bot.
    #[must_use]
    pub fn delivery(self, delivery: DeliverySetup) -> Self {
        Self { delivery: Some(delivery), ..self }
    }

    /// Sets the node in place of the configured one; `None` serves a market without loans.
    #[must_use]
    pub fn node(self, node: impl Into<Option<Node>>) -> Self {
        Self { node: NodeChoice::Given(node.into()), ..self }
    }

    /// Sets the simulated market, which is on its own chain in the data folder unless there is a node.
    #[must_use]
    pub fn demo(self, demo: Option<impl Into<Demo>>) -> Self {
        Self { demo: demo.map(Into::into), ..self }
    }

    /// Sets the receiver of the lines that describe the start.
    #[must_use]
    pub fn progress(self, progress: ProgressCallback<'_>) -> ServerBuilder<'_> {
        let Self { settings, delivery, node, demo, .. } = self;
        ServerBuilder { settings, delivery, node, demo, progress }
    }

    /// Opens the journal, starts the market and serves it.
    ///
    /// # Errors
    /// One line: a port in use, a folder that cannot be written, another process that uses it, a damaged journal, a node
    /// that does not answer.
    pub async fn start(self) -> Result<Server, Failure> {
        let Self { settings, delivery, node, demo, progress } = self;
        let delivery = delivery.map_or_else(DeliverySetup::from_env, Ok)?;
        let node = match node {
            NodeChoice::Given(node) => node,
            NodeChoice::Configured if demo.is_some() => None,
            NodeChoice::Configured => connect(&settings, progress).await?,
        };
        Box::pin(start(settings, delivery, node, demo, progress)).await
    }
}

/// Connects the configured node, and reports what is missing for loans.
async fn connect(settings: &Settings, progress: ProgressCallback<'_>) -> Result<Option<Node>, Failure> {
    for line in settings.upstreams.iter().filter_map(UpstreamSettings::closed) {
        progress(&line);
    }
    let password = secret_source::find(PASSWORD_VARIABLE)?;
    let upstreams = Arc::new(MeteredUpstreams::with_own(settings, password)?);
    let node = Node::connect(settings, upstreams).await?;
    match &node {
        Some(Node::Real(real)) => progress(&real.describe_sources()),
        _ => progress(
            "No Bitcoin node and ord are configured (--node-url, --ord-url), nor others in their places: the market is \
             served, and loans are not possible yet.",
        ),
    }
    let has_signer = settings.signer_in_process || settings.all_signer_sockets().next().is_some();
    if node.is_some() && !has_signer {
        progress("No signer is configured (--signer-socket): there are manual loans, and no instant ones.");
    }
    Ok(node)
}

async fn start(
    settings: Settings,
    delivery: DeliverySetup,
    node: Option<Node>,
    mut demo: Option<Demo>,
    progress: ProgressCallback<'_>,
) -> Result<Server, Failure> {
    let upstreams = match &node {
        Some(Node::Real(real)) => Arc::clone(real.metered_upstreams()),
        _ => Arc::new(MeteredUpstreams::of(&settings)?),
    };
    binary_hash::start();
    let (listener, address) = listen(settings.listen, "listen")?;
    let (metrics_listener, metrics_address) = listen(settings.metrics_listen, "metrics-listen")?;
    let opened = journal_opening::open(&settings, demo.as_mut(), node.is_some(), progress).await?;
    let Opened { journal, folder, node: own } = opened;
    let node = node.or(own);
    let key = session_key(&settings)?;
    let log_key = log_key(&settings, &key)?;
    let mut app = assemble((settings, delivery, &key, &log_key), address, journal, node, demo.as_mut(), &upstreams)?;
    let mut cluster = match (&app.journal, &app.settings.journal) {
        (ServerJournal::Postgres(journal), Some(url)) => {
            let (journal, database) = (Arc::clone(journal), url.address().clone());
            Some(ClusterNode::join(&mut app, &journal, (&database, address), &key).await?)
        }
        _ => None,
    };
    let app = web::Data::new(app);
    let writer_tasks = WriterTasks::default();
    if let Some(node) = cluster.as_mut().filter(|_| demo.is_some()) {
        // Its simulated parties and its chain are in this process, so it writes before it serves.
        node.run(start_tasks(&app, &writer_tasks, &upstreams));
        node.wait_to_decide().await?;
    }
    let operator = OperatorSocket::open(&app.settings.data)?;
    match &demo {
        Some(demo) => demo.list(&app.market, &app.settings, progress).await?,
        None => report_delivery_channels(&app, progress).await,
    }
    let (serving, handle) = serve(&app, listener, demo.as_ref().map(Demo::routes))?;
    let metrics_http = MetricsServer::start(&app, metrics_listener)?;
    progress(&metrics_server::announcement(metrics_address));
    let mut tasks = vec![actix_web::rt::spawn(watchdog::watch(app.clone()))];
    match &mut cluster {
        // A node that decides is asked by the others, so it serves first.
        Some(node) if demo.is_none() => node.run(start_tasks(&app, &writer_tasks, &upstreams)),
        Some(_) => {}
        None => writer_tasks.start(&app, upstreams).await,
    }
    tasks.extend(app.cluster.clone().map(|cluster| {
        let app = app.clone();
        actix_web::rt::spawn(async move { node_exchange::run(&cluster, || app.now()).await })
    }));
    tasks.extend(operator.map(|operator| {
        let (market, cluster, journal) = (app.market.clone(), app.cluster.clone(), app.journal.in_folder());
        actix_web::rt::spawn(operator.serve(market, cluster, journal))
    }));
    app.readiness.set(true);
    if let Some(demo) = &mut demo {
        demo.start(&app.market, &app.settings, address);
    }
    Ok(Server {
        address,
        metrics_address,
        metrics_http,
        app,
        handle,
        serving,
        tasks,
        writer_tasks,
        cluster,
        folder,
        demo,
    })
}

/// Returns the start of the tasks of the node that decides.
fn start_tasks(
    app: &web::Data<App>,
    tasks: &WriterTasks,
    upstreams: &Arc<MeteredUpstreams>,
) -> impl AsyncFnOnce() + 'static {
    let (app, tasks, upstreams) = (app.clone(), tasks.clone(), Arc::clone(upstreams));
    async move || tasks.start(&app, upstreams).await
}

/// Returns the key of sessions, which all nodes of a cluster share.
fn session_key(settings: &Settings) -> Result<ServerKey, Failure> {
    let variable = secret_source::find(SESSION.variable)?;
    if settings.journal.is_some() && variable.is_none() && settings.session_key_file.is_none() {
        return Err(Failure::new(format!(
            "the nodes of one journal share their session key: put 64 hexadecimal digits into {}, or into the file of \
             session_key_file",
            SESSION.variable
        )));
    }
    let file = settings.session_key_file.clone().unwrap_or_else(|| settings.data.join(SESSION.file_name));
    ServerKey::find(&SESSION, variable.as_deref(), &file)
}

/// Returns the key of the public log. The nodes of a cluster share it: where none is named, it is derived from the key of
/// sessions, which they share, too.
fn log_key(settings: &Settings, session: &ServerKey) -> Result<ServerKey, Failure> {
    let variable = secret_source::find(LOG.variable)?;
    if settings.journal.is_some() && variable.is_none() && settings.log_key_file.is_none() {
        return Ok(ServerKey::new(session.derive("key of the public log")));
    }
    let file = settings.log_key_file.clone().unwrap_or_else(|| settings.data.join(LOG.file_name));
    ServerKey::find(&LOG, variable.as_deref(), &file)
}

fn listen(requested: SocketAddr, flag: &str) -> Result<(TcpListener, SocketAddr), Failure> {
    let refused =
        |error| Failure::new(format!("cannot listen on {requested}: {error}; choose another address with --{flag}"));
    let listener = TcpListener::bind(requested).map_err(refused)?;
    listener.set_nonblocking(true).map_err(Failure::new)?;
    let address = listener.local_addr().map_err(Failure::new)?;
    Ok((listener, address))
}

/// Reports the configured channels of notifications and whether they work now. Failures are retried while the server
/// runs.
async fn report_delivery_channels(app: &App, progress: ProgressCallback<'_>) {
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
