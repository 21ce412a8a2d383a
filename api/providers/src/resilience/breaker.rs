//! A circuit breaker that stops requests to a failing upstream and probes now and then whether it has recovered.

/// The limits of a circuit breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BreakerConfig {
    /// The number of consecutive failures that opens it.
    pub failures_max: u32,
    /// The first time that it stays open, in milliseconds; each next time is twice as long.
    pub open_first_ms: u64,
    /// The longest time that it stays open, in milliseconds.
    pub open_max_ms: u64,
    /// The time after which another probe is sent when the last one never reported back, in milliseconds.
    pub probe_timeout_ms: u64,
}

impl Default for BreakerConfig {
    fn default() -> Self {
        Self { failures_max: 3, open_first_ms: 15_000, open_max_ms: 300_000, probe_timeout_ms: 60_000 }
    }
}

/// The state of a breaker for display.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreakerState {
    /// Requests are allowed.
    Closed,
    /// Half open: one probe is under way, to see whether the upstream has recovered.
    HalfOpen,
    /// No requests are allowed.
    Open,
}

impl BreakerState {
    /// Returns its value in metrics.
    pub(super) const fn gauge_value(self) -> u8 {
        match self {
            Self::Closed => 0,
            Self::HalfOpen => 1,
            Self::Open => 2,
        }
    }
}

/// A circuit breaker. Times are milliseconds of any monotonic clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breaker {
    rules: BreakerConfig,
    failures: u32,
    open_ms: u64,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Closed,
    Open { until_ms: u64 },
    HalfOpen { since_ms: u64 },
}

impl Breaker {
    /// Creates a closed breaker.
    #[must_use]
    pub const fn new(rules: BreakerConfig) -> Self {
        Self { rules, failures: 0, open_ms: rules.open_first_ms, state: State::Closed }
    }

    /// Admits a request, whose outcome must then be reported; otherwise returns for how many milliseconds none is
    /// admitted.
    pub fn admit(&mut self, now_ms: u64) -> Result<(), u64> {
        let until_ms = match self.state {
            State::Closed => return Ok(()),
            State::Open { until_ms } => until_ms,
            // The probe may have been dropped without a report.
            State::HalfOpen { since_ms } => since_ms.saturating_add(self.rules.probe_timeout_ms),
        };
        if now_ms < until_ms {
            return Err(until_ms - now_ms);
        }
        self.state = State::HalfOpen { since_ms: now_ms };
        Ok(())
    }

    /// Records an answered request.
    pub const fn succeeded(&mut self) {
        self.failures = 0;
        self.open_ms = self.rules.open_first_ms;
        self.state = State::Closed;
    }

    /// Records a failed request.
    pub fn failed(&mut self, now_ms: u64) {
        self.failures = self.failures.saturating_add(1);
        match self.state {
            State::Closed if self.failures < self.rules.failures_max => {}
            // Requests that were sent before it opened fail one after the other.
            State::Open { .. } => {}
            State::Closed | State::HalfOpen { .. } => {
                self.state = State::Open { until_ms: now_ms.saturating_add(self.open_ms) };
                self.open_ms = self.open_ms.saturating_mul(2).min(self.rules.open_max_ms);
            }
        }
    }

    /// Returns its state for display.
    #[must_use]
    pub const fn state(&self) -> BreakerState {
        match self.state {
            State::Closed => BreakerState::Closed,
            State::HalfOpen { .. } => BreakerState::HalfOpen,
            State::Open { .. } => BreakerState::Open,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const RULES: BreakerConfig =
        BreakerConfig { failures_max: 3, open_first_ms: 100, open_max_ms: 350, probe_timeout_ms: 1_000 };

    fn opened() -> Breaker {
        let mut breaker = Breaker::new(RULES);
        (0..3).for_each(|_| breaker.failed(0));
        breaker
    }

    #[test]
    fn consecutive_failures_open_it_and_one_success_resets_it() {
        let mut breaker = Breaker::new(RULES);
        for _ in 0..10 {
            breaker.failed(0);
            breaker.failed(0);
            assert_eq!(breaker.admit(0), Ok(()));
            breaker.succeeded();
        }
        (0..3).for_each(|_| breaker.failed(5));
        assert_eq!((breaker.state(), breaker.admit(5), breaker.admit(104)), (BreakerState::Open, Err(100), Err(1)));
    }

    #[test]
    fn one_probe_at_a_time_is_admitted() {
        let mut breaker = opened();
        assert_eq!(breaker.admit(100), Ok(()));
        assert_eq!((breaker.state(), breaker.admit(100)), (BreakerState::HalfOpen, Err(1_000)));
        assert_eq!(breaker.admit(1_100), Ok(()), "the probe never reported back");
        breaker.succeeded();
        assert_eq!((breaker.state(), breaker.admit(1_100)), (BreakerState::Closed, Ok(())));
    }

    #[test]
    fn it_stays_open_longer_each_time_up_to_a_bound() {
        let mut breaker = opened();
        let mut now_ms = 0;
        for open_ms in [100, 200, 350, 350] {
            assert_eq!(breaker.admit(now_ms), Err(open_ms));
            now_ms += open_ms;
            assert_eq!(breaker.admit(now_ms), Ok(()));
            breaker.failed(now_ms);
        }
        breaker.admit(now_ms + 350).unwrap();
        breaker.succeeded();
        (0..3).for_each(|_| breaker.failed(now_ms));
        assert_eq!(breaker.admit(now_ms), Err(100));
    }

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Admit,
        Succeed,
        Fail,
        Wait(u64),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            4 => Just(Step::Admit),
            1 => Just(Step::Succeed),
            4 => Just(Step::Fail),
            2 => (0_u64..500).prop_map(Step::Wait),
        ]
    }

    proptest! {
        #[test]
        fn a_probe_is_always_admitted_again_and_a_success_closes_it(
            steps in prop::collection::vec(step(), 0..200),
        ) {
            let (mut breaker, mut now_ms, mut failures) = (Breaker::new(RULES), 0_u64, 0);
            for step in steps {
                match step {
                    Step::Admit => {
                        let refused = breaker.admit(now_ms).err();
                        prop_assert!(refused.is_none_or(|left_ms| (1..=RULES.probe_timeout_ms).contains(&left_ms)));
                        prop_assert!(refused.is_none() || failures >= RULES.failures_max);
                    }
                    Step::Succeed => {
                        breaker.succeeded();
                        failures = 0;
                        prop_assert_eq!(breaker.admit(now_ms), Ok(()));
                    }
                    Step::Fail => {
                        breaker.failed(now_ms);
                        failures += 1;
                    }
                    Step::Wait(ms) => now_ms += ms,
                }
                let mut later = breaker.clone();
                prop_assert_eq!(later.admit(now_ms + RULES.probe_timeout_ms.max(RULES.open_max_ms)), Ok(()));
            }
        }
    }
}
