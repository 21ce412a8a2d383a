//! The clock port, so that tests control time.

use std::{
    future::Future,
    pin::{Pin, pin},
    sync::{Arc, Mutex},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use domain::UnixMs;
use tokio::sync::Notify;

use crate::locks::MutexExt as _;

/// A future that resolves when a point in time is reached, or earlier: the caller checks the clock again.
pub type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A source of time.
pub trait Clock: Send + Sync + 'static {
    /// The current time.
    fn now(&self) -> UnixMs;

    /// Waits until `at`, or for a shorter while: the caller checks [`Clock::now`] afterwards.
    fn sleep_until(&self, at: UnixMs) -> Sleep;
}

/// The system clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

/// The longest single sleep. Sleeping in pieces detects within a minute that the system clock was set.
const LONGEST_SLEEP_MS: u64 = 60_000;

impl Clock for SystemClock {
    fn now(&self) -> UnixMs {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        UnixMs(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }

    fn sleep_until(&self, at: UnixMs) -> Sleep {
        let wait_ms = at.0.saturating_sub(self.now().0).min(LONGEST_SLEEP_MS);
        Box::pin(tokio::time::sleep(Duration::from_millis(wait_ms)))
    }
}

/// A clock that stands still until it is advanced.
#[derive(Debug)]
pub struct ManualClock {
    now: Arc<Mutex<UnixMs>>,
    /// Wakes sleepers in the order in which they began to wait, so that a run can be repeated.
    moved: Arc<Notify>,
}

impl ManualClock {
    /// Returns a clock that shows `now`.
    #[must_use]
    pub fn new(now: UnixMs) -> Self {
        Self { now: Arc::new(Mutex::new(now)), moved: Arc::default() }
    }

    /// Advances the time.
    pub fn advance_ms(&self, ms: u64) {
        {
            let mut now = self.now.lock_unpoisoned();
            *now = now.plus_ms(ms);
        }
        self.moved.notify_waiters();
    }
}

impl Clock for ManualClock {
    fn now(&self) -> UnixMs {
        *self.now.lock_unpoisoned()
    }

    fn sleep_until(&self, at: UnixMs) -> Sleep {
        let (now, moved) = (Arc::clone(&self.now), Arc::clone(&self.moved));
        Box::pin(async move {
            loop {
                let mut notified = pin!(moved.notified());
                // Enabled before the time is read, so that no advance in between is missed.
                notified.as_mut().enable();
                if *now.lock_unpoisoned() >= at {
                    return;
                }
                notified.await;
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_sleeper_wakes_when_the_manual_clock_reaches_its_time() {
        let clock = ManualClock::new(UnixMs(10));
        let sleep = clock.sleep_until(UnixMs(30));
        clock.advance_ms(10);
        let mut sleep = std::pin::pin!(sleep);
        assert!(tokio::time::timeout(Duration::from_millis(5), &mut sleep).await.is_err());
        clock.advance_ms(10);
        sleep.await;
        assert_eq!(clock.now(), UnixMs(30));
    }

    #[test]
    fn the_system_clock_shows_this_century() {
        assert!(SystemClock.now() > UnixMs(1_700_000_000_000));
    }
}
