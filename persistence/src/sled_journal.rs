//! The journal on sled.

use std::{
    path::Path,
    sync::{Arc, Mutex, RwLock, mpsc},
    thread,
    time::Instant,
};

use domain::Stream;
use engine::journal::{AppendError, Batch, Durable, Journal, Recorded, ReplayError, Sequence};
use engine::locks::{MutexExt as _, RwLockExt as _};
use tokio::sync::oneshot;

use crate::{
    ack_marker::AckMarker,
    damage::Damage,
    durable_store::SledStore,
    folder::Folder,
    heads::Heads,
    open_error::OpenError,
    options::Options,
    reader::Reader,
    record_key::RecordKey,
    recovery::{End, find_end},
    stats::JournalStats,
    writer::{Request, Writer},
};

/// [`Journal`] on sled: an acknowledged batch is durable on the device.
///
/// Dropping it, or [`SledJournal::close`], writes all earlier appends and releases the folder.
#[derive(Debug)]
pub struct SledJournal {
    /// `None` once the journal is closed.
    queue: RwLock<Option<mpsc::Sender<Request>>>,
    writer: Mutex<Option<thread::JoinHandle<()>>>,
    reader: Reader,
    stats: Arc<JournalStats>,
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
        let heads = recover_end(&folder, &db, acknowledged)?;
        if heads.commit < acknowledged {
            return Err(acknowledged_lost(&folder, &marker, acknowledged, heads.commit));
        }
        Self::start(folder, db, marker, heads, options)
    }

    fn start(
        folder: Folder,
        db: sled::Db,
        marker: AckMarker,
        heads: Heads,
        options: Options,
    ) -> Result<Self, OpenError> {
        let heads = Arc::new(RwLock::new(heads));
        let stats = Arc::<JournalStats>::default();
        let store =
            SledStore::new(db.clone(), &folder.journal(), marker).map_err(|source| folder.not_writable(source))?;
        let writer = Writer {
            store,
            heads: heads.clone(),
            stats: stats.clone(),
            limits: options.limits,
            on_failure: options.on_failure,
        };
        let (queue, requests) = mpsc::channel();
        let builder = thread::Builder::new().name("journal-writer".to_owned());
        let writer = builder.spawn(move || writer.run(&requests)).map_err(|error| folder.io(&error))?;
        Ok(Self {
            queue: RwLock::new(Some(queue)),
            writer: Mutex::new(Some(writer)),
            reader: Reader { db, heads, quarantine: folder.quarantine() },
            stats,
            folder,
        })
    }

    /// The journal's counters.
    #[must_use]
    pub const fn stats(&self) -> &Arc<JournalStats> {
        &self.stats
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
        let mut count = 0;
        for (stream, head) in self.reader.heads().iter() {
            count += self.reader.replay(stream, 0, head, &mut |recorded| each(stream, recorded))?;
        }
        Ok(count)
    }

    /// Writes all earlier appends and ends the writer; later appends are refused. Blocks until that is done.
    pub fn close(&self) {
        drop(self.queue.write_unpoisoned().take());
        let writer = self.writer.lock_unpoisoned().take();
        // A writer that panicked has reported it through the failure action.
        let _ = writer.map(thread::JoinHandle::join);
    }

    pub(crate) const fn reader(&self) -> &Reader {
        &self.reader
    }
}

impl Drop for SledJournal {
    fn drop(&mut self) {
        self.close();
    }
}

impl Journal for SledJournal {
    fn append(&self, batch: Batch) -> Durable {
        let (reply, durable) = oneshot::channel();
        let queue = self.queue.read_unpoisoned();
        self.stats.batch_queued();
        let request = Request { batch, appended_at: Instant::now(), reply };
        let refused = match queue.as_ref() {
            Some(queue) => queue.send(request).err().map(|mpsc::SendError(request)| request),
            None => Some(request),
        };
        if let Some(request) = refused {
            self.stats.batch_answered();
            // The receiver still exists, so this cannot fail.
            let _ = request.reply.send(Err(AppendError::Closed));
        }
        durable
    }

    fn streams(&self) -> Result<Vec<Stream>, ReplayError> {
        Ok(self.reader.streams())
    }

    fn replay(&self, stream: Stream, after: Sequence, each: &mut dyn FnMut(Recorded)) -> Result<Sequence, ReplayError> {
        self.reader.replay(stream, after, self.reader.head(stream), each)
    }
}

/// Finds the end of the journal, cuts an unacknowledged incomplete commit, and refuses any other inconsistency.
fn recover_end(folder: &Folder, db: &sled::Db, acknowledged: u64) -> Result<Heads, OpenError> {
    let mut end = find_end(db).map_err(|error| folder.storage(&error))?;
    if let End::Torn { commit, blocks } = end {
        if commit <= acknowledged {
            return Err(torn(folder, db, commit, &blocks));
        }
        tracing::warn!(
            position = commit,
            blocks = blocks.len(),
            "cutting the last commit, which was never acknowledged: it is incomplete"
        );
        cut(folder, db, &blocks)?;
        end = match find_end(db).map_err(|error| folder.storage(&error))? {
            // Commits are numbered without gaps.
            End::Clean(heads) if heads.commit + 1 != commit => End::StreamsTruncated { commit: heads.commit },
            end => end,
        };
    }
    match end {
        End::Clean(heads) => Ok(heads),
        End::Torn { commit, blocks } => Err(torn(folder, db, commit, &blocks)),
        End::StreamsTruncated { commit } => Err(OpenError::StreamsTruncated { path: folder.path().to_owned(), commit }),
        End::Broken { broken, .. } if broken.problem.is_newer() => {
            Err(OpenError::NewerVersion { path: folder.path().to_owned(), problem: broken.problem.to_string() })
        }
        End::Broken { stream, broken } => Err(Damage::quarantined(db, &folder.quarantine(), stream, broken).into()),
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

fn torn(folder: &Folder, db: &sled::Db, commit: u64, blocks: &[RecordKey]) -> OpenError {
    match Damage::torn(db, &folder.quarantine(), commit, blocks) {
        Some(damage) => damage.into(),
        None => OpenError::StreamsTruncated { path: folder.path().to_owned(), commit },
    }
}

fn cut(folder: &Folder, db: &sled::Db, blocks: &[RecordKey]) -> Result<(), OpenError> {
    let mut batch = sled::Batch::default();
    for block in blocks {
        let (from, to) = (block.to_bytes(), RecordKey { part: u16::MAX, ..*block }.to_bytes());
        for key in db.range(from..=to).keys() {
            batch.remove(key.map_err(|error| folder.storage(&error))?);
        }
    }
    db.apply_batch(batch).map_err(|error| folder.storage(&error))?;
    db.flush().map_err(|error| folder.storage(&error))?;
    let file = std::fs::File::open(folder.journal().join("db"));
    file.and_then(|file| file.sync_data()).map_err(|error| folder.io(&error))
}
