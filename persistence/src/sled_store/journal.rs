//! The journal on sled.

use std::{
    ops::ControlFlow,
    path::Path,
    sync::{Arc, OnceLock, RwLock},
};

use domain::Stream;
use engine::journal::{Batch, Durable, Journal, Recorded, ReplayError, Sequence};
use engine::locks::RwLockExt as _;

use crate::{
    block_key::BlockKey,
    commit_feed::{CommitFeed, CommitSource, read_origin},
    commit_merge::CommitMerge,
    damage::Damage,
    export::WholeJournal,
    heads::Heads,
    journal_point::StateDigest,
    open_error::OpenError,
    options::Options,
    raw_commit::RawCommit,
    reader::Reader,
    recovery::{End, find_end},
    stats::JournalStats,
    writer::Writer,
    writer_handle::WriterHandle,
};

use super::{ack_marker::AckMarker, blocks::SledBlocks, folder::Folder, record_key::RecordKey, store::SledStore};

/// [`Journal`] on sled: an acknowledged batch is durable on the device.
///
/// Dropping it, or [`SledJournal::close`], writes all earlier appends and releases the folder.
#[derive(Debug)]
pub struct SledJournal {
    writer: WriterHandle,
    reader: Reader,
    /// The identity of the journal, once it was read: that takes the first block of every stream.
    origin: OnceLock<StateDigest>,
    /// Dropped last: no other process may open the folder before sled has released it.
    folder: Folder,
}

impl SledJournal {
    /// Opens the journal in the data folder `path`; creates both if they are missing.
    ///
    /// Reads only the ends of the streams: the rest is checked by the [`Journal::replay`] of each stream from its
    /// start, which every start of the engine does anyway. An incomplete last commit was never acknowledged and is cut.
    ///
    /// # Errors
    /// [`OpenError`], whose text is one line with the recommended action.
    pub fn open(path: impl AsRef<Path>, options: Options) -> Result<Self, OpenError> {
        let folder = Folder::acquire(path.as_ref())?;
        let mut marker = folder.ack_marker()?;
        let acknowledged = marker.get().map_err(|source| folder.not_writable(source))?;
        if !folder.has_journal() {
            if acknowledged > 0 {
                return Err(acknowledged_lost(&folder, &marker, acknowledged, 0));
            }
            folder.create(options.cache_bytes, |_db| Ok::<_, OpenError>(()))?;
        }
        let db = folder.open(options.cache_bytes)?;
        let blocks = SledBlocks { db, quarantine: folder.quarantine() };
        let heads = recover_end(&folder, &blocks, acknowledged)?;
        if heads.commit < acknowledged {
            return Err(acknowledged_lost(&folder, &marker, acknowledged, heads.commit));
        }
        Self::start(folder, blocks, marker, heads, options)
    }

    fn start(
        folder: Folder,
        blocks: SledBlocks,
        marker: AckMarker,
        heads: Heads,
        options: Options,
    ) -> Result<Self, OpenError> {
        let heads = Arc::new(RwLock::new(heads));
        let handle = WriterHandle::default();
        let store = SledStore::new(blocks.db.clone(), &folder.journal(), marker)
            .map_err(|source| folder.not_writable(source))?;
        let writer = Writer {
            store,
            heads: heads.clone(),
            stats: handle.stats().clone(),
            limits: options.limits,
            on_failure: options.on_failure,
        };
        handle.start(writer).map_err(|error| folder.io(&error))?;
        Ok(Self { writer: handle, reader: Reader { source: Arc::new(blocks), heads }, origin: OnceLock::new(), folder })
    }

    /// The journal's counters.
    #[must_use]
    pub const fn stats(&self) -> &Arc<JournalStats> {
        self.writer.stats()
    }

    /// The data folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Passes every durable event of every stream to `each`, stream by stream in order, with all checks; returns their
    /// number.
    ///
    /// # Errors
    /// [`ReplayError`]; the events passed before it are valid.
    pub fn replay_all(&self, mut each: impl FnMut(Stream, Recorded)) -> Result<u64, ReplayError> {
        self.reader.replay_all(&mut |stream, recorded| {
            each(stream, recorded);
            ControlFlow::Continue(())
        })
    }

    /// Writes all earlier appends and ends the writer; later appends are refused. Blocks until that is done.
    pub fn close(&self) {
        self.writer.close();
    }
}

impl Drop for SledJournal {
    fn drop(&mut self) {
        self.close();
    }
}

impl WholeJournal for SledJournal {
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

impl CommitSource for SledJournal {
    fn end(&self) -> Result<u64, ReplayError> {
        Ok(self.reader.heads.read_unpoisoned().commit)
    }

    fn feed_after(&self, commit: u64) -> Result<Option<CommitFeed>, ReplayError> {
        if self.end()? < commit { Ok(None) } else { CommitFeed::after(&*self.reader.source, commit).map(Some) }
    }

    fn read_feed<E: From<ReplayError>>(
        &self,
        feed: &mut CommitFeed,
        bytes_max: usize,
        each: &mut dyn FnMut(RawCommit) -> Result<(), E>,
    ) -> Result<(), E> {
        let source = &*self.reader.source;
        let grown = self.reader.heads.read_unpoisoned().grown_since(feed.heads());
        feed.pass(source, CommitMerge::new(source, &grown), bytes_max, each)
    }

    fn origin(&self) -> Result<Option<StateDigest>, ReplayError> {
        if let Some(origin) = self.origin.get() {
            return Ok(Some(*origin));
        }
        let origin = read_origin(self)?;
        Ok(origin.map(|origin| *self.origin.get_or_init(|| origin)))
    }
}

impl Journal for SledJournal {
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

/// Finds the end of the journal, cuts an unacknowledged incomplete commit, and refuses any other inconsistency.
fn recover_end(folder: &Folder, source: &SledBlocks, acknowledged: u64) -> Result<Heads, OpenError> {
    let mut end = find_end(source).map_err(|error| folder.unreadable(error))?;
    if let End::Torn { commit, blocks } = end {
        if commit <= acknowledged {
            return Err(torn(folder, source, commit, &blocks));
        }
        tracing::warn!(
            position = commit,
            blocks = blocks.len(),
            "cutting the last commit, which was never acknowledged: it is incomplete"
        );
        cut(folder, &source.db, &blocks)?;
        end = match find_end(source).map_err(|error| folder.unreadable(error))? {
            // Commits are numbered without gaps.
            End::Clean(heads) if heads.commit + 1 != commit => End::StreamsTruncated { commit: heads.commit },
            end => end,
        };
    }
    match end {
        End::Clean(heads) => Ok(heads),
        End::Torn { commit, blocks } => Err(torn(folder, source, commit, &blocks)),
        End::StreamsTruncated { commit } => Err(OpenError::StreamsTruncated { path: folder.path().to_owned(), commit }),
        End::Broken { broken, .. } if broken.problem.is_newer() => {
            Err(OpenError::NewerVersion { path: folder.path().to_owned(), problem: broken.problem.to_string() })
        }
        End::Broken { stream, broken } => Err(Damage::quarantined(source, stream, broken).into()),
    }
}

fn acknowledged_lost(folder: &Folder, marker: &AckMarker, acknowledged: u64, found: u64) -> OpenError {
    OpenError::AcknowledgedLost {
        path: folder.path().to_owned(),
        marker: marker.path().to_owned(),
        acknowledged,
        found,
    }
}

fn torn(folder: &Folder, source: &SledBlocks, commit: u64, blocks: &[BlockKey]) -> OpenError {
    match Damage::torn(source, commit, blocks) {
        Some(damage) => damage.into(),
        None => OpenError::StreamsTruncated { path: folder.path().to_owned(), commit },
    }
}

fn cut(folder: &Folder, db: &sled::Db, blocks: &[BlockKey]) -> Result<(), OpenError> {
    let mut batch = sled::Batch::default();
    for block in blocks {
        let first = RecordKey::block(block.stream, block.first);
        let (from, to) = (first.to_bytes(), RecordKey { part: u16::MAX, ..first }.to_bytes());
        for key in db.range(from..=to).keys() {
            batch.remove(key.map_err(|error| folder.storage(&error))?);
        }
    }
    db.apply_batch(batch).map_err(|error| folder.storage(&error))?;
    db.flush().map_err(|error| folder.storage(&error))?;
    let file = std::fs::File::open(folder.journal().join("db"));
    file.and_then(|file| file.sync_data()).map_err(|error| folder.io(&error))
}
