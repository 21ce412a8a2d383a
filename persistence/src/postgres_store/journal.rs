//! The journal on PostgreSQL.

use std::{
    ops::ControlFlow,
    sync::{Arc, Mutex, RwLock},
    thread,
};

use domain::Stream;
use engine::journal::{
    Batch, CommittedBatch, Durable, Journal, Position, Recorded, ReplayError, Sequence, SharedJournal,
};
use engine::locks::{MutexExt as _, RwLockExt as _};

use super::{
    address::PostgresAddress,
    begin_error::BeginError,
    blocks::PostgresBlocks,
    commits::{self, Rows},
    connector::{Connector, Purpose},
    durability::{Durability, ServerSettings},
    fence::Fence,
    options::PostgresOptions,
    queries::Queries,
    schema,
    session::Session,
    store::{FencedStore, WritingSession},
};
use crate::{
    block_source::ReadError,
    commit_check::CommitError,
    commit_feed::{CommitFeed, CommitSource},
    damage::Damage,
    database_error::DatabaseError,
    export::WholeJournal,
    heads::{Head, Heads},
    open_error::OpenError,
    raw_commit::RawCommit,
    reader::Reader,
    recovery::{End, find_end},
    stats::JournalStats,
    writer::Writer,
    writer_handle::WriterHandle,
};

/// [`SharedJournal`] on PostgreSQL: an acknowledged batch is durable on the server and its synchronous standbys.
///
/// It begins as a reader of what another process appends; [`PostgresJournal::begin_writing`] makes it the writer. Its
/// calls block the calling thread, within an asynchronous runtime too. Dropping it, or [`PostgresJournal::close`], writes
/// all earlier appends, for as long as that takes.
#[derive(Debug)]
pub struct PostgresJournal {
    writer: WriterHandle,
    reader: Reader,
    blocks: Arc<PostgresBlocks>,
    /// Held while commits are read, so that each is passed on once.
    role: Mutex<Role>,
    connector: Arc<Connector>,
    identity: String,
    options: PostgresOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Reads what another process appends.
    Following,
    /// Appends; no other process does.
    Writing,
    /// Was closed.
    Closed,
}

impl PostgresJournal {
    /// Opens the journal at an address; creates its tables if they are missing. Reads only the ends of the streams: the
    /// rest is checked by the [`Journal::replay`] of each stream from its start.
    ///
    /// # Errors
    /// [`OpenError`], whose text is one line with the recommended action. A server that could lose an answered commit is
    /// refused.
    pub fn open(address: &PostgresAddress, options: PostgresOptions) -> Result<Self, OpenError> {
        let connector = Connector::new(address)?;
        let session = connector.connect(Purpose::Read)?;
        let settings = ServerSettings::read(&session).map_err(|error| connector.failed(&error))?;
        if let Err(reason) = settings.check(options.standbys) {
            return Err(DatabaseError::Unsafe { address: connector.address(), reason }.into());
        }
        schema::prepare(&connector, &session)?;
        Self::recover(connector, session, options)
    }

    /// Opens an existing journal, to read it; creates nothing, and does not ask how durable the server is.
    ///
    /// # Errors
    /// [`OpenError`]; [`DatabaseError::Absent`] if there is no journal.
    pub fn open_existing(address: &PostgresAddress, options: PostgresOptions) -> Result<Self, OpenError> {
        let connector = Connector::new(address)?;
        let session = connector.connect(Purpose::Read)?;
        if !schema::exists(&connector, &session)? {
            return Err(DatabaseError::Absent { address: connector.address() }.into());
        }
        Self::recover(connector, session, options)
    }

    fn recover(connector: Arc<Connector>, session: Session, options: PostgresOptions) -> Result<Self, OpenError> {
        let heads = Arc::new(RwLock::new(recover_end(&connector)?));
        let identity = schema::identity(&connector, &session)?;
        let blocks = Arc::new(PostgresBlocks::new(Queries::new(Arc::clone(&connector), session)));
        Ok(Self {
            writer: WriterHandle::default(),
            reader: Reader { source: blocks.clone(), heads },
            blocks,
            role: Mutex::new(Role::Following),
            connector,
            identity,
            options,
        })
    }

    /// The random identity of this journal, which a restored one does not share: positions are comparable only within
    /// one.
    #[must_use]
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// Makes this journal the writer of an epoch that was claimed; from now on batches can be appended.
    ///
    /// # Errors
    /// [`BeginError`]; then nothing has changed.
    pub fn begin_writing(&self, epoch: u64) -> Result<(), BeginError> {
        let mut role = self.role.lock_unpoisoned();
        if *role != Role::Following {
            return Err(BeginError::NotFollowing);
        }
        let session = WritingSession::open(&self.connector, self.options.standbys)?;
        let fence = session.fence(epoch).map_err(|error| self.connector.failed(&error))?;
        let found = match fence.ok_or(BeginError::Cancelled)? {
            Fence::Held(position) => position,
            Fence::Lost => return Err(BeginError::Deposed { epoch }),
        };
        self.check_end(found)?;
        let store = FencedStore::new(Arc::clone(&self.connector), self.options.standbys, epoch, session);
        self.writer.start(Writer {
            store,
            heads: Arc::clone(&self.reader.heads),
            stats: Arc::clone(self.writer.stats()),
            limits: self.options.limits,
            on_failure: Arc::clone(&self.options.on_failure),
        })?;
        *role = Role::Writing;
        Ok(())
    }

    /// Checks that the last commit in the database is the one that was read last.
    fn check_end(&self, found: u64) -> Result<(), BeginError> {
        let heads = self.reader.heads.read_unpoisoned();
        if heads.commit != found {
            return Err(BeginError::OtherPosition { read: heads.commit, found });
        }
        let blocks = commits::blocks_of_commit(self.blocks.queries(), found);
        for of_stream in
            blocks.map_err(|error| BeginError::Read(error.to_string()))?.chunk_by(|a, b| a.key.stream == b.key.stream)
        {
            let Some(last) = of_stream.last() else { continue };
            let block = last.parse().map_err(|problem| BeginError::Read(problem.to_string()))?;
            let end = Head { sequence: block.header.last(), hash: block.hash };
            if last.key.stream.stream().map(|stream| heads.get(stream)) != Some(end) {
                return Err(BeginError::OtherHistory { commit: found });
            }
        }
        Ok(())
    }

    /// The durability of the database's commits as configured now, for a journal that runs.
    ///
    /// # Errors
    /// [`DatabaseError`] if the database does not answer.
    pub fn durability(&self) -> Result<Durability, DatabaseError> {
        self.blocks.queries().durability(self.options.standbys)
    }

    /// The journal's counters.
    #[must_use]
    pub const fn stats(&self) -> &Arc<JournalStats> {
        self.writer.stats()
    }

    /// The address of the database, without its password.
    #[must_use]
    pub fn address(&self) -> String {
        self.connector.address()
    }

    /// Writes all earlier appends and ends the writer; later appends are refused. Blocks until that is done, which is for
    /// ever if the database never answers again: no outcome is made up.
    pub fn close(&self) {
        self.writer.close();
        *self.role.lock_unpoisoned() = Role::Closed;
    }
}

impl Drop for PostgresJournal {
    fn drop(&mut self) {
        if thread::panicking() {
            self.writer.refuse();
        } else {
            self.close();
        }
    }
}

impl Journal for PostgresJournal {
    fn append(&self, batch: Batch) -> Durable {
        self.writer.append(batch)
    }

    fn streams(&self) -> Result<Vec<Stream>, ReplayError> {
        Ok(self.reader.streams())
    }

    fn replay(&self, stream: Stream, after: Sequence, each: &mut dyn FnMut(Recorded)) -> Result<Sequence, ReplayError> {
        self.reader.replay(stream, after, self.reader.head(stream), each)
    }
}

impl SharedJournal for PostgresJournal {
    fn position(&self) -> Position {
        Position(self.reader.heads.read_unpoisoned().commit)
    }

    fn read_commits(&self, each: &mut dyn FnMut(CommittedBatch)) -> Result<Position, ReplayError> {
        let role = self.role.lock_unpoisoned();
        match *role {
            Role::Following => commits::read(&self.blocks, &self.reader.heads, each),
            // A writer has read everything: its own commits are all there are.
            Role::Writing | Role::Closed => Ok(self.position()),
        }
    }
}

impl CommitSource for PostgresJournal {
    fn end(&self) -> Result<u64, ReplayError> {
        let end = commits::position(self.blocks.queries());
        end.map_err(|error| CommitError::Read(error).into_replay_error(&*self.blocks))
    }

    fn feed_after(&self, commit: u64) -> Result<Option<CommitFeed>, ReplayError> {
        if self.end()? < commit { Ok(None) } else { CommitFeed::after(&*self.blocks, commit).map(Some) }
    }

    fn read_feed<E: From<ReplayError>>(
        &self,
        feed: &mut CommitFeed,
        bytes_max: usize,
        each: &mut dyn FnMut(RawCommit) -> Result<(), E>,
    ) -> Result<(), E> {
        let (read, end) = (feed.point().position, self.end()?);
        // Whatever was committed before the position was read is visible to every later query.
        let mut rows = Rows::after(self.blocks.queries(), read);
        feed.pass(&*self.blocks, (read + 1..=end).map(|commit| rows.commit(commit)), bytes_max, each)
    }
}

impl WholeJournal for PostgresJournal {
    fn replay_whole(&self, each: &mut dyn FnMut(Stream, Recorded) -> ControlFlow<()>) -> Result<u64, ReplayError> {
        self.reader.replay_all(each)
    }

    fn read_events(
        &self,
        stream: Stream,
        after: Sequence,
        count: u64,
        each: &mut dyn FnMut(Recorded),
    ) -> Result<(), ReplayError> {
        self.reader.read(stream, after, count, each)
    }
}

/// Finds the end of the journal in one snapshot, and refuses any inconsistency.
fn recover_end(connector: &Arc<Connector>) -> Result<Heads, OpenError> {
    let source = PostgresBlocks::new(Queries::snapshot(Arc::clone(connector))?);
    let failed = |error: ReadError| connector.failed(&error);
    let recorded = commits::position(source.queries()).map_err(failed)?;
    let address = connector.address();
    match find_end(&source).map_err(failed)? {
        End::Clean(heads) if heads.commit == recorded => Ok(heads),
        End::Clean(heads) => Err(DatabaseError::EndsElsewhere { address, recorded, found: heads.commit }.into()),
        // One statement writes a commit, so an incomplete one was damaged later.
        End::Torn { commit, blocks } => match Damage::torn(&source, commit, &blocks) {
            Some(damage) => Err(damage.into()),
            None => Err(DatabaseError::StreamsTruncated { address, commit }.into()),
        },
        End::StreamsTruncated { commit } => Err(DatabaseError::StreamsTruncated { address, commit }.into()),
        End::Broken { broken, .. } if broken.problem.is_newer() => {
            Err(DatabaseError::NewerVersion { address, problem: broken.problem.to_string() }.into())
        }
        End::Broken { stream, broken } => Err(Damage::quarantined(&source, stream, broken).into()),
    }
}
