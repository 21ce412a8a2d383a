//! The health of an upstream: its metrics and its circuit breaker.

use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use super::breaker::{Breaker, BreakerConfig};
use super::metrics::UpstreamMetrics;
use crate::capability::UpstreamError;

use engine::locks::MutexExt as _;

/// The health of one upstream.
pub(crate) struct Health {
    name: String,
    metrics: UpstreamMetrics,
    began: Instant,
    breaker: Mutex<Breaker>,
}

impl Health {
    /// Creates the health of an upstream before the first request.
    pub(crate) fn new(name: String, metrics: UpstreamMetrics, config: BreakerConfig) -> Self {
        metrics.add_upstream(&name);
        Self { name, metrics, began: Instant::now(), breaker: Mutex::new(Breaker::new(config)) }
    }

    /// Returns the upstream's name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the time since it was created.
    pub(crate) fn age(&self) -> Duration {
        self.began.elapsed()
    }

    /// Admits a request.
    ///
    /// # Errors
    /// [`UpstreamError::CircuitOpen`] while the circuit breaker is open.
    pub(crate) fn admit(&self) -> Result<(), UpstreamError> {
        let now_ms = millis(self.age());
        self.breaker().admit(now_ms).map_err(|remaining_ms| UpstreamError::CircuitOpen { remaining_ms })
    }

    /// Counts a try.
    pub(crate) fn record_attempt(&self, took: Duration) {
        self.metrics.observe_attempt(&self.name, took);
    }

    /// Records an answer.
    pub(crate) fn record_success(&self) {
        let mut breaker = self.breaker();
        breaker.succeeded();
        self.metrics.set_breaker_state(&self.name, breaker.state());
        self.metrics.record_success(&self.name);
    }

    /// Counts a failure, which may open the circuit breaker.
    pub(crate) fn record_failure(&self, error: &UpstreamError) {
        self.metrics.count_failure(&self.name, error);
        let mut breaker = self.breaker();
        // A refusal is an answer: the upstream works.
        if matches!(error, UpstreamError::Refused(_)) {
            breaker.succeeded();
            self.metrics.record_success(&self.name);
        } else {
            breaker.failed(millis(self.age()));
            self.metrics.record_down(&self.name);
        }
        self.metrics.set_breaker_state(&self.name, breaker.state());
    }

    fn breaker(&self) -> MutexGuard<'_, Breaker> {
        self.breaker.lock_unpoisoned()
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
