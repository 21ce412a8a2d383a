//! An open session of a server: a statement takes no process of its own.

use tokio::runtime::{Builder, Runtime};
use tokio_postgres::{Client, NoTls};

use crate::form::{PostgresForm, SERVER};

/// A session in a schema.
pub(crate) struct SqlSession {
    runtime: Runtime,
    client: Client,
}

impl SqlSession {
    pub(crate) fn of(place: &PostgresForm) -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let (client, connection) = runtime.block_on(tokio_postgres::connect(&SERVER.url(), NoTls)).unwrap();
        runtime.spawn(connection);
        let session = Self { runtime, client };
        session.run(&format!("SET search_path = {}", place.schema));
        session
    }

    /// Runs SQL.
    pub(crate) fn run(&self, sql: &str) {
        self.runtime.block_on(self.client.batch_execute(sql)).unwrap();
    }
}
