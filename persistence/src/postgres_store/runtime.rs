//! The runtimes that drive the connections, so that callers can block on them, within another runtime too.

use std::{future::Future, io, sync::mpsc, thread};

use tokio::runtime::{Builder, Handle, Runtime};

/// A runtime for connections. Dropping it never blocks.
#[derive(Debug)]
pub(super) struct DatabaseRuntime {
    /// `None` while it is dropped.
    runtime: Option<Runtime>,
    driver: Driver,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Driver {
    /// A thread of the runtime's own.
    Thread,
    /// The thread that waits.
    Waiting,
}

impl DatabaseRuntime {
    /// A runtime with a thread of its own, for connections that several threads use.
    pub(super) fn with_thread() -> io::Result<Self> {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(1).thread_name("journal-database");
        Self::build(&mut builder, Driver::Thread)
    }

    /// A runtime without a thread, for the connection of one thread: a statement then costs no change of threads, and
    /// between statements nothing is read from the connection.
    pub(super) fn of_one_thread() -> io::Result<Self> {
        Self::build(&mut Builder::new_current_thread(), Driver::Waiting)
    }

    fn build(builder: &mut Builder, driver: Driver) -> io::Result<Self> {
        let runtime = builder.max_blocking_threads(2).enable_all().build()?;
        Ok(Self { runtime: Some(runtime), driver })
    }

    pub(super) fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) {
        if let Some(runtime) = &self.runtime {
            drop(runtime.spawn(future));
        }
    }

    /// Blocks the calling thread until `future` has run; `None` if it panicked on another thread.
    pub(super) fn wait<T: Send + 'static>(&self, future: impl Future<Output = T> + Send + 'static) -> Option<T> {
        let runtime = self.runtime.as_ref()?;
        match self.driver {
            Driver::Thread => {
                let (answer, answered) = mpsc::sync_channel(1);
                self.spawn(async move {
                    // The caller waits for it.
                    let _ = answer.send(future.await);
                });
                answered.recv().ok()
            }
            // Within another runtime, this thread must not drive one.
            Driver::Waiting if Handle::try_current().is_ok() => {
                thread::scope(|scope| scope.spawn(|| runtime.block_on(future)).join().ok())
            }
            Driver::Waiting => Some(runtime.block_on(future)),
        }
    }
}

impl Drop for DatabaseRuntime {
    fn drop(&mut self) {
        // Within another runtime a plain drop would panic.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
