//! The way to the server that accepts writes.

use std::{
    future::poll_fn,
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio_postgres::{AsyncMessage, Client, Config, Connection, NoTls, Socket, config::Host, tls::MakeTlsConnect};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::{
    address::PostgresAddress,
    runtime::DatabaseRuntime,
    session::{Session, count_warning, described},
    tls,
};
use crate::database_error::DatabaseError;

/// The timeout for one host to accept a connection and a login.
const HOST_TIMEOUT: Duration = Duration::from_secs(10);

/// The use of a session, which is its name in `pg_stat_activity`, and its timeout per statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Appends commits. A waiting commit is never cancelled, so it has no timeout.
    Write,
    /// Reads blocks.
    Read,
    /// Restores a journal, in one transaction.
    Restore,
    /// Claims and renews the lease.
    Lease {
        /// The timeout of each statement.
        timeout: Duration,
    },
    /// Reads figures for monitoring.
    Monitor {
        /// The timeout of each statement.
        timeout: Duration,
    },
}

impl Purpose {
    /// The timeout of one page of blocks.
    const READ_TIMEOUT: Duration = Duration::from_mins(1);

    const fn name(self) -> &'static str {
        match self {
            Self::Write => "lienbook-writer",
            Self::Read => "lienbook-reader",
            Self::Restore => "lienbook-restore",
            Self::Lease { .. } => "lienbook-lease",
            Self::Monitor { .. } => "lienbook-monitor",
        }
    }

    const fn timeout(self) -> Option<Duration> {
        match self {
            Self::Write | Self::Restore => None,
            Self::Read => Some(Self::READ_TIMEOUT),
            Self::Lease { timeout } | Self::Monitor { timeout } => Some(timeout),
        }
    }
}

/// Connects to the hosts of an address.
pub(super) struct Connector {
    address: PostgresAddress,
    tls: Option<MakeRustlsConnect>,
    runtime: Arc<DatabaseRuntime>,
    /// The host that was connected to last.
    latest: AtomicUsize,
}

impl std::fmt::Debug for Connector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connector").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Connector {
    pub(super) fn new(address: &PostgresAddress) -> Result<Arc<Self>, DatabaseError> {
        let tls = if address.is_encrypted() {
            let connector = tls::connector(address.root_certificates().map(std::path::PathBuf::as_path));
            Some(connector.map_err(DatabaseError::Address)?)
        } else {
            None
        };
        let failed = |error: std::io::Error| DatabaseError::Failed {
            address: address.to_string(),
            reason: format!("cannot start a thread: {error}"),
        };
        let runtime = Arc::new(DatabaseRuntime::with_thread().map_err(failed)?);
        Ok(Arc::new(Self { address: address.clone(), tls, runtime, latest: AtomicUsize::new(0) }))
    }

    /// The address without its password.
    pub(super) fn address(&self) -> String {
        self.address.to_string()
    }

    /// The error of a statement.
    pub(super) fn failed(&self, reason: &impl std::fmt::Display) -> DatabaseError {
        DatabaseError::Failed { address: self.address(), reason: reason.to_string() }
    }

    /// Tries each host once, beginning with the one that was connected to last.
    pub(super) fn connect(&self, purpose: Purpose) -> Result<Session, DatabaseError> {
        let hosts = self.address.hosts();
        let latest = self.latest.load(Ordering::Relaxed);
        let mut reasons = Vec::new();
        for at in (0..hosts.len()).map(|step| (latest + step) % hosts.len()) {
            let Some(host) = hosts.get(at) else { continue };
            match self.connect_to(host, purpose) {
                Ok(session) => {
                    self.latest.store(at, Ordering::Relaxed);
                    return Ok(session);
                }
                Err(reason) => reasons.push(format!("{}: {reason}", name_of(host))),
            }
        }
        Err(DatabaseError::Unreachable { address: self.address(), reason: reasons.join("; ") })
    }

    fn connect_to(&self, host: &Config, purpose: Purpose) -> Result<Session, String> {
        let mut config = host.clone();
        config.application_name(purpose.name());
        let runtime = self.runtime_of(purpose).map_err(|error| error.to_string())?;
        let (spawner, tls) = (Arc::clone(&runtime), self.tls.clone());
        let warnings = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&warnings);
        let timeout = purpose.timeout().map_or(HOST_TIMEOUT, |timeout| timeout.min(HOST_TIMEOUT));
        let connected = runtime.wait(async move {
            tokio::time::timeout(timeout, async {
                match tls {
                    None => open(&config, NoTls, &spawner, counted).await,
                    Some(tls) => open(&config, tls, &spawner, counted).await,
                }
            })
            .await
        });
        match connected {
            Some(Ok(Ok(client))) => Ok(Session::new(client, runtime, warnings, purpose.timeout())),
            Some(Ok(Err(error))) => Err(described(&error)),
            Some(Err(_elapsed)) => Err("it did not answer in time".to_owned()),
            None => Err("the thread of the database has ended".to_owned()),
        }
    }

    /// The writer's statements follow each other on one thread, and each waits for the one before.
    fn runtime_of(&self, purpose: Purpose) -> std::io::Result<Arc<DatabaseRuntime>> {
        match purpose {
            Purpose::Write => DatabaseRuntime::of_one_thread().map(Arc::new),
            _ => Ok(Arc::clone(&self.runtime)),
        }
    }
}

async fn open<T>(
    config: &Config,
    tls: T,
    runtime: &DatabaseRuntime,
    warnings: Arc<AtomicU64>,
) -> Result<Client, tokio_postgres::Error>
where
    T: MakeTlsConnect<Socket>,
    T::Stream: Send + 'static,
{
    let (client, connection) = config.connect(tls).await?;
    runtime.spawn(drive(connection, warnings));
    Ok(client)
}

/// Drives a connection until it ends.
async fn drive<S, T>(mut connection: Connection<S, T>, warnings: Arc<AtomicU64>)
where
    S: AsyncRead + AsyncWrite + Unpin,
    T: AsyncRead + AsyncWrite + Unpin,
{
    while let Some(message) = poll_fn(|context| connection.poll_message(context)).await {
        match message {
            Ok(AsyncMessage::Notice(notice)) => count_warning(&notice, &warnings),
            Ok(_) => {}
            // The statement that waits is answered with its own error.
            Err(error) => {
                return tracing::debug!(error = described(&error), "a connection to the journal's database ended");
            }
        }
    }
}

fn name_of(host: &Config) -> String {
    match host.get_hosts().first() {
        Some(Host::Tcp(name)) => format!("{name}:{}", host.get_ports().first().copied().unwrap_or(5432)),
        Some(Host::Unix(folder)) => folder.display().to_string(),
        None => String::new(),
    }
}
