//! The server: its orderly start, by a [`ServerBuilder`], and its orderly stop.

mod assembly;
mod builder;
mod cluster_node;
mod http_server;
mod journal_opening;
mod metrics_server;
pub mod open_files;
mod supervised;
mod writer_tasks;

use std::net::SocketAddr;
use std::time::Duration;

use actix_web::dev::ServerHandle;
use actix_web::rt::task::JoinHandle;
use actix_web::web;
use persistence::FolderLock;

use crate::app::App;
use crate::config::settings::Settings;
use crate::demo::Demo;
use crate::failure::Failure;
use cluster_node::ClusterNode;
use metrics_server::MetricsServer;
use writer_tasks::WriterTasks;

pub use builder::ServerBuilder;

/// The interval and the number of checks whether stopped threads have released the journal.
const RELEASE_CHECK_INTERVAL: Duration = Duration::from_millis(5);
const RELEASE_CHECKS_MAX: u32 = 400;

/// A running server. It must be started and stopped inside an actor system.
pub struct Server {
    /// The address it listens on, with the actual port.
    pub address: SocketAddr,
    /// The address of the operator's metrics.
    pub metrics_address: SocketAddr,
    metrics_http: MetricsServer,
    app: web::Data<App>,
    handle: ServerHandle,
    serving: JoinHandle<std::io::Result<()>>,
    tasks: Vec<JoinHandle<()>>,
    writer_tasks: WriterTasks,
    cluster: Option<ClusterNode>,
    /// Held while the server runs, where the journal does not hold it.
    folder: Option<FolderLock>,
    demo: Option<Demo>,
}

impl Server {
    /// Returns a server of these settings that is yet to be started.
    #[must_use]
    pub fn builder(settings: Settings) -> ServerBuilder<'static> {
        ServerBuilder::new(settings)
    }

    /// Returns the demo, if it serves one.
    #[must_use]
    pub const fn demo(&self) -> Option<&Demo> {
        self.demo.as_ref()
    }

    /// Returns the state that handlers share, for tests that inspect it.
    #[must_use]
    pub fn app(&self) -> &App {
        &self.app
    }

    /// Waits until the server ends by itself, which happens only when its threads fail, or when it is a node that must
    /// start anew.
    ///
    /// # Errors
    /// The error of the threads.
    pub async fn ended(&mut self) -> Result<(), Failure> {
        let left = self.cluster.as_ref().map(ClusterNode::left);
        let left = async move {
            match left {
                Some(left) => left.await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            served = &mut self.serving => match served {
                Ok(served) => served.map_err(Failure::new),
                Err(error) => Err(Failure::new(error)),
            },
            reason = left => Err(reason),
        }
    }

    /// Refuses new requests, waits until every accepted one is durable and answered, and releases the folder.
    pub async fn stop(self) {
        let Self { app, handle, serving, metrics_http, mut tasks, writer_tasks, mut cluster, folder, demo, .. } = self;
        app.readiness.set(false);
        // Deliveries in progress are completed while the market can still record their results.
        app.delivery.stop();
        writer_tasks.finish_deliveries(app.delivery.timing.stop_timeout).await;
        if let Some(demo) = demo {
            demo.stop().await;
        }
        if let Some(node) = &mut cluster {
            node.leave().await;
        }
        tasks.extend(writer_tasks.take());
        // The market closes the feed, so that open sockets do not delay the stop.
        app.market.stop().await;
        for record in app.sockets.records() {
            record.queue.close(engine::feed::CloseReason::Shutdown);
        }
        handle.stop(true).await;
        metrics_http.stop().await;
        for task in tasks {
            task.abort();
            // It was aborted, so the error is expected.
            let _ = task.await;
        }
        // The threads have been stopped; an error now adds nothing to those logged before.
        let _ = serving.await;
        let journal = app.journal.clone();
        drop((app, cluster));
        let closing = journal.clone();
        // A database may take its time.
        let _ = tokio::task::spawn_blocking(move || closing.close()).await;
        // The folder is free when the last thread has released the journal.
        for _ in 0..RELEASE_CHECKS_MAX {
            if journal.is_last() {
                drop(folder);
                return;
            }
            tokio::time::sleep(RELEASE_CHECK_INTERVAL).await;
        }
        tracing::debug!("a thread still holds the journal");
    }
}
