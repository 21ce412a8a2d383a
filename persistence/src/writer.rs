//! The durable journal writer: one thread that gathers, commits and syncs before it answers.

use std::{
    sync::{
        Arc, RwLock,
        mpsc::{Receiver, TryRecvError},
    },
    thread,
    time::Instant,
};

use engine::journal::{AppendError, Batch, Position};
use engine::locks::RwLockExt as _;
use tokio::sync::oneshot;

use crate::{
    commit_builder::{Commit, CommitBuilder},
    durable_store::{DurableStore, StoreError},
    heads::Heads,
    options::{CommitLimits, FailureAction},
    stats::JournalStats,
};

/// A batch and the sender of its answer.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) batch: Batch,
    pub(crate) appended_at: Instant,
    pub(crate) reply: oneshot::Sender<Result<Position, AppendError>>,
}

/// The state of the writer thread.
pub(crate) struct Writer<P> {
    pub(crate) store: P,
    /// The durable heads. Only the writer changes them, and only after a sync.
    pub(crate) heads: Arc<RwLock<Heads>>,
    pub(crate) stats: Arc<JournalStats>,
    pub(crate) limits: CommitLimits,
    pub(crate) on_failure: FailureAction,
}

/// Batches of one commit with their verdicts, in the order of the appends.
type PendingReplies = Vec<(Request, Result<(), AppendError>)>;

impl<P: DurableStore> Writer<P> {
    /// Writes until every sender of `queue` is dropped, or the storage fails.
    pub(crate) fn run(mut self, queue: &Receiver<Request>) {
        let _panics_are_failures = FailOnPanic(self.on_failure.clone());
        while let Ok(first) = queue.recv() {
            let mut pending = PendingReplies::new();
            self.stats.commit_began(first.appended_at);
            match self.commit(first, queue, &mut pending) {
                Ok(commit) => {
                    self.stats.commit_ended();
                    self.answer(pending, commit);
                }
                Err(error) => {
                    // Pending appends are never answered: the state on the device is unknown now.
                    (self.on_failure)(&error.to_string());
                    return;
                }
            }
        }
        if let Err(error) = self.store.close() {
            (self.on_failure)(&error.to_string());
        }
    }

    /// Gathers the queued batches and makes them durable. Returns the commit's number.
    fn commit(
        &mut self,
        first: Request,
        queue: &Receiver<Request>,
        pending: &mut PendingReplies,
    ) -> Result<u64, StoreError> {
        let failed = |error| StoreError::new("cannot build a commit", error);
        let heads = self.heads.read_unpoisoned();
        let mut builder = CommitBuilder::new(&heads, self.limits);
        let mut next = Ok(first);
        while let Ok(request) = next {
            let verdict = builder.accept(&request.batch).map_err(failed)?;
            pending.push((request, verdict));
            next = if builder.is_full() { Err(TryRecvError::Empty) } else { queue.try_recv() };
        }
        let sealed = builder.seal().map_err(failed)?;
        let before = heads.commit;
        drop(heads);
        let Some(commit) = sealed else { return Ok(before) };
        let number = commit.number;
        self.persist(commit)?;
        Ok(number)
    }

    fn persist(&mut self, commit: Commit) -> Result<(), StoreError> {
        let started_at = Instant::now();
        self.store.write(commit.number, commit.blocks)?;
        let sync_began_at = Instant::now();
        self.store.flush()?;
        self.store.sync()?;
        self.stats.synced(sync_began_at.elapsed());
        self.store.mark_acknowledged(commit.number)?;
        let took = started_at.elapsed();
        self.heads.write_unpoisoned().advance(commit.number, commit.heads);
        self.stats.committed(commit.number, commit.events, commit.bytes, took);
        Ok(())
    }

    fn answer(&self, waiting: PendingReplies, commit: u64) {
        for (request, verdict) in waiting {
            self.stats.batch_answered();
            if verdict.is_err() {
                self.stats.batch_refused();
            }
            // The caller may have stopped waiting; the batch is durable nevertheless.
            let _ = request.reply.send(verdict.map(|()| Position(commit)));
        }
    }
}

/// Treats a panic of the writer like any other failure, so that no process keeps running without writing.
struct FailOnPanic(FailureAction);

impl Drop for FailOnPanic {
    fn drop(&mut self) {
        if thread::panicking() {
            (self.0)("the journal's writer has panicked");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, mpsc};
    use std::time::Duration;

    use domain::{Event, Sats, Stream, UnixMs, UserId, VaultEvent};
    use engine::journal::{Append, Sequence};
    use tokio::sync::oneshot::error::TryRecvError as Unanswered;

    use super::*;
    use crate::commit_builder::SealedBlock;

    const VAULT: Stream = Stream::Vault(UserId(1));

    /// The steps of the store and the answers between them, in order.
    type Log = Arc<Mutex<Vec<String>>>;

    /// A store that fails, or panics, at one step of one commit.
    struct FaultyStore {
        log: Log,
        fails_at: Option<(u64, &'static str)>,
        panics: bool,
        commit: u64,
    }

    impl FaultyStore {
        fn step(&self, name: &'static str) -> Result<(), StoreError> {
            self.log.lock().unwrap().push(format!("{name} {}", self.commit));
            if self.fails_at != Some((self.commit, name)) {
                return Ok(());
            }
            assert!(!self.panics, "the store panics on purpose");
            Err(StoreError::new("cannot write", format!("{name} failed")))
        }
    }

    impl DurableStore for FaultyStore {
        fn write(&mut self, commit: u64, _blocks: Vec<SealedBlock>) -> Result<(), StoreError> {
            self.commit += 1;
            assert_eq!(commit, self.commit);
            self.step("write")
        }

        fn flush(&mut self) -> Result<(), StoreError> {
            self.step("flush")
        }

        fn sync(&mut self) -> Result<(), StoreError> {
            self.step("sync")
        }

        fn mark_acknowledged(&mut self, commit: u64) -> Result<(), StoreError> {
            assert_eq!(commit, self.commit);
            self.step("acknowledge")
        }

        fn close(&mut self) -> Result<(), StoreError> {
            self.step("close")
        }
    }

    struct Harness {
        log: Log,
        stats: Arc<JournalStats>,
        queue: mpsc::Sender<Request>,
        heads: Arc<RwLock<Heads>>,
        thread: thread::JoinHandle<()>,
    }

    fn harness(fails_at: Option<(u64, &'static str)>, panics: bool) -> Harness {
        let log = Log::default();
        let (queue, requests) = mpsc::channel();
        let heads = Arc::<RwLock<Heads>>::default();
        let failures = log.clone();
        let stats = Arc::<JournalStats>::default();
        let writer = Writer {
            store: FaultyStore { log: log.clone(), fails_at, panics, commit: 0 },
            heads: heads.clone(),
            stats: stats.clone(),
            // One batch per commit, so that the test knows which batch fails.
            limits: CommitLimits { commit_events_max: 1, ..CommitLimits::default() },
            on_failure: Arc::new(move |line| failures.lock().unwrap().push(line.to_owned())),
        };
        let thread = thread::spawn(move || writer.run(&requests));
        Harness { log, stats, queue, heads, thread }
    }

    fn append(queue: &mpsc::Sender<Request>, after: Sequence) -> oneshot::Receiver<Result<Position, AppendError>> {
        let (reply, durable) = oneshot::channel();
        let events = vec![Event::Vault(VaultEvent::Credited { amount: Sats::new(1) })];
        let batch = Batch { at: UnixMs(1), appends: vec![Append { stream: VAULT, after, events }] };
        // Refused once the writer has ended, like the journal's own append.
        let _ = queue.send(Request { batch, appended_at: Instant::now(), reply });
        durable
    }

    #[test]
    fn the_device_is_synced_before_a_batch_is_acknowledged() {
        let harness = harness(None, false);
        assert_eq!(append(&harness.queue, 0).blocking_recv().unwrap(), Ok(Position(1)));
        harness.log.lock().unwrap().push("answered 1".to_owned());
        let refused = append(&harness.queue, 0).blocking_recv().unwrap();
        assert_eq!(refused, Err(AppendError::Conflict { stream: VAULT, expected: 0, actual: 1 }));
        assert_eq!(append(&harness.queue, 1).blocking_recv().unwrap(), Ok(Position(2)));
        drop(harness.queue);
        harness.thread.join().unwrap();
        let stats = &harness.stats;
        assert_eq!((stats.commit_times().count, stats.sync_times().count), (2, 2));
        assert!(stats.sync_times().sum <= stats.commit_times().sum);
        assert_eq!(stats.oldest_pending(), Duration::ZERO, "everything is durable");
        let log = harness.log.lock().unwrap();
        let steps = [
            "write 1",
            "flush 1",
            "sync 1",
            "acknowledge 1",
            "answered 1",
            "write 2",
            "flush 2",
            "sync 2",
            "acknowledge 2",
            "close 2",
        ];
        assert_eq!(*log, steps);
    }

    #[test]
    fn after_any_failed_step_nothing_is_acknowledged_and_nothing_is_written() {
        for step in ["write", "flush", "sync", "acknowledge"] {
            for panics in [false, true] {
                let harness = harness(Some((2, step)), panics);
                assert_eq!(append(&harness.queue, 0).blocking_recv().unwrap(), Ok(Position(1)));
                let mut later: Vec<_> = (1..10).map(|after| append(&harness.queue, after)).collect();
                let panicked = harness.thread.join().is_err();
                assert!(harness.stats.oldest_pending() > Duration::ZERO, "a batch waits for ever");
                assert_eq!(panicked, panics);
                drop(harness.queue);
                for durable in &mut later {
                    assert_eq!(durable.try_recv(), Err(Unanswered::Closed), "acknowledged after a failed {step}");
                }
                let log = harness.log.lock().unwrap();
                let line =
                    if panics { "the journal's writer has panicked" } else { &format!("cannot write: {step} failed") };
                assert_eq!(log.iter().filter(|entry| entry.starts_with("write")).count(), 2, "{log:?}");
                assert_eq!(log.last().unwrap(), line);
                assert_eq!(harness.heads.read().unwrap().get(VAULT).sequence, 1, "readers see only what is durable");
            }
        }
    }
}
