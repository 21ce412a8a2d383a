//! The retry policy: which failed requests are repeated, and after which delay.

use std::time::Duration;

/// The kind of a failed try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptFailure {
    /// No connection, a broken one, or a timeout.
    Network,
    /// An error status.
    Status {
        /// The HTTP status code.
        code: u16,
        /// The delay that its `Retry-After` asks for.
        retry_after: Option<Duration>,
    },
}

/// The rules for repeating a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The number of tries after the first.
    pub retries_max: u8,
    /// The statuses of failures that may be temporary.
    pub statuses: &'static [u16],
    /// The first delay, approximately; each next one is twice as long.
    pub wait_first: Duration,
    /// The longest of these delays.
    pub wait_max: Duration,
    /// The longest `Retry-After` that is waited for; beyond it the request falls back to the next upstream.
    pub retry_after_max: Duration,
}

impl RetryPolicy {
    /// The policy for nodes, explorers and indexers.
    pub const DEFAULT: Self = Self {
        retries_max: 3,
        statuses: &[429, 502, 504],
        wait_first: Duration::from_millis(250),
        wait_max: Duration::from_secs(4),
        retry_after_max: Duration::from_secs(10),
    };

    /// The same for marketplaces, which also return 503 when they are busy.
    #[must_use]
    pub const fn for_marketplace(self) -> Self {
        Self { statuses: &[429, 502, 503, 504], ..self }
    }

    /// Returns the delay before the next try; `None` when there is none. `random` adds jitter so that failed requests
    /// spread out: the delay is between half and all of the nominal one.
    #[must_use]
    pub fn delay(&self, failure: AttemptFailure, retries_made: u8, random: u32) -> Option<Duration> {
        if retries_made >= self.retries_max {
            return None;
        }
        let full = self.wait_first.saturating_mul(1 << retries_made.min(16)).min(self.wait_max);
        let half_us = u64::try_from(full.as_micros() / 2).unwrap_or(u64::MAX / 2);
        let part_us = (u128::from(half_us) * u128::from(random)) >> u32::BITS;
        let wait = Duration::from_micros(half_us.saturating_add(u64::try_from(part_us).unwrap_or(half_us)));
        let asked = match failure {
            AttemptFailure::Status { code, .. } if !self.statuses.contains(&code) => return None,
            AttemptFailure::Status { retry_after: Some(asked), .. } if asked > self.retry_after_max => return None,
            AttemptFailure::Status { retry_after, .. } => retry_after.unwrap_or_default(),
            AttemptFailure::Network => Duration::ZERO,
        };
        Some(asked.saturating_add(wait))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn status(code: u16) -> AttemptFailure {
        AttemptFailure::Status { code, retry_after: None }
    }

    #[test]
    fn only_temporary_failures_are_retried() {
        for (policy, again) in [
            (RetryPolicy::DEFAULT, vec![429, 502, 504]),
            (RetryPolicy::DEFAULT.for_marketplace(), vec![429, 502, 503, 504]),
        ] {
            let asked: Vec<u16> = (100..600).filter(|code| policy.delay(status(*code), 0, 0).is_some()).collect();
            assert_eq!(asked, again);
            assert!(policy.delay(AttemptFailure::Network, 2, 0).is_some());
            assert_eq!(policy.delay(AttemptFailure::Network, 3, 0), None, "three retries");
        }
    }

    #[test]
    fn retry_after_is_respected_up_to_a_bound() {
        let after = |seconds| AttemptFailure::Status { code: 429, retry_after: Some(Duration::from_secs(seconds)) };
        let wait = |seconds| RetryPolicy::DEFAULT.delay(after(seconds), 0, 0);
        assert_eq!(wait(7), Some(Duration::from_millis(7_125)));
        assert!(wait(10).is_some());
        assert_eq!(wait(11), None);
        assert_eq!(wait(u64::MAX), None);
    }

    proptest! {
        #[test]
        fn delays_grow_within_their_bounds(retries_made in 0_u8..3, random: u32, other: u32) {
            let policy = RetryPolicy::DEFAULT;
            let wait = |made, random| policy.delay(AttemptFailure::Network, made, random).unwrap();
            let full = policy.wait_first * (1 << retries_made);
            let found = wait(retries_made, random);
            prop_assert!(found >= full / 2 && found <= full && found <= policy.wait_max);
            prop_assert_eq!(wait(retries_made, other) >= found, other >= random || wait(retries_made, other) == found);
        }

        #[test]
        fn no_number_of_retries_or_status_breaks_it(
            retries_made: u8, retries_max: u8, code: u16, seconds: Option<u64>, random: u32, first_ms: u64,
        ) {
            let wait_first = Duration::from_millis(first_ms);
            let policy = RetryPolicy { retries_max, wait_first, ..RetryPolicy::DEFAULT };
            let failure = AttemptFailure::Status { code, retry_after: seconds.map(Duration::from_secs) };
            if let Some(wait) = policy.delay(failure, retries_made, random) {
                prop_assert!(retries_made < retries_max && policy.statuses.contains(&code));
                prop_assert!(wait <= policy.wait_max + policy.retry_after_max);
                prop_assert!(seconds.is_none_or(|seconds| wait >= Duration::from_secs(seconds)));
            }
        }
    }
}
