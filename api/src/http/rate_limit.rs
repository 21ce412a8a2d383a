//! Token buckets: rate limits per client.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Mutex;

use domain::UnixMs;
use engine::locks::MutexExt as _;

use super::api_error::ApiError;
use super::error_code::ErrorCode;
use super::quota_report::{QuotaReport, QuotaState};

/// The default time in which an empty bucket fills, in milliseconds.
const MINUTE_MS: u64 = 60_000;

/// The largest number of clients with a bucket of their own.
const BUCKETS_MAX: usize = 100_000;

/// The interval between sweeps for full buckets when there are too many, in milliseconds. A sweep blocks all requests,
/// so it is not run for every new client.
const SWEEP_EVERY_MS: u64 = 1_000;

/// One bucket per client: full at first, refilled within a minute or another window.
///
/// A full bucket is equivalent to a missing one, so full ones are dropped when there are too many. If that frees no
/// space, new clients are refused: under an attack from that many addresses, refusing some clients is better than not
/// limiting any.
pub struct RateLimit<K> {
    size: u32,
    window_ms: u64,
    buckets: Mutex<Buckets<K>>,
}

struct Buckets<K> {
    by_client: HashMap<K, TokenBucket>,
    sweep_at: UnixMs,
}

/// The bucket of one client.
#[derive(Clone, Copy, Debug)]
pub struct TokenBucket {
    size: u32,
    window_ms: u64,
    /// The number of tokens times the window, so that refilling is exact in integers.
    level: u64,
    at: UnixMs,
}

impl TokenBucket {
    /// Returns a full bucket that refills within a minute.
    #[must_use]
    pub fn full(per_minute: u32, now: UnixMs) -> Self {
        Self::full_within(per_minute, MINUTE_MS, now)
    }

    fn full_within(size: u32, window_ms: u64, now: UnixMs) -> Self {
        Self { size, window_ms, level: u64::from(size) * window_ms, at: now }
    }

    /// Takes one token if there is one.
    pub fn try_take(&mut self, now: UnixMs) -> bool {
        self.try_take_all(1, now)
    }

    /// Takes this many tokens if there are enough.
    pub fn try_take_all(&mut self, tokens: u32, now: UnixMs) -> bool {
        *self = self.filled(now);
        match self.level.checked_sub(u64::from(tokens) * self.window_ms) {
            Some(rest) => {
                self.level = rest;
                true
            }
            None => false,
        }
    }

    fn filled(self, now: UnixMs) -> Self {
        let elapsed_ms = now.0.saturating_sub(self.at.0).min(self.window_ms);
        Self { level: (self.level + elapsed_ms * u64::from(self.size)).min(self.level_max()), at: now, ..self }
    }

    fn with_one_more(self, now: UnixMs) -> Self {
        let filled = self.filled(now);
        Self { level: (filled.level + self.window_ms).min(self.level_max()), ..filled }
    }

    fn level_max(self) -> u64 {
        u64::from(self.size) * self.window_ms
    }

    fn state(self) -> QuotaState {
        let (size, window_ms) = (self.size, self.window_ms);
        let remaining = u32::try_from(self.level.checked_div(window_ms).unwrap_or_default()).unwrap_or(size);
        let missing = self.level_max() - self.level;
        let full_after_ms = missing
            .checked_div(u64::from(size))
            .map_or(window_ms, |ms| if missing.is_multiple_of(u64::from(size)) { ms } else { ms + 1 });
        QuotaState { size, window_ms, remaining, full_after_ms }
    }

    fn is_full(self, now: UnixMs) -> bool {
        self.filled(now).level == self.level_max()
    }
}

impl<K: Eq + Hash> RateLimit<K> {
    /// Builds a limit of `per_minute` per minute, all at once if needed.
    #[must_use]
    pub fn new(per_minute: u32) -> Self {
        Self::within(per_minute, MINUTE_MS)
    }

    /// Builds a limit of `size` per window, all at once if needed.
    #[must_use]
    pub fn within(size: u32, window_ms: u64) -> Self {
        let buckets = Mutex::new(Buckets { by_client: HashMap::new(), sweep_at: UnixMs(0) });
        Self { size, window_ms, buckets }
    }

    /// Takes one token.
    ///
    /// # Errors
    /// [`ErrorCode::RateLimited`] when there is none.
    pub fn take(&self, client: K, now: UnixMs) -> Result<(), ApiError> {
        if self.try_take(client, now) { Ok(()) } else { Err(self.refusal()) }
    }

    fn refusal(&self) -> ApiError {
        let (size, seconds) = (self.size, self.window_ms / 1_000);
        ApiError::new(ErrorCode::RateLimited, format!("at most {size} such requests in {seconds} seconds"))
    }

    /// Takes one token, and records what is left in the report of the request.
    ///
    /// # Errors
    /// [`ErrorCode::RateLimited`] when there is none.
    pub fn take_reported(
        &self,
        name: &'static str,
        client: K,
        now: UnixMs,
        report: &QuotaReport,
    ) -> Result<(), ApiError> {
        let (is_taken, state) = self.take_counted(client, now);
        report.record(name, state);
        if is_taken { Ok(()) } else { Err(self.refusal()) }
    }

    /// Returns a token that was taken for an action that did not count. A client without a bucket has all tokens.
    pub fn refund(&self, client: &K, now: UnixMs) {
        let mut buckets = self.buckets.lock_unpoisoned();
        if let Some(bucket) = buckets.by_client.get_mut(client) {
            *bucket = bucket.with_one_more(now);
        }
    }

    /// Takes one token if there is one.
    pub fn try_take(&self, client: K, now: UnixMs) -> bool {
        self.take_counted(client, now).0
    }

    /// Takes one token if there is one; returns whether there was one, and what is left.
    fn take_counted(&self, client: K, now: UnixMs) -> (bool, QuotaState) {
        let mut buckets = self.buckets.lock_unpoisoned();
        if buckets.by_client.len() >= BUCKETS_MAX && !buckets.by_client.contains_key(&client) {
            if buckets.sweep_at <= now {
                buckets.by_client.retain(|_, bucket| !bucket.is_full(now));
                buckets.sweep_at = now.plus_ms(SWEEP_EVERY_MS);
            }
            if buckets.by_client.len() >= BUCKETS_MAX {
                let (size, window_ms) = (self.size, self.window_ms);
                return (false, QuotaState { size, window_ms, remaining: 0, full_after_ms: window_ms });
            }
        }
        let full = || TokenBucket::full_within(self.size, self.window_ms, now);
        let bucket = buckets.by_client.entry(client).or_insert_with(full);
        (bucket.try_take(now), bucket.state())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_empties_and_fills_again_in_a_minute() {
        let limit = RateLimit::new(60);
        for _ in 0..60 {
            assert!(limit.try_take("a", UnixMs(0)));
        }
        assert!(!limit.try_take("a", UnixMs(999)));
        assert!(limit.try_take("b", UnixMs(999)));
        assert!(limit.try_take("a", UnixMs(1_000)));
        assert!(!limit.try_take("a", UnixMs(1_000)));
        for _ in 0..60 {
            assert!(limit.try_take("a", UnixMs(1_000_000)));
        }
        assert!(!limit.try_take("a", UnixMs(1_000_000)));
    }

    #[test]
    fn what_is_left_is_reported() {
        let limit = RateLimit::new(60);
        let state = |remaining, full_after_ms| QuotaState { size: 60, window_ms: MINUTE_MS, remaining, full_after_ms };
        assert_eq!(limit.take_counted("a", UnixMs(0)), (true, state(59, 1_000)));
        assert_eq!(limit.take_counted("a", UnixMs(500)), (true, state(58, 1_500)));
        for _ in 0..58 {
            assert!(limit.try_take("a", UnixMs(500)));
        }
        assert_eq!(limit.take_counted("a", UnixMs(500)), (false, state(0, 59_500)));
        assert_eq!(limit.take_counted("a", UnixMs(60_500)), (true, state(59, 1_000)));
        let none = RateLimit::new(0);
        assert_eq!(none.take_counted("a", UnixMs(0)).1.full_after_ms, MINUTE_MS);
    }

    #[test]
    fn a_returned_token_can_be_taken_again_once() {
        let limit = RateLimit::within(2, 600_000);
        limit.refund(&"a", UnixMs(0));
        assert!(limit.try_take("a", UnixMs(0)) && limit.try_take("a", UnixMs(0)) && !limit.try_take("a", UnixMs(0)));
        limit.refund(&"a", UnixMs(0));
        assert!(limit.try_take("a", UnixMs(0)) && !limit.try_take("a", UnixMs(299_999)));
        for _ in 0..10 {
            limit.refund(&"a", UnixMs(300_000));
        }
        assert!(limit.try_take("a", UnixMs(300_000)) && limit.try_take("a", UnixMs(300_000)));
        assert!(!limit.try_take("a", UnixMs(300_000)));
    }

    #[test]
    fn more_clients_than_fit_do_not_take_more_memory() {
        let limit = RateLimit::new(1);
        for client in 0..BUCKETS_MAX {
            assert!(limit.try_take(client, UnixMs(0)));
        }
        assert!(!limit.try_take(BUCKETS_MAX, UnixMs(0)));
        assert!(limit.try_take(BUCKETS_MAX, UnixMs(MINUTE_MS)));
        assert_eq!(limit.buckets.lock().unwrap().by_client.len(), 1);
    }

    #[test]
    fn a_crowd_of_new_clients_does_not_cause_a_sweep_for_each() {
        let limit = RateLimit::new(1);
        for client in 0..BUCKETS_MAX {
            assert!(limit.try_take(client, UnixMs(1)));
        }
        let began = std::time::Instant::now();
        for newcomer in 0..BUCKETS_MAX {
            assert!(!limit.try_take(BUCKETS_MAX + newcomer, UnixMs(2)));
        }
        // A sweep for each of them would take minutes.
        assert!(began.elapsed() < std::time::Duration::from_mins(1));
        assert!(limit.try_take(0, UnixMs(MINUTE_MS + 1)));
    }
}
