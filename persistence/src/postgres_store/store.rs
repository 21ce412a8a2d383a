//! PostgreSQL as the durable store of the writer.
//!
//! A commit is one statement, which the server runs as a transaction of its own: it advances the position in the
//! writer's row if the row still has this writer's epoch, and inserts the blocks. The lock of that row orders it against
//! a takeover, so a deposed writer appends nothing.
//!
//! If the outcome is unknown, the same row tells it: an update by the same epoch waits for an attempt that is still
//! running, and its own commit reaches the standby after all before it.

use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use tokio_postgres::{Statement, types::ToSql};

use super::{
    connector::{Connector, Purpose},
    durability::ServerSettings,
    fence::{Fence, Resolution},
    number::{loaded, stored},
    options::SynchronousStandbys,
    session::{Session, StatementError, bigint},
};
use crate::{
    commit_builder::SealedBlock,
    database_error::DatabaseError,
    durable_store::{DurableStore, StoreError},
};

const APPEND: &str = "WITH fenced AS ( \
        UPDATE lienbook_writer SET position = $1 WHERE id = 1 AND epoch = $2 AND position = $3 RETURNING position \
    ) INSERT INTO lienbook_block (stream, first, position, block_index, block) \
    SELECT b.stream, b.first, fenced.position, b.block_index, b.block FROM fenced, \
        unnest($4::bytea[], $5::bigint[], $6::bigint[], $7::bytea[]) AS b(stream, first, block_index, block)";

const RESOLVE: &str = "UPDATE lienbook_writer SET position = position WHERE id = 1 AND epoch = $1 RETURNING position";

const SELECT_FIRST_BLOCK: &str = "SELECT block FROM lienbook_block WHERE position = $1 AND block_index = 0";

/// Switches off whatever would cancel a waiting commit, as far as the server knows it, and makes the server send its
/// warnings: a commit whose wait was cancelled by an operator succeeds with one.
const PREPARE_SESSION: &str = "SELECT set_config(name, '0', false) FROM pg_settings WHERE name IN ('statement_timeout', \
    'lock_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout', 'transaction_timeout')";
const PREPARE_ISOLATION: &str =
    "SET client_min_messages = warning; SET default_transaction_isolation = 'read committed'";

/// The pauses between attempts to reach the server.
const PAUSE_MIN: Duration = Duration::from_millis(50);
const PAUSE_MAX: Duration = Duration::from_secs(2);
/// The interval of log lines while the server cannot be reached.
const WARN_EVERY: Duration = Duration::from_secs(10);

const CANNOT_WRITE: &str = "cannot write to the journal's database";

/// A session that can append.
#[derive(Debug)]
pub(super) struct WritingSession {
    session: Session,
    append: Statement,
}

impl WritingSession {
    /// Connects once, and refuses a server that could lose a commit.
    pub(super) fn open(connector: &Connector, standbys: SynchronousStandbys) -> Result<Self, DatabaseError> {
        let session = connector.connect(Purpose::Write)?;
        let failed = |error: StatementError| connector.failed(&error);
        let level = ServerSettings::read(&session).map_err(failed)?.check(standbys);
        let level = level.map_err(|reason| DatabaseError::Unsafe { address: connector.address(), reason })?;
        session.query(PREPARE_SESSION, Vec::new()).map_err(failed)?;
        session.run(format!("{PREPARE_ISOLATION}; {}", level.set())).map_err(failed)?;
        let append = session.prepare(APPEND).map_err(failed)?;
        Ok(Self { session, append })
    }

    /// Reads the writer's row, and proves that every commit before is durable. `None` if it must be asked again.
    pub(super) fn fence(&self, epoch: u64) -> Result<Option<Fence>, StatementError> {
        let warnings = self.session.warnings();
        let rows = self.session.query(RESOLVE, vec![bigint(stored(epoch))])?;
        if self.session.warnings() != warnings {
            return Ok(None);
        }
        let Some(row) = rows.first() else { return Ok(Some(Fence::Lost)) };
        let position = row.try_get::<_, i64>(0).map_err(StatementError::Database)?;
        Ok(loaded(position).map(Fence::Held))
    }

    fn first_block(&self, commit: u64) -> Result<Option<Vec<u8>>, StatementError> {
        let rows = self.session.query(SELECT_FIRST_BLOCK, vec![bigint(stored(commit))])?;
        rows.first().map(|row| row.try_get(0)).transpose().map_err(StatementError::Database)
    }
}

/// The store of the writer of one epoch.
#[derive(Debug)]
pub(super) struct FencedStore {
    connector: Arc<Connector>,
    standbys: SynchronousStandbys,
    epoch: u64,
    /// `None` after the connection broke.
    session: Option<WritingSession>,
    /// The commit that was written and not yet synced.
    staged: Option<PendingCommit>,
}

/// One commit, which may have to be sent more than once.
#[derive(Debug)]
struct PendingCommit {
    number: u64,
    parameters: Arc<Vec<Box<dyn ToSql + Send + Sync>>>,
    count: u64,
    first_block: Vec<u8>,
}

/// The outcome of one attempt.
enum Attempt {
    Committed,
    Unknown,
}

impl DurableStore for FencedStore {
    fn write(&mut self, commit: u64, blocks: Vec<SealedBlock>) -> Result<(), StoreError> {
        self.staged = Some(self.pending(commit, blocks)?);
        Ok(())
    }

    /// Sends the commit and waits until the server and its standbys have it. One statement does both, so all of it is
    /// the time of the sync.
    fn sync(&mut self) -> Result<(), StoreError> {
        let Some(pending) = self.staged.take() else { return Ok(()) };
        let commit = pending.number;
        loop {
            if let Attempt::Committed = self.attempt(&pending)? {
                return Ok(());
            }
            match Resolution::of(commit, self.resolve(&pending)?) {
                Resolution::Committed => return Ok(()),
                Resolution::SendAgain => {
                    tracing::warn!(commit, "sending a commit to the journal's database again");
                }
                Resolution::Elsewhere { position } => {
                    let reason = format!("its last commit is {position} instead of {} or {commit}", commit - 1);
                    return Err(StoreError::new(CANNOT_WRITE, reason));
                }
                Resolution::Deposed => return Err(deposed(self.epoch)),
            }
        }
    }
}

fn deposed(epoch: u64) -> StoreError {
    StoreError::new(CANNOT_WRITE, format!("another writer has taken over from epoch {epoch}"))
}

impl FencedStore {
    /// The store of the writer of an epoch that `session` has found to hold.
    pub(super) const fn new(
        connector: Arc<Connector>,
        standbys: SynchronousStandbys,
        epoch: u64,
        session: WritingSession,
    ) -> Self {
        Self { connector, standbys, epoch, session: Some(session), staged: None }
    }

    fn pending(&self, number: u64, blocks: Vec<SealedBlock>) -> Result<PendingCommit, StoreError> {
        let count = u64::try_from(blocks.len()).map_err(|error| StoreError::new(CANNOT_WRITE, error))?;
        let first_block = blocks.first().map(|block| block.bytes.clone()).unwrap_or_default();
        let streams: Vec<_> = blocks.iter().map(|block| block.key.stream.0.to_vec()).collect();
        let firsts: Vec<_> = blocks.iter().map(|block| stored(block.key.first)).collect();
        let indexes: Vec<_> = (0..stored(count)).collect();
        let bytes: Vec<_> = blocks.into_iter().map(|block| block.bytes).collect();
        let parameters: Vec<Box<dyn ToSql + Send + Sync>> = vec![
            Box::new(stored(number)),
            Box::new(stored(self.epoch)),
            Box::new(stored(number - 1)),
            Box::new(streams),
            Box::new(firsts),
            Box::new(indexes),
            Box::new(bytes),
        ];
        Ok(PendingCommit { number, parameters: Arc::new(parameters), count, first_block })
    }

    /// Sends the commit over the present connection.
    fn attempt(&mut self, commit: &PendingCommit) -> Result<Attempt, StoreError> {
        let Some(WritingSession { session, append }) = &self.session else { return Ok(Attempt::Unknown) };
        let warnings = session.warnings();
        match session.execute(append.clone(), Arc::clone(&commit.parameters)) {
            // With a warning it is written, but may not have reached the standby.
            Ok(count) if count == commit.count && session.warnings() == warnings => Ok(Attempt::Committed),
            Ok(count) if count == commit.count || count == 0 => Ok(Attempt::Unknown),
            Ok(count) => {
                let reason = format!("it has taken {count} of {} blocks", commit.count);
                Err(StoreError::new(CANNOT_WRITE, reason))
            }
            Err(error) if error.is_transient() => {
                tracing::warn!(commit = commit.number, %error, "the outcome of a commit is unknown");
                self.session = None;
                Ok(Attempt::Unknown)
            }
            Err(error) => Err(StoreError::new(CANNOT_WRITE, error.to_string())),
        }
    }

    /// Finds out whether the commit is durable, for as long as it takes.
    fn resolve(&mut self, commit: &PendingCommit) -> Result<Fence, StoreError> {
        let mut pause = PAUSE_MIN;
        let mut warned_at: Option<Instant> = None;
        loop {
            let reason = match self.resolve_once(commit)? {
                Ok(fence) => return Ok(fence),
                Err(reason) => reason,
            };
            if warned_at.is_none_or(|at| at.elapsed() >= WARN_EVERY) {
                tracing::error!(commit = commit.number, "a commit waits for the journal's database: {reason}");
                warned_at = Some(Instant::now());
            }
            thread::sleep(pause);
            pause = (pause * 2).min(PAUSE_MAX);
        }
    }

    /// Asks once; the inner error is the reason to ask again.
    fn resolve_once(&mut self, commit: &PendingCommit) -> Result<Result<Fence, String>, StoreError> {
        let session = match self.session.take() {
            Some(session) => session,
            None => match WritingSession::open(&self.connector, self.standbys) {
                Ok(session) => session,
                Err(error) => return Ok(Err(error.to_string())),
            },
        };
        let answered = session.fence(self.epoch).and_then(|fence| {
            let is_other = match fence {
                Some(Fence::Held(position)) if position == commit.number => {
                    session.first_block(position)?.is_none_or(|block| block != commit.first_block)
                }
                _ => false,
            };
            Ok((fence, is_other))
        });
        match answered {
            Ok((_, true)) => {
                let reason = format!("commit {} is another writer's of the same epoch", commit.number);
                Err(StoreError::new(CANNOT_WRITE, reason))
            }
            Ok((Some(fence), false)) => {
                self.session = Some(session);
                Ok(Ok(fence))
            }
            Ok((None, false)) => {
                self.session = Some(session);
                Ok(Err("the wait for its standby was cancelled".to_owned()))
            }
            Err(error) if error.is_transient() => Ok(Err(error.to_string())),
            Err(error) => Err(StoreError::new(CANNOT_WRITE, error.to_string())),
        }
    }
}
