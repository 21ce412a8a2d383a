//! The counters of the feed.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use crate::duration_histogram::DurationHistogram;

use super::socket_queue::PushOutcome;

/// Counters of all channels.
#[derive(Debug, Default)]
pub(crate) struct FeedCounters {
    pub(crate) frames: AtomicU64,
    pub(crate) deliveries: AtomicU64,
    pub(crate) lagged: AtomicU64,
    pub(crate) subscribers: Arc<AtomicU64>,
    /// The time from the first command of a burst to the publication of its changes.
    pub(crate) publication: DurationHistogram,
}

impl FeedCounters {
    /// Counts a frame and the outcome at each socket.
    pub(crate) fn count(&self, pushed: impl Iterator<Item = PushOutcome>) {
        let (mut deliveries, mut lagged) = (0, 0);
        for outcome in pushed {
            match outcome {
                PushOutcome::Queued => deliveries += 1,
                PushOutcome::Lagged => lagged += 1,
                PushOutcome::Ended => {}
            }
        }
        self.frames.fetch_add(1, Ordering::Relaxed);
        self.deliveries.fetch_add(deliveries, Ordering::Relaxed);
        self.lagged.fetch_add(lagged, Ordering::Relaxed);
    }
}
