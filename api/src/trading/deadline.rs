//! The time until which the next heartbeat of a connection must arrive.

use std::sync::Mutex;
use std::time::Duration;

use engine::locks::MutexExt as _;
use tokio::time::{Instant, sleep_until};

/// The deadline of a connection; none until its client sets one.
#[derive(Debug, Default)]
pub(super) struct Deadline(Mutex<Option<(Duration, Instant)>>);

impl Deadline {
    /// Sets the time between heartbeats, and begins it.
    pub(super) fn set(&self, seconds: u16) {
        let interval = Duration::from_secs(u64::from(seconds));
        *self.0.lock_unpoisoned() = Some((interval, Instant::now() + interval));
    }

    /// Begins the time anew, if one is set.
    pub(super) fn beat(&self) {
        if let Some((interval, deadline)) = &mut *self.0.lock_unpoisoned() {
            *deadline = Instant::now() + *interval;
        }
    }

    /// Returns the time in seconds between heartbeats.
    pub(super) fn seconds(&self) -> Option<u16> {
        let interval = self.0.lock_unpoisoned().map(|(interval, _)| interval.as_secs());
        interval.and_then(|seconds| u16::try_from(seconds).ok())
    }

    /// Resolves when the time is over; never while none is set.
    pub(super) async fn passed(&self) {
        loop {
            let deadline = self.0.lock_unpoisoned().map(|(_, deadline)| deadline);
            match deadline {
                Some(deadline) if deadline <= Instant::now() => return,
                Some(deadline) => sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn each_heartbeat_begins_the_time_anew() {
        let deadline = Deadline::default();
        deadline.beat();
        assert_eq!(deadline.seconds(), None);
        deadline.set(10);
        let began = Instant::now();
        let beats = async {
            for _ in 0..3 {
                tokio::time::sleep(Duration::from_secs(9)).await;
                deadline.beat();
            }
        };
        tokio::join!(beats, deadline.passed());
        assert_eq!((began.elapsed(), deadline.seconds()), (Duration::from_secs(37), Some(10)));
    }
}
