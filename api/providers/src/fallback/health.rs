//! The health of an upstream: its metrics and its circuit breaker.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::breaker::{Breaker, BreakerRules, Reading};
use super::meters::Meters;
use super::trouble::Trouble;

/// The health of one upstream.
pub(crate) struct Health {
    name: String,
    metrics: Meters,
    began: Instant,
    breaker: Mutex<Breaker>,
}

impl Health {
    /// Creates the health of an upstream before the first request.
    pub(crate) fn new(name: String, metrics: Meters, config: BreakerRules) -> Self {
        metrics.breaker(&name, Reading::Closed);
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
    /// [`Trouble::CircuitOpen`] while the circuit breaker is open.
    pub(crate) fn admit(&self) -> Result<(), Trouble> {
        let now_ms = millis(self.age());
        self.breaker().admit(now_ms).map_err(|remaining_ms| Trouble::Resting { remaining_ms })
    }

    /// Counts a try.
    pub(crate) fn tried(&self, took: Duration) {
        self.metrics.tried(&self.name, took);
    }

    /// Records an answer.
    pub(crate) fn answered(&self) {
        let mut breaker = self.breaker();
        breaker.succeeded();
        self.metrics.breaker(&self.name, breaker.reading());
    }

    /// Counts a failure, which may open the circuit breaker.
    pub(crate) fn blame(&self, error: &Trouble) {
        self.metrics.failed(&self.name, error);
        let mut breaker = self.breaker();
        // A refusal is an answer: the upstream works.
        if matches!(error, Trouble::Refused(_)) {
            breaker.succeeded();
        } else {
            breaker.failed(millis(self.age()));
        }
        self.metrics.breaker(&self.name, breaker.reading());
    }

    fn breaker(&self) -> MutexGuard<'_, Breaker> {
        self.breaker.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
