//! The pace of the market as a whole.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Hands out moments that lie at least a gap apart.
#[derive(Debug)]
pub(crate) struct Throttle {
    gap: Duration,
    next: Mutex<Option<Instant>>,
}

impl Throttle {
    /// Moments at least `gap_ms` apart.
    pub(crate) const fn new(gap_ms: u64) -> Self {
        Self { gap: Duration::from_millis(gap_ms), next: Mutex::new(None) }
    }

    /// Waits for the next free moment.
    pub(crate) async fn turn(&self) {
        let at = {
            let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
            let now = Instant::now();
            let at = next.map_or(now, |next| next.max(now));
            *next = Some(at + self.gap);
            at
        };
        tokio::time::sleep_until(at).await;
    }

    /// Takes this moment, if it is free.
    pub(crate) fn try_turn(&self) -> bool {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
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
    async fn turns_are_a_gap_apart_and_a_pause_saves_none_up() {
        let throttle = Throttle::new(100);
        let start = Instant::now();
        for _ in 0..3 {
            throttle.turn().await;
        }
        assert_eq!(start.elapsed(), Duration::from_millis(200));
        tokio::time::sleep(Duration::from_secs(10)).await;
        let later = Instant::now();
        for _ in 0..3 {
            throttle.turn().await;
        }
        assert_eq!(later.elapsed(), Duration::from_millis(200));
    }
    #[tokio::test(start_paused = true)]
    async fn a_moment_is_taken_once() {
        let throttle = Throttle::new(100);
        assert_eq!((throttle.try_turn(), throttle.try_turn()), (true, false));
        tokio::time::sleep(Duration::from_millis(99)).await;
        assert!(!throttle.try_turn());
        tokio::time::sleep(Duration::from_millis(1)).await;
        assert!(throttle.try_turn());
    }
}
