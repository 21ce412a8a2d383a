//! The commit waiter for batches outside the books: waits for each batch in the journal's order and then runs its
//! continuation.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use tokio::sync::{mpsc, oneshot};

use crate::{
    FailStop, Refusal,
    journal::{AppendError, Durable, Position},
};

/// The continuation that runs once a batch is durable, or was refused because the journal closed.
type OnDurable = Box<dyn FnOnce(Result<(), Refusal>) + Send>;

enum Job {
    Batch(Durable, OnDurable),
    /// Resolves once everything before it is done.
    Flush(oneshot::Sender<()>),
}

/// A queue of batches on their way to the disk.
#[derive(Clone)]
pub(crate) struct CommitWaiter {
    jobs: mpsc::UnboundedSender<Job>,
    waiting: Arc<AtomicU64>,
    waiting_max: u64,
}

impl CommitWaiter {
    /// Returns a commit waiter and the task that must be run for it.
    pub(crate) fn new(waiting_max: usize, fail_stop: FailStop) -> (Self, impl Future<Output = ()> + Send) {
        let (jobs, mut queue) = mpsc::unbounded_channel();
        let waiting = Arc::new(AtomicU64::new(0));
        let done = Arc::clone(&waiting);
        let run = async move {
            while let Some(job) = queue.recv().await {
                match job {
                    Job::Batch(durable, on_durable) => {
                        on_durable(append_outcome(durable.await.ok(), &fail_stop));
                        done.fetch_sub(1, Ordering::Relaxed);
                    }
                    // A failed send means that the flush is no longer awaited.
                    Job::Flush(done) => drop(done.send(())),
                }
            }
        };
        let waiting_max = u64::try_from(waiting_max).unwrap_or(u64::MAX);
        (Self { jobs, waiting, waiting_max }, run)
    }

    /// The number of batches that are not yet durable.
    pub(crate) fn waiting(&self) -> u64 {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Refuses when too many batches are not yet durable; called before anything is decided.
    pub(crate) fn check_capacity(&self) -> Result<(), Refusal> {
        if self.waiting() < self.waiting_max { Ok(()) } else { Err(Refusal::Overloaded { retry_after_s: 1 }) }
    }

    /// Ensures that `on_durable` runs when a batch has become durable, even if the caller no longer waits for the answer.
    pub(crate) fn run_when_durable(
        &self,
        durable: Durable,
        on_durable: impl FnOnce(Result<(), Refusal>) + Send + 'static,
    ) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        // Fails only when the actor system has stopped, and every caller with it.
        let _ = self.jobs.send(Job::Batch(durable, Box::new(on_durable)));
    }

    /// Waits until everything so far is done.
    pub(crate) async fn flush(&self) {
        let (done, flushed) = oneshot::channel();
        if self.jobs.send(Job::Flush(done)).is_ok() {
            let _ = flushed.await;
        }
    }
}

/// Interprets the journal's answer: anything but a closed journal ends the process. `None` means that the journal
/// dropped the batch without an answer.
pub(crate) fn append_outcome(
    answer: Option<Result<Position, AppendError>>,
    fail_stop: &FailStop,
) -> Result<(), Refusal> {
    match answer {
        Some(Ok(_)) => Ok(()),
        Some(Err(AppendError::Closed)) => Err(Refusal::Closed),
        Some(Err(conflict @ AppendError::Conflict { .. })) => {
            fail_stop.end(&format!("two writers use one journal: {conflict}"));
            Err(Refusal::Closed)
        }
        None => {
            fail_stop.end("the journal's writer has stopped; unconfirmed batches must not be acknowledged");
            Err(Refusal::Closed)
        }
    }
}
