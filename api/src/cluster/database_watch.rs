//! The regular reading of the database's own figures, for monitoring: no page of metrics waits for it.

use std::sync::Arc;
use std::time::Duration;

use persistence::JournalMonitor;
use tokio::time::{Instant, sleep};

use super::Cluster;

/// The pause between readings.
const INTERVAL: Duration = Duration::from_secs(2);

/// The timeout of each connection and statement.
pub const TIMEOUT: Duration = Duration::from_secs(2);

/// Reads the figures again and again, one reading at a time.
pub async fn watch(cluster: Arc<Cluster>, monitor: JournalMonitor) {
    let monitor = Arc::new(monitor);
    loop {
        let asked_at = Instant::now();
        let reader = Arc::clone(&monitor);
        match tokio::task::spawn_blocking(move || reader.read()).await {
            Ok(Ok(figures)) => cluster.observations().see_database(asked_at, figures),
            // The figures become unknown, and the lease and the journal report the same in the log.
            Ok(Err(error)) => tracing::debug!(%error, "the figures of the database cannot be read at the moment"),
            Err(error) => tracing::error!(%error, "a reading of the database's figures has panicked"),
        }
        sleep(INTERVAL).await;
    }
}
