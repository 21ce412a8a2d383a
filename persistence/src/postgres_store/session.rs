//! A connection to the database, with calls that block.

use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio_postgres::{
    Client, Row, Statement,
    error::{Severity, SqlState},
    types::{ToSql, Type},
};

use super::runtime::DatabaseRuntime;

/// A parameter of a statement, with its type, so that no statement needs a round trip of its own to be prepared.
pub(super) type Parameter = (Box<dyn ToSql + Send + Sync>, Type);

/// Returns a parameter of type `bigint`.
pub(super) fn bigint(value: i64) -> Parameter {
    (Box::new(value), Type::INT8)
}

/// Returns a parameter of type `bytea`.
pub(super) fn bytea(value: Vec<u8>) -> Parameter {
    (Box::new(value), Type::BYTEA)
}

/// Returns a parameter of type `text`.
pub(super) fn text(value: Option<String>) -> Parameter {
    (Box::new(value), Type::TEXT)
}

/// The reason why a statement has no result.
#[derive(Debug)]
pub(super) enum StatementError {
    /// The server, or the connection to it, failed.
    Database(tokio_postgres::Error),
    /// No answer came within the session's timeout; the session is closed.
    TimedOut,
    /// The thread of the connections has ended.
    Ended,
}

impl StatementError {
    /// Whether the statement may nevertheless take, or have taken, effect, or would succeed on another connection.
    pub(super) fn is_transient(&self) -> bool {
        let Self::Database(error) = self else { return true };
        let Some(state) = error.code() else { return error.is_closed() || is_io(error) };
        // Class 08: the connection; 40: rolled back by a conflict; 57: an operator's doing, such as a shutdown.
        ["08", "40", "57"].iter().any(|class| state.code().starts_with(class))
            || *state == SqlState::READ_ONLY_SQL_TRANSACTION
    }

    /// Whether the server reports that its own files are damaged.
    pub(super) fn is_corruption(&self) -> bool {
        let codes = [SqlState::DATA_CORRUPTED, SqlState::INDEX_CORRUPTED];
        matches!(self, Self::Database(error) if error.code().is_some_and(|code| codes.contains(code)))
    }

    /// The SQLSTATE of the server's error.
    pub(super) fn state(&self) -> Option<&SqlState> {
        match self {
            Self::Database(error) => error.code(),
            Self::TimedOut | Self::Ended => None,
        }
    }
}

impl std::fmt::Display for StatementError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Database(error) => f.write_str(&described(error)),
            Self::TimedOut => f.write_str("the server did not answer in time"),
            Self::Ended => f.write_str("the thread of the database has ended"),
        }
    }
}

/// The text of an error with its causes, on one line.
pub(super) fn described(error: &tokio_postgres::Error) -> String {
    if let Some(error) = error.as_db_error() {
        let detail = error.detail().map_or_else(String::new, |detail| format!(" ({detail})"));
        return format!("{}{detail}", error.message()).replace('\n', " ");
    }
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text.replace('\n', " ")
}

fn is_io(error: &tokio_postgres::Error) -> bool {
    std::error::Error::source(error).is_some_and(<dyn std::error::Error>::is::<std::io::Error>)
}

/// An open connection.
#[derive(Debug)]
pub(super) struct Session {
    client: Arc<Client>,
    runtime: Arc<DatabaseRuntime>,
    warnings: Arc<AtomicU64>,
    timeout: Option<Duration>,
}

impl Session {
    /// `warnings` counts the warnings that the server sends; `timeout` is that of each statement.
    pub(super) fn new(
        client: Client,
        runtime: Arc<DatabaseRuntime>,
        warnings: Arc<AtomicU64>,
        timeout: Option<Duration>,
    ) -> Self {
        Self { client: Arc::new(client), runtime, warnings, timeout }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// The number of warnings so far. A commit whose wait for its standby was cancelled succeeds with a warning, which
    /// is counted before the statement returns.
    pub(super) fn warnings(&self) -> u64 {
        self.warnings.load(Ordering::SeqCst)
    }

    /// Runs one statement and returns its rows, once the server is ready for the next.
    pub(super) fn query(&self, sql: &'static str, parameters: Vec<Parameter>) -> Result<Vec<Row>, StatementError> {
        let client = Arc::clone(&self.client);
        self.wait(async move {
            let typed: Vec<_> = parameters.iter().map(|(value, type_)| (plain(&**value), type_.clone())).collect();
            client.query_typed(sql, &typed).await
        })
    }

    /// Runs statements without parameters or rows.
    pub(super) fn run(&self, sql: String) -> Result<(), StatementError> {
        let client = Arc::clone(&self.client);
        self.wait(async move { client.batch_execute(&sql).await })
    }

    pub(super) fn prepare(&self, sql: &'static str) -> Result<Statement, StatementError> {
        let client = Arc::clone(&self.client);
        self.wait(async move { client.prepare(sql).await })
    }

    /// Runs a prepared statement and returns the number of rows that it changed.
    pub(super) fn execute(
        &self,
        statement: Statement,
        parameters: Arc<Vec<Box<dyn ToSql + Send + Sync>>>,
    ) -> Result<u64, StatementError> {
        let client = Arc::clone(&self.client);
        self.wait(async move {
            let references: Vec<_> = parameters.iter().map(|value| plain(&**value)).collect();
            client.execute(&statement, &references).await
        })
    }

    fn wait<T: Send + 'static>(
        &self,
        statement: impl Future<Output = Result<T, tokio_postgres::Error>> + Send + 'static,
    ) -> Result<T, StatementError> {
        let timeout = self.timeout;
        let answered = self.runtime.wait(async move {
            match timeout {
                None => Some(statement.await),
                Some(timeout) => tokio::time::timeout(timeout, statement).await.ok(),
            }
        });
        match answered {
            Some(Some(result)) => result.map_err(StatementError::Database),
            Some(None) => Err(StatementError::TimedOut),
            None => Err(StatementError::Ended),
        }
    }
}

fn plain(value: &(dyn ToSql + Send + Sync)) -> &(dyn ToSql + Sync) {
    value
}

/// Counts a notice of the server if it is a warning.
pub(super) fn count_warning(notice: &tokio_postgres::error::DbError, warnings: &AtomicU64) {
    let is_less =
        matches!(notice.parsed_severity(), Some(Severity::Notice | Severity::Info | Severity::Log | Severity::Debug));
    if !is_less {
        tracing::warn!(notice = notice.message(), "the journal's database has sent a warning");
        warnings.fetch_add(1, Ordering::SeqCst);
    }
}
