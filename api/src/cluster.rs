//! Several nodes on one journal: one of them decides, the others follow it.
//!
//! ```text
//! client -> follower -- reads, feed: from its own copy
//!                    \- writes ------> writer -> journal -> announcement -> followers read the journal
//! ```
//!
//! - All nodes run the same program with the same settings. The one with the lease decides; when the lease lapses,
//!   another one claims it, reads the journal to its end and decides.
//! - A node that follows forwards writes, and answers them once it shows their effect itself.
//! - The position that a session has seen travels with it: no node answers from before it.

pub mod announcements;
pub mod database_watch;
pub mod membership;
pub mod node_client;
pub mod node_credential;
pub mod node_exchange;
pub mod observations;
pub mod position;

use std::sync::Arc;
use std::time::Duration;

use engine::Market;
use engine::journal::{Position, SharedJournal as _};
use persistence::PostgresJournal;
use tokio::sync::watch;
use tokio::time::Instant;

use announcements::Announcer;
use node_client::NodeClient;
use node_credential::NodeCredential;
use observations::{NodeFigures, Observations};

/// The node that decides, as the lease names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriterNode {
    /// Its name.
    pub name: String,
    /// The URL at which the other nodes reach it.
    pub url: String,
    /// The epoch of its lease.
    pub epoch: u64,
}

/// The part of a node in the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Another node decides, or none.
    Follower,
    /// This node decides, in this epoch.
    Writer {
        /// The epoch of its lease.
        epoch: u64,
    },
    /// This node has handed over and answers its last requests.
    Leaving,
}

/// This node's view of the cluster.
pub struct Cluster {
    /// The name of this node.
    pub name: String,
    /// The URL at which the other nodes reach this one.
    pub url: String,
    /// The journal that all nodes share.
    pub journal: Arc<PostgresJournal>,
    market: Market,
    role: watch::Sender<Role>,
    writer: watch::Sender<Option<WriterNode>>,
    credential: NodeCredential,
    announcer: Option<Announcer>,
    client: NodeClient,
    observations: Observations,
}

impl Cluster {
    /// Returns the view of a node that follows.
    #[must_use]
    pub fn new(
        (name, url): (String, String),
        journal: Arc<PostgresJournal>,
        market: Market,
        credential: NodeCredential,
        announcer: Option<Announcer>,
    ) -> Self {
        Self {
            name,
            url,
            journal,
            market,
            role: watch::Sender::new(Role::Follower),
            writer: watch::Sender::default(),
            credential,
            announcer,
            client: NodeClient::default(),
            observations: Observations::starting_at(Instant::now()),
        }
    }

    /// Returns this node's role.
    #[must_use]
    pub fn role(&self) -> Role {
        *self.role.borrow()
    }

    /// Returns whether this node decides.
    #[must_use]
    pub fn is_writer(&self) -> bool {
        matches!(self.role(), Role::Writer { .. })
    }

    /// Resolves once this node decides.
    pub async fn wait_to_decide(&self) {
        let mut role = self.role.subscribe();
        // The sender lives as long as this.
        let _ = role.wait_for(|role| matches!(role, Role::Writer { .. })).await;
    }

    /// Returns the node that decides, as far as known.
    #[must_use]
    pub fn writer(&self) -> Option<WriterNode> {
        self.writer.borrow().clone()
    }

    /// Returns the node that decides, as it changes.
    #[must_use]
    pub fn writer_changes(&self) -> watch::Receiver<Option<WriterNode>> {
        self.writer.subscribe()
    }

    /// Returns the observations of this node.
    #[must_use]
    pub const fn observations(&self) -> &Observations {
        &self.observations
    }

    /// Returns the figures of this node for monitoring.
    #[must_use]
    pub fn figures(&self) -> NodeFigures {
        self.observations.figures(self.role(), self.position(), Instant::now())
    }

    /// Returns the client for the other nodes.
    #[must_use]
    pub const fn client(&self) -> &NodeClient {
        &self.client
    }

    /// Returns the issuer of this node's credentials.
    #[must_use]
    pub const fn credential(&self) -> &NodeCredential {
        &self.credential
    }

    /// Returns the position of the journal that this node's answers are at least as new as.
    #[must_use]
    pub fn position(&self) -> Position {
        if self.is_writer() { self.journal.position() } else { self.market.applied() }
    }

    /// Resolves to whether this node shows a position, which it waits for at most as long as `timeout`.
    pub async fn wait_for(&self, position: Position, timeout: Duration) -> bool {
        if self.position() >= position {
            return true;
        }
        if self.role() != Role::Follower {
            // Another node has written: this one has lost its lease, and does not know it yet; or it has handed over,
            // and follows no more.
            return false;
        }
        let shown = tokio::time::timeout(timeout, self.market.wait_applied(position)).await;
        shown.is_ok() && self.position() >= position
    }
}
