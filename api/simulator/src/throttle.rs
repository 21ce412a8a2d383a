//! The rate limit of the market as a whole.

use std::sync::Mutex;
use std::time::Duration;

use engine::locks::MutexExt as _;
use tokio::time::Instant;

/// A rate limiter whose turns are at least a gap apart.
#[derive(Debug)]
pub(crate) struct Throttle {
    gap: Duration,
    next: Mutex<Option<Instant>>,
}

impl Throttle {
    /// Returns a limiter with turns at least `gap_ms` apart.
    pub(crate) const fn new(gap_ms: u64) -> Self {
        Self { gap: Duration::from_millis(gap_ms), next: Mutex::new(None) }
    }

    /// Waits for the next free turn.
    pub(crate) async fn acquire(&self) {
        let at = {
            let mut next = self.next.lock_unpoisoned();
            let now = Instant::now();
            let at = next.map_or(now, |next| next.max(now));
            *next = Some(at + self.gap);
            at
        };
        tokio::time::sleep_until(at).await;
    }

    /// Takes a turn now, if one is free; returns whether it did.
    pub(crate) fn try_acquire(&self) -> bool {
        let mut next = self.next.lock_unpoisoned();
        let now = Instant::now();
        let is_free = next.is_none_or(|next| next <= now);
        if is_free {
            *next = Some(now + self.gap);
        }
        is_free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn turns_are_a_gap_apart_and_do_not_accumulate_in_a_pause() {
        let throttle = Throttle::new(100);
        let start = Instant::now();
        for _ in 0..3 {
            throttle.acquire().await;
        }
        assert_eq!(start.elapsed(), Duration::from_millis(200));
        tokio::time::sleep(Duration::from_secs(10)).await;
        let later = Instant::now();
        for _ in 0..3 {
            throttle.acquire().await;
        }
        assert_eq!(later.elapsed(), Duration::from_millis(200));
    }
    #[tokio::test(start_paused = true)]
    async fn a_turn_is_taken_once() {
        let throttle = Throttle::new(100);
        assert_eq!((throttle.try_acquire(), throttle.try_acquire()), (true, false));
        tokio::time::sleep(Duration::from_millis(99)).await;
        assert!(!throttle.try_acquire());
        tokio::time::sleep(Duration::from_millis(1)).await;
        assert!(throttle.try_acquire());
    }
}
