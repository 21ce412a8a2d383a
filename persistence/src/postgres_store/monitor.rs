//! Figures of the database for monitoring, over a connection of their own: a slow answer delays nothing else.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use engine::locks::MutexExt as _;

use super::{
    address::PostgresAddress,
    commits::POSITION,
    connector::{Connector, Purpose},
    durability::Durability,
    number::loaded,
    options::SynchronousStandbys,
    session::{Session, StatementError},
};
use crate::database_error::DatabaseError;

/// The figures of the database at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalFigures {
    /// The last commit of the journal.
    pub position: u64,
    /// The durability of its commits.
    pub durability: Durability,
}

/// A reader of [`JournalFigures`].
#[derive(Debug)]
pub struct JournalMonitor {
    connector: Arc<Connector>,
    standbys: SynchronousStandbys,
    timeout: Duration,
    session: Mutex<Option<Session>>,
}

impl JournalMonitor {
    /// Returns a monitor of the journal at an address; it connects at the first reading. `timeout` is that of each
    /// connection and statement.
    ///
    /// # Errors
    /// [`DatabaseError`] if the address cannot be used.
    pub fn new(
        address: &PostgresAddress,
        standbys: SynchronousStandbys,
        timeout: Duration,
    ) -> Result<Self, DatabaseError> {
        Ok(Self { connector: Connector::new(address)?, standbys, timeout, session: Mutex::default() })
    }

    /// Reads the figures. Blocks for at most a few times the timeout.
    ///
    /// # Errors
    /// [`DatabaseError`] if the database does not answer; the next reading connects again.
    pub fn read(&self) -> Result<JournalFigures, DatabaseError> {
        let mut present = self.session.lock_unpoisoned();
        // Unless it is put back, the session is closed.
        let session = match present.take().filter(|session| !session.is_closed()) {
            Some(session) => session,
            None => self.connect()?,
        };
        let failed = |error: StatementError| self.connector.failed(&error);
        let rows = session.query(POSITION, Vec::new()).map_err(failed)?;
        let position = rows.first().and_then(|row| row.try_get(0).ok()).and_then(loaded);
        let position = position.ok_or_else(|| self.connector.failed(&"the row of the writer cannot be read"))?;
        let durability = Durability::read(&session, self.standbys).map_err(failed)?;
        *present = Some(session);
        Ok(JournalFigures { position, durability })
    }

    fn connect(&self) -> Result<Session, DatabaseError> {
        let session = self.connector.connect(Purpose::Monitor { timeout: self.timeout })?;
        // The server gives up as well, so that no forgotten statement runs on.
        let timeout = format!("SET statement_timeout = {}", self.timeout.as_millis());
        session.run(timeout).map_err(|error| self.connector.failed(&error))?;
        Ok(session)
    }
}
