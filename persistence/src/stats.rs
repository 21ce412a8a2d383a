//! The metrics of the journal.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use engine::duration_histogram::{DurationCounts, DurationHistogram};
use tokio::sync::watch;

/// Counters since the journal was opened. Each is exact; several read together may belong to slightly different
/// moments.
#[derive(Debug)]
pub struct JournalStats {
    opened_at: Instant,
    commits: AtomicU64,
    events: AtomicU64,
    bytes: AtomicU64,
    conflicts: AtomicU64,
    sync_micros_last: AtomicU64,
    commit_times: DurationHistogram,
    sync_times: DurationHistogram,
    batches_queued: AtomicU64,
    position: watch::Sender<u64>,
    /// The time at which the oldest batch that is not durable was appended, in microseconds after the opening and from
    /// 1; 0 without such a batch.
    oldest_pending: AtomicU64,
}

impl Default for JournalStats {
    fn default() -> Self {
        Self {
            opened_at: Instant::now(),
            commits: AtomicU64::default(),
            events: AtomicU64::default(),
            bytes: AtomicU64::default(),
            conflicts: AtomicU64::default(),
            sync_micros_last: AtomicU64::default(),
            commit_times: DurationHistogram::default(),
            sync_times: DurationHistogram::default(),
            batches_queued: AtomicU64::default(),
            position: watch::Sender::default(),
            oldest_pending: AtomicU64::default(),
        }
    }
}

impl JournalStats {
    /// Commits made durable; many batches share one.
    #[must_use]
    pub fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }

    /// Events made durable.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.events.load(Ordering::Relaxed)
    }

    /// Bytes of blocks made durable, before sled's own overhead.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Batches refused because another append had come first.
    #[must_use]
    pub fn conflicts(&self) -> u64 {
        self.conflicts.load(Ordering::Relaxed)
    }

    /// The time the latest commit took to reach the device, in microseconds.
    #[must_use]
    pub fn sync_micros_last(&self) -> u64 {
        self.sync_micros_last.load(Ordering::Relaxed)
    }

    /// The times that commits took to be written, synced and acknowledged.
    #[must_use]
    pub fn commit_times(&self) -> DurationCounts {
        self.commit_times.read()
    }

    /// The times until a written commit was durable: on the device, or in the database and on its synchronous standbys.
    #[must_use]
    pub fn sync_times(&self) -> DurationCounts {
        self.sync_times.read()
    }

    /// The age of the oldest batch that was appended and is not durable; zero without any.
    #[must_use]
    pub fn oldest_pending(&self) -> Duration {
        match self.oldest_pending.load(Ordering::Relaxed).checked_sub(1) {
            Some(since) => self.opened_at.elapsed().saturating_sub(Duration::from_micros(since)),
            None => Duration::ZERO,
        }
    }

    /// Batches appended and not yet answered.
    #[must_use]
    pub fn batches_queued(&self) -> u64 {
        self.batches_queued.load(Ordering::Relaxed)
    }

    /// The position of the latest commit that this process has made durable, as it changes; 0 before the first.
    #[must_use]
    pub fn committed_position(&self) -> watch::Receiver<u64> {
        self.position.subscribe()
    }

    pub(crate) fn batch_queued(&self) {
        self.batches_queued.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn batch_answered(&self) {
        self.batches_queued.fetch_sub(1, Ordering::Relaxed);
    }

    pub(crate) fn batch_refused(&self) {
        self.conflicts.fetch_add(1, Ordering::Relaxed);
    }

    /// Records that a commit begins, whose first batch was appended at `since`. Batches become durable in the order of
    /// their appends, so no older one is pending.
    pub(crate) fn commit_began(&self, since: Instant) {
        let since = since.saturating_duration_since(self.opened_at);
        self.oldest_pending.store(micros(since).saturating_add(1), Ordering::Relaxed);
    }

    /// Records that the commit has ended.
    pub(crate) fn commit_ended(&self) {
        self.oldest_pending.store(0, Ordering::Relaxed);
    }

    pub(crate) fn synced(&self, took: Duration) {
        self.sync_times.observe(took);
    }

    /// Counts a commit. Called once readers see it.
    pub(crate) fn committed(&self, position: u64, events: u64, bytes: u64, took: Duration) {
        self.commits.fetch_add(1, Ordering::Relaxed);
        self.events.fetch_add(events, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.sync_micros_last.store(micros(took), Ordering::Relaxed);
        self.commit_times.observe(took);
        self.position.send_replace(position);
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
