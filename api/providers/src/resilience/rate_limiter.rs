//! The rate limit for requests to an upstream.

use std::num::NonZeroU32;

/// A rate limit that is kept by waiting before each request: a number of requests per minute, a tenth of them in a
/// burst. Times are microseconds of any monotonic clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_field_names, reason = "a unit in every name")]
pub struct RateLimiter {
    interval_us: u64,
    burst_us: u64,
    /// The time when everything that was reserved would be used up at an even pace.
    reserved_until_us: u64,
}

impl RateLimiter {
    /// Creates a limit of requests per minute.
    #[must_use]
    pub fn per_minute(requests: NonZeroU32) -> Self {
        let interval_us = 60_000_000 / u64::from(requests.get());
        let burst = u64::from(requests.get() / 10).max(1);
        Self { interval_us, burst_us: interval_us.saturating_mul(burst - 1), reserved_until_us: 0 }
    }

    /// Reserves a request and returns the microseconds to wait; `None` when that is more than `wait_max_us`: then
    /// nothing is reserved.
    pub fn reserve(&mut self, now_us: u64, wait_max_us: u64) -> Option<u64> {
        let reserved_until_us = self.reserved_until_us.max(now_us);
        let wait_us = (reserved_until_us - now_us).saturating_sub(self.burst_us);
        if wait_us > wait_max_us {
            return None;
        }
        self.reserved_until_us = reserved_until_us.saturating_add(self.interval_us);
        Some(wait_us)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(requests: u32) -> RateLimiter {
        RateLimiter::per_minute(NonZeroU32::new(requests).unwrap())
    }

    #[test]
    fn a_tenth_may_come_in_a_burst_and_the_rest_evenly() {
        let mut limiter = of(60);
        let waits: Vec<_> = (0..8).map(|_| limiter.reserve(0, 2_000_000)).collect();
        let none = [Some(0); 6];
        assert_eq!(waits[..6], none);
        assert_eq!(waits[6..], [Some(1_000_000), Some(2_000_000)]);
        assert_eq!(limiter.reserve(0, 2_000_000), None);
        assert_eq!(limiter.reserve(1_000_000, 2_000_000), Some(2_000_000), "a refused request was not reserved");
        assert_eq!(of(1).reserve(0, 0), Some(0));
    }

    proptest! {
        #[test]
        fn no_minute_exceeds_the_limit(
            requests in 1_u32..300, gaps_us in prop::collection::vec(0_u64..2_000_000, 1..400),
        ) {
            let (mut limiter, mut now_us, mut asked_us) = (of(requests), 0, Vec::new());
            for gap_us in gaps_us {
                now_us += gap_us;
                if let Some(wait_us) = limiter.reserve(now_us, 5_000_000) {
                    prop_assert!(wait_us <= 5_000_000);
                    asked_us.push(now_us + wait_us);
                }
            }
            let bound = usize::try_from(requests + (requests / 10).max(1)).unwrap() + 1;
            for (index, first_us) in asked_us.iter().enumerate() {
                let inside = asked_us[index..].iter().filter(|at_us| **at_us < first_us + 60_000_000).count();
                prop_assert!(inside <= bound, "{} in a minute of {}", inside, requests);
            }
        }
    }
}
