//! A server with a synchronous standby.

use crate::{server::Server, wait_until};

/// A primary server whose commits wait for one standby.
#[derive(Debug)]
pub struct ReplicatedServer {
    /// The server that accepts writes at first.
    pub primary: Server,
    /// Its synchronous standby.
    pub standby: Server,
}

impl ReplicatedServer {
    /// Creates and starts both.
    #[must_use]
    pub fn start() -> Self {
        let primary = Server::start(&[]);
        let standby = primary.standby();
        let pair = Self { primary, standby };
        pair.require_standby();
        pair
    }

    /// The address of both servers; the one that accepts writes is used.
    #[must_use]
    pub fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{},127.0.0.1:{}/postgres", self.primary.port(), self.standby.port())
    }

    /// Makes the commits of the primary wait for the standby.
    pub fn require_standby(&self) {
        self.primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'");
        self.primary.sql("SELECT pg_reload_conf()");
        self.wait_for_standby();
    }

    /// Waits until the standby follows the primary synchronously.
    pub fn wait_for_standby(&self) {
        wait_until("the standby is synchronous", || {
            self.primary.sql("SELECT sync_state FROM pg_stat_replication") == "sync"
        });
    }
}
