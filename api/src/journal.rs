//! The journal of a server, in either of its forms.

use std::ops::ControlFlow;
use std::sync::{Arc, Weak};

use domain::Stream;
use engine::journal::{Journal, Recorded, ReplayError, Sequence, SharedJournal as _};
use persistence::{
    CommitFeed, CommitSource, JournalStats, PostgresJournal, RawCommit, SledJournal, StateDigest, WholeJournal,
};

/// The journal. Clones share it.
#[derive(Clone, Debug)]
pub enum ServerJournal {
    /// In the data folder, of this server alone.
    Sled(Arc<SledJournal>),
    /// In a database, shared with the other nodes.
    Postgres(Arc<PostgresJournal>),
}

impl ServerJournal {
    /// Returns it as the port of the engine.
    #[must_use]
    pub fn port(&self) -> Arc<dyn Journal> {
        match self {
            Self::Sled(journal) => journal.clone(),
            Self::Postgres(journal) => journal.clone(),
        }
    }

    /// Returns the journal of the data folder, without keeping it open; an empty reference if it is in a
    /// database.
    #[must_use]
    pub fn in_folder(&self) -> Weak<SledJournal> {
        match self {
            Self::Sled(journal) => Arc::downgrade(journal),
            Self::Postgres(_) => Weak::new(),
        }
    }

    /// Returns the last commit that is durable, as far as this process has read.
    #[must_use]
    pub fn position(&self) -> u64 {
        match self {
            // A journal in a folder answers from memory.
            Self::Sled(journal) => journal.end().unwrap_or_default(),
            Self::Postgres(journal) => journal.position().0,
        }
    }

    /// Returns its counters.
    #[must_use]
    pub fn stats(&self) -> &Arc<JournalStats> {
        match self {
            Self::Sled(journal) => journal.stats(),
            Self::Postgres(journal) => journal.stats(),
        }
    }

    /// Writes all earlier appends and refuses later ones. Blocks until that is done.
    pub fn close(&self) {
        match self {
            Self::Sled(journal) => journal.close(),
            Self::Postgres(journal) => journal.close(),
        }
    }

    /// Returns whether this is the last handle.
    #[must_use]
    pub fn is_last(&self) -> bool {
        match self {
            Self::Sled(journal) => Arc::strong_count(journal) == 1,
            Self::Postgres(journal) => Arc::strong_count(journal) == 1,
        }
    }
}

impl CommitSource for ServerJournal {
    fn end(&self) -> Result<u64, ReplayError> {
        match self {
            Self::Sled(journal) => journal.end(),
            Self::Postgres(journal) => journal.end(),
        }
    }

    fn feed_after(&self, commit: u64) -> Result<Option<CommitFeed>, ReplayError> {
        match self {
            Self::Sled(journal) => journal.feed_after(commit),
            Self::Postgres(journal) => journal.feed_after(commit),
        }
    }

    fn read_feed<E: From<ReplayError>>(
        &self,
        feed: &mut CommitFeed,
        bytes_max: usize,
        each: &mut dyn FnMut(RawCommit) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            Self::Sled(journal) => journal.read_feed(feed, bytes_max, each),
            Self::Postgres(journal) => journal.read_feed(feed, bytes_max, each),
        }
    }

    fn origin(&self) -> Result<Option<StateDigest>, ReplayError> {
        match self {
            Self::Sled(journal) => journal.origin(),
            Self::Postgres(journal) => journal.origin(),
        }
    }
}

impl WholeJournal for ServerJournal {
    fn replay_whole(&self, each: &mut dyn FnMut(Stream, Recorded) -> ControlFlow<()>) -> Result<u64, ReplayError> {
        match self {
            Self::Sled(journal) => journal.replay_whole(each),
            Self::Postgres(journal) => journal.replay_whole(each),
        }
    }

    fn read_events(
        &self,
        stream: Stream,
        after: Sequence,
        count: u64,
        each: &mut dyn FnMut(Recorded),
    ) -> Result<(), ReplayError> {
        match self {
            Self::Sled(journal) => journal.read_events(stream, after, count, each),
            Self::Postgres(journal) => journal.read_events(stream, after, count, each),
        }
    }
}
