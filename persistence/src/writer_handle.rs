//! The queue in front of the writer thread.

use std::{
    io,
    sync::{Arc, Mutex, RwLock, mpsc},
    thread,
    time::Instant,
};

use engine::journal::{AppendError, Batch, Durable};
use engine::locks::{MutexExt as _, RwLockExt as _};
use tokio::sync::oneshot;

use crate::{
    durable_store::DurableStore,
    stats::JournalStats,
    writer::{Request, Writer},
};

/// A journal's writer thread, or its absence: then every append is refused as [`AppendError::Closed`].
#[derive(Debug, Default)]
pub(crate) struct WriterHandle {
    /// `None` before the start and once the journal is closed.
    queue: RwLock<Option<mpsc::Sender<Request>>>,
    thread: Mutex<Option<thread::JoinHandle<()>>>,
    stats: Arc<JournalStats>,
}

impl WriterHandle {
    pub(crate) const fn stats(&self) -> &Arc<JournalStats> {
        &self.stats
    }

    /// Starts the thread. It ends when the journal is closed or its store fails.
    pub(crate) fn start(&self, writer: Writer<impl DurableStore>) -> io::Result<()> {
        let (queue, requests) = mpsc::channel();
        let builder = thread::Builder::new().name("journal-writer".to_owned());
        *self.thread.lock_unpoisoned() = Some(builder.spawn(move || writer.run(&requests))?);
        *self.queue.write_unpoisoned() = Some(queue);
        Ok(())
    }

    pub(crate) fn append(&self, batch: Batch) -> Durable {
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

    /// Refuses later appends, writes all earlier ones and ends the thread. Blocks until that is done.
    pub(crate) fn close(&self) {
        self.refuse();
        let thread = self.thread.lock_unpoisoned().take();
        // A writer that panicked has reported it through the failure action.
        let _ = thread.map(thread::JoinHandle::join);
    }

    /// Refuses later appends. The thread writes all earlier ones and ends.
    pub(crate) fn refuse(&self) {
        drop(self.queue.write_unpoisoned().take());
    }
}
