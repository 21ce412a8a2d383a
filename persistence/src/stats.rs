//! The metrics of the journal.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use tokio::sync::watch;

/// Counters since the journal was opened. Each is exact; several read together may belong to slightly different
/// moments.
#[derive(Debug, Default)]
pub struct JournalStats {
    commits: AtomicU64,
    events: AtomicU64,
    bytes: AtomicU64,
    conflicts: AtomicU64,
    sync_micros_last: AtomicU64,
    sync_micros_total: AtomicU64,
    batches_queued: AtomicU64,
    position: watch::Sender<u64>,
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

    /// The time all commits together took to reach the device, in microseconds.
    #[must_use]
    pub fn sync_micros_total(&self) -> u64 {
        self.sync_micros_total.load(Ordering::Relaxed)
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

    /// Counts a commit. Called once readers see it.
    pub(crate) fn committed(&self, position: u64, events: u64, bytes: u64, sync: Duration) {
        let micros = u64::try_from(sync.as_micros()).unwrap_or(u64::MAX);
        self.commits.fetch_add(1, Ordering::Relaxed);
        self.events.fetch_add(events, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.sync_micros_last.store(micros, Ordering::Relaxed);
        self.sync_micros_total.fetch_add(micros, Ordering::Relaxed);
        self.position.send_replace(position);
    }
}
