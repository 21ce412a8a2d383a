//! The lease: the right of one node to write, for a time that it renews.
//!
//! A claim raises the epoch in the writer's row, so the writer before is fenced by its own next append, whatever its
//! clock says. The clock of the database alone decides whether a lease has expired.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use engine::locks::MutexExt as _;
use thiserror::Error;

use super::{
    address::PostgresAddress,
    connector::{Connector, Purpose},
    durability::ServerSettings,
    number::{loaded, stored},
    options::SynchronousStandbys,
    schema,
    session::{Parameter, Session, StatementError, bigint, text},
};
use crate::database_error::DatabaseError;

const OBSERVE: &str = "SELECT lease.epoch, lease.holder, lease.address, writer.position, \
        (extract(epoch from (lease.expires - clock_timestamp())) * 1000)::bigint \
    FROM lienbook_lease AS lease, lienbook_writer AS writer WHERE lease.id = 1 AND writer.id = 1";

const CLAIM: &str = "WITH claimed AS ( \
        UPDATE lienbook_lease SET epoch = epoch + 1, holder = $1, address = $2, \
            expires = clock_timestamp() + $3::bigint * interval '1 millisecond', reserved_for = NULL \
        WHERE id = 1 AND expires <= clock_timestamp() \
            AND (reserved_for IS NULL OR reserved_for = $1 OR reserved_until <= clock_timestamp()) \
        RETURNING epoch \
    ) UPDATE lienbook_writer SET epoch = claimed.epoch FROM claimed WHERE lienbook_writer.id = 1 \
    RETURNING lienbook_writer.epoch, lienbook_writer.position";

const RENEW: &str = "UPDATE lienbook_lease SET expires = clock_timestamp() + $2::bigint * interval '1 millisecond' \
    WHERE id = 1 AND epoch = $1 AND holder IS NOT NULL RETURNING epoch";

const RELEASE: &str = "UPDATE lienbook_lease SET expires = clock_timestamp(), holder = NULL, reserved_for = $2, \
        reserved_until = clock_timestamp() + $3::bigint * interval '1 millisecond' \
    WHERE id = 1 AND epoch = $1 RETURNING epoch";

/// A standby that has stopped must not cost the lease: its epoch was durable when it was claimed.
const DO_NOT_WAIT_FOR_STANDBYS: &str = "SET synchronous_commit = local";

/// The reason why an operation on the lease has no result. A claim may nevertheless have taken effect: it is then seen by
/// [`WriterLease::observe`], and expires.
#[derive(Debug, Error)]
pub enum LeaseError {
    /// The database cannot be used.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The claim was not confirmed by the synchronous standby.
    #[error("the wait of a claim for the synchronous standby was cancelled")]
    Cancelled,
}

/// The lease, as the database sees it now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaseState {
    /// The epoch of the latest claim; 0 before the first.
    pub epoch: u64,
    /// The name of the node that holds it; `None` if it was released or never claimed.
    pub holder: Option<String>,
    /// The address at which that node is reached by the others.
    pub address: Option<String>,
    /// The last commit of the journal.
    pub position: u64,
    /// The time until it expires, by the database's clock; zero if it has.
    pub remaining: Duration,
}

impl LeaseState {
    /// Whether another node may claim it.
    #[must_use]
    pub const fn is_expired(&self) -> bool {
        self.remaining.is_zero()
    }
}

/// A lease that was claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The new epoch; no earlier one can append any more.
    pub epoch: u64,
    /// The last commit of all earlier epochs, which the new writer must have read.
    pub position: u64,
}

/// The lease of a journal, over a connection of its own.
#[derive(Debug)]
pub struct WriterLease {
    connector: Arc<Connector>,
    standbys: SynchronousStandbys,
    timeout: Duration,
    session: Mutex<Option<Session>>,
}

impl WriterLease {
    /// Opens the lease of the journal at an address; creates the tables if they are missing. `timeout` is that of each
    /// statement, and should be a fraction of the time that the lease is claimed for.
    ///
    /// # Errors
    /// [`DatabaseError`].
    pub fn open(
        address: &PostgresAddress,
        standbys: SynchronousStandbys,
        timeout: Duration,
    ) -> Result<Self, DatabaseError> {
        let lease = Self { connector: Connector::new(address)?, standbys, timeout, session: Mutex::default() };
        let session = lease.connect()?;
        schema::prepare(&lease.connector, &session)?;
        *lease.session.lock_unpoisoned() = Some(session);
        Ok(lease)
    }

    /// Reads the lease.
    ///
    /// # Errors
    /// [`LeaseError`].
    pub fn observe(&self) -> Result<LeaseState, LeaseError> {
        let row = self.with_session(|session| session.query(OBSERVE, Vec::new()))?;
        let row = row.first().ok_or_else(|| self.connector.failed(&"the row of the lease is missing"))?;
        let number = |at| row.try_get::<_, i64>(at).map_err(|error| self.connector.failed(&error));
        let text = |at| row.try_get::<_, Option<String>>(at).map_err(|error| self.connector.failed(&error));
        Ok(LeaseState {
            epoch: self.number(number(0)?)?,
            holder: text(1)?,
            address: text(2)?,
            position: self.number(number(3)?)?,
            remaining: Duration::from_millis(u64::try_from(number(4)?).unwrap_or(0)),
        })
    }

    /// Claims the lease for a node, if it has expired or is not held. The new epoch has reached the synchronous standby
    /// when this returns, and so has every commit of earlier epochs.
    ///
    /// # Errors
    /// [`LeaseError`]; a server that could lose the claim is refused.
    pub fn claim(&self, holder: &str, address: &str, ttl: Duration) -> Result<Option<Claim>, LeaseError> {
        let mut present = self.session.lock_unpoisoned();
        // Unless it is put back, the session is closed, and with it whatever was left behind.
        let session = match present.take().filter(|session| !session.is_closed()) {
            Some(session) => session,
            None => self.connect()?,
        };
        let failed = |error: StatementError| self.connector.failed(&error);
        session.run("RESET synchronous_commit".to_owned()).map_err(failed)?;
        let level = ServerSettings::read(&session).map_err(failed)?.check(self.standbys);
        let level = level.map_err(|reason| DatabaseError::Unsafe { address: self.connector.address(), reason })?;
        session.run(level.set().to_owned()).map_err(failed)?;
        let warnings = session.warnings();
        let parameters = vec![text(Some(holder.to_owned())), text(Some(address.to_owned())), milliseconds(ttl)];
        let rows = session.query(CLAIM, parameters).map_err(failed)?;
        if session.warnings() != warnings {
            return Err(LeaseError::Cancelled);
        }
        session.run(DO_NOT_WAIT_FOR_STANDBYS.to_owned()).map_err(failed)?;
        *present = Some(session);
        let Some(row) = rows.first() else { return Ok(None) };
        let read = |at| row.try_get::<_, i64>(at).map_err(|error| self.connector.failed(&error));
        Ok(Some(Claim { epoch: self.number(read(0)?)?, position: self.number(read(1)?)? }))
    }

    /// Extends the lease to `ttl` from now; `false` if another node has claimed it. Waits for no standby and for no
    /// append.
    ///
    /// # Errors
    /// [`LeaseError`].
    pub fn renew(&self, epoch: u64, ttl: Duration) -> Result<bool, LeaseError> {
        let rows = self.with_session(|session| session.query(RENEW, vec![bigint(stored(epoch)), milliseconds(ttl)]))?;
        Ok(!rows.is_empty())
    }

    /// Gives the lease back, so that it can be claimed at once; within the given time by one node alone, if one is named.
    /// `false` if another node has claimed it.
    ///
    /// # Errors
    /// [`LeaseError`].
    pub fn release(&self, epoch: u64, to: Option<(&str, Duration)>) -> Result<bool, LeaseError> {
        let holder = to.map(|(holder, _)| holder.to_owned());
        let grace = to.map_or(Duration::ZERO, |(_, grace)| grace);
        let rows = self.with_session(|session| {
            session.query(RELEASE, vec![bigint(stored(epoch)), text(holder.clone()), milliseconds(grace)])
        })?;
        Ok(!rows.is_empty())
    }

    /// Runs a statement that can be repeated; over a new connection if the present one was closed meanwhile.
    fn with_session<T>(&self, statement: impl Fn(&Session) -> Result<T, StatementError>) -> Result<T, DatabaseError> {
        let mut present = self.session.lock_unpoisoned();
        if let Some(session) = present.take().filter(|session| !session.is_closed()) {
            match statement(&session) {
                Ok(result) => {
                    *present = Some(session);
                    return Ok(result);
                }
                Err(error) if error.is_transient() && !matches!(error, StatementError::TimedOut) => {}
                Err(error) => return Err(self.connector.failed(&error)),
            }
        }
        let session = self.connect()?;
        let result = statement(&session).map_err(|error| self.connector.failed(&error))?;
        *present = Some(session);
        Ok(result)
    }

    fn connect(&self) -> Result<Session, DatabaseError> {
        let session = self.connector.connect(Purpose::Lease { timeout: self.timeout })?;
        // The server gives up as well, so that no forgotten statement waits for a lock.
        let milliseconds = self.timeout.as_millis();
        let prepare = format!("SET statement_timeout = {milliseconds}; {DO_NOT_WAIT_FOR_STANDBYS}");
        session.run(prepare).map_err(|error| self.connector.failed(&error))?;
        Ok(session)
    }

    fn number(&self, number: i64) -> Result<u64, DatabaseError> {
        loaded(number).ok_or_else(|| self.connector.failed(&"a number in its rows is negative"))
    }
}

fn milliseconds(time: Duration) -> Parameter {
    bigint(i64::try_from(time.as_millis()).unwrap_or(i64::MAX))
}
