//! The connection that blocks are read through.

use std::sync::{Arc, Mutex};

use engine::locks::MutexExt as _;
use tokio_postgres::Row;

use super::{
    connector::{Connector, Purpose},
    durability::Durability,
    options::SynchronousStandbys,
    session::{Parameter, Session},
};
use crate::{block_source::ReadError, database_error::DatabaseError};

/// Makes all queries of a session see the same state.
const BEGIN_SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// Queries over one connection, which is replaced when it breaks.
#[derive(Debug)]
pub(super) struct Queries {
    connector: Arc<Connector>,
    session: Mutex<Option<Arc<Session>>>,
    /// Whether all queries see one state: then a broken connection is not replaced.
    is_snapshot: bool,
}

impl Queries {
    pub(super) fn new(connector: Arc<Connector>, session: Session) -> Self {
        Self { connector, session: Mutex::new(Some(Arc::new(session))), is_snapshot: false }
    }

    /// Queries that all see the state of their beginning.
    pub(super) fn snapshot(connector: Arc<Connector>) -> Result<Self, DatabaseError> {
        let session = connector.connect(Purpose::Read)?;
        session.run(BEGIN_SNAPSHOT.to_owned()).map_err(|error| connector.failed(&error))?;
        Ok(Self { connector, session: Mutex::new(Some(Arc::new(session))), is_snapshot: true })
    }

    /// Runs a query; once more over a new connection if the present one is broken.
    pub(super) fn query(
        &self,
        sql: &'static str,
        parameters: impl Fn() -> Vec<Parameter>,
    ) -> Result<Vec<Row>, ReadError> {
        let failed = |reason: &dyn std::fmt::Display| ReadError::Failed(reason.to_string());
        let session = self.session().map_err(|error| failed(&error))?;
        let error = match session.query(sql, parameters()) {
            Ok(rows) => return Ok(rows),
            Err(error) => error,
        };
        if error.is_corruption() {
            return Err(ReadError::Corrupt(error.to_string()));
        }
        if self.is_snapshot || !error.is_transient() {
            return Err(failed(&error));
        }
        self.abandon(&session);
        let session = self.session().map_err(|error| failed(&error))?;
        session.query(sql, parameters()).map_err(|error| {
            self.abandon(&session);
            failed(&error)
        })
    }

    pub(super) fn durability(&self, standbys: SynchronousStandbys) -> Result<Durability, DatabaseError> {
        let session = self.session()?;
        Durability::read(&session, standbys).map_err(|error| {
            self.abandon(&session);
            self.connector.failed(&error)
        })
    }

    fn session(&self) -> Result<Arc<Session>, DatabaseError> {
        let mut present = self.session.lock_unpoisoned();
        if let Some(session) = present.as_ref().filter(|session| self.is_snapshot || !session.is_closed()) {
            return Ok(Arc::clone(session));
        }
        let session = Arc::new(self.connector.connect(Purpose::Read)?);
        *present = Some(Arc::clone(&session));
        Ok(session)
    }

    fn abandon(&self, broken: &Arc<Session>) {
        let mut present = self.session.lock_unpoisoned();
        if present.as_ref().is_some_and(|session| Arc::ptr_eq(session, broken)) {
            *present = None;
        }
    }
}
