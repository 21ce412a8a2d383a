//! This server as a node of a cluster.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use actix_web::rt::task::JoinHandle;
use persistence::{
    JournalMonitor, PostgresAddress, PostgresJournal, PostgresOptions, SynchronousStandbys, WriterLease,
};
use tokio::sync::watch;

use crate::app::App;
use crate::cluster::Cluster;
use crate::cluster::announcements::Announcer;
use crate::cluster::database_watch;
use crate::cluster::membership::{LeaseTimes, Membership};
use crate::cluster::node_credential::NodeCredential;
use crate::config::public_url::PublicUrl;
use crate::config::server_key::ServerKey;
use crate::config::settings::Settings;
use crate::failure::Failure;

/// The time that a node which has handed over serves on, until another one decides.
const SUCCESSOR_TIMEOUT: Duration = Duration::from_secs(5);

/// The time for which a demo waits for the lease; an earlier process may have left it to lapse.
const LEASE_TIMEOUT: Duration = Duration::from_secs(15);

/// A node of a cluster.
pub(super) struct ClusterNode {
    membership: Arc<Membership>,
    /// The reason why it left by itself, once it has.
    left: watch::Sender<Option<String>>,
    tasks: Vec<JoinHandle<()>>,
}

/// Opens the journal in a database. Blocks.
pub(super) fn open_journal(address: &PostgresAddress, settings: &Settings) -> Result<PostgresJournal, Failure> {
    let standbys = SynchronousStandbys::at_least(settings.journal_standbys);
    PostgresJournal::open(address, PostgresOptions { standbys, ..PostgresOptions::default() }).map_err(Failure::new)
}

impl ClusterNode {
    /// Makes the server a node of the cluster of its journal, which follows at first.
    pub(super) async fn join(
        app: &mut App,
        journal: &Arc<PostgresJournal>,
        (database, address): (&PostgresAddress, SocketAddr),
        key: &ServerKey,
    ) -> Result<Self, Failure> {
        let times = LeaseTimes::default();
        let standbys = SynchronousStandbys::at_least(app.settings.journal_standbys);
        let monitor = JournalMonitor::new(database, standbys, database_watch::TIMEOUT).map_err(Failure::new)?;
        let database = database.clone();
        let opening = tokio::task::spawn_blocking(move || WriterLease::open(&database, standbys, times.ttl / 3));
        let lease = opening.await.map_err(Failure::new)?.map_err(Failure::new)?;
        let announcer = match &app.settings.nats_url {
            Some(url) => Some(Announcer::connect(url, journal.identity()).await?),
            None => None,
        };
        let url = app.settings.advertise_url.clone().unwrap_or_else(|| PublicUrl::of_listener(address));
        let name = app.settings.node_name.clone().unwrap_or_else(|| format!("{}:{}", host_name(), address.port()));
        let credential = NodeCredential::new(key.derive("node credential"));
        let cluster =
            Cluster::new((name, url.to_string()), Arc::clone(journal), app.market.clone(), credential, announcer);
        let cluster = Arc::new(cluster);
        app.cluster = Some(Arc::clone(&cluster));
        let signer = app.signer.clone();
        let membership = Arc::new(Membership { cluster: Arc::clone(&cluster), lease: Arc::new(lease), times, signer });
        let watching = actix_web::rt::spawn(database_watch::watch(cluster, monitor));
        Ok(Self { membership, left: watch::Sender::default(), tasks: vec![watching] })
    }

    /// Begins to follow the journal, and to claim the lease when it is free; `promoted` runs when this node decides.
    pub(super) fn run(&mut self, promoted: impl AsyncFnOnce() + 'static) {
        let (membership, left) = (Arc::clone(&self.membership), self.left.clone());
        self.tasks.push(actix_web::rt::spawn(async move {
            let reason = membership.run(promoted).await;
            tracing::error!(%reason, "this node leaves the cluster");
            left.send_replace(Some(reason.to_string()));
        }));
    }

    /// Resolves once this node decides.
    ///
    /// # Errors
    /// If another one keeps the lease, or this one must start anew.
    pub(super) async fn wait_to_decide(&self) -> Result<(), Failure> {
        let lease = self.membership.cluster.wait_to_decide();
        tokio::select! {
            failure = self.left() => Err(failure),
            reached = tokio::time::timeout(LEASE_TIMEOUT, lease) => {
                let holder = self.membership.cluster.writer().map(|writer| writer.name).unwrap_or_default();
                reached.map_err(|_| Failure::new(format!("a demo decides for all nodes, and {holder} does: stop it first")))
            }
        }
    }

    /// Resolves when this node must start anew.
    pub(super) fn left(&self) -> impl Future<Output = Failure> + use<> {
        let mut left = self.left.subscribe();
        async move {
            match left.wait_for(Option::is_some).await {
                Ok(reason) => Failure::new(reason.as_deref().unwrap_or_default()),
                Err(_) => std::future::pending().await,
            }
        }
    }

    /// Hands over to another node, if this one decides, and resolves once one does.
    pub(super) async fn leave(&mut self) {
        let was_writer = self.membership.cluster.is_writer();
        if let Err(failure) = self.membership.hand_over().await {
            tracing::warn!(%failure, "another node takes over when the lease has lapsed");
        }
        if was_writer {
            self.membership.wait_for_successor(SUCCESSOR_TIMEOUT).await;
        }
        for task in self.tasks.drain(..) {
            task.abort();
            // It was aborted, so the error is expected.
            let _ = task.await;
        }
    }
}

/// The name of this host, or a text in its place.
fn host_name() -> String {
    rustix::system::uname().nodename().to_str().unwrap_or("node").to_owned()
}
