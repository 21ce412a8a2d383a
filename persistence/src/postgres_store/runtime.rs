//! The thread that drives the connections, so that callers can block on it, within another runtime too.

use std::{future::Future, io, sync::mpsc};

use tokio::runtime::{Builder, Runtime};

/// A runtime with one thread of its own. Dropping it never blocks.
#[derive(Debug)]
pub(super) struct DatabaseRuntime(Option<Runtime>);

impl DatabaseRuntime {
    pub(super) fn start() -> io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .max_blocking_threads(2)
            .thread_name("journal-database")
            .enable_all()
            .build()?;
        Ok(Self(Some(runtime)))
    }

    pub(super) fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) {
        if let Some(runtime) = &self.0 {
            drop(runtime.spawn(future));
        }
    }

    /// Blocks the calling thread until `future` has run on the runtime's own; `None` if it panicked.
    pub(super) fn wait<T: Send + 'static>(&self, future: impl Future<Output = T> + Send + 'static) -> Option<T> {
        let (answer, answered) = mpsc::sync_channel(1);
        self.spawn(async move {
            // The caller waits for it.
            let _ = answer.send(future.await);
        });
        answered.recv().ok()
    }
}

impl Drop for DatabaseRuntime {
    fn drop(&mut self) {
        // Within another runtime a plain drop would panic.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}
