//! Prometheus metrics of upstreams.

use std::time::Duration;

use prometheus::core::Collector;
use prometheus::{HistogramOpts, HistogramVec, IntCounterVec, IntGaugeVec, Opts};

use super::breaker::BreakerState;
use super::stats::{self, UpstreamStats};
use crate::capability::UpstreamError;

/// The counters of all upstreams. Clones share them.
#[derive(Clone, Debug)]
pub struct UpstreamMetrics {
    seconds: HistogramVec,
    failures: IntCounterVec,
    fallbacks: IntCounterVec,
    breakers: IntGaugeVec,
}

impl UpstreamMetrics {
    /// Creates fresh counters.
    ///
    /// # Errors
    /// If a metric name is invalid, which is a bug.
    pub fn new() -> Result<Self, prometheus::Error> {
        let buckets = vec![0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];
        let seconds = HistogramOpts::new("lienbook_upstream_seconds", "Response time of upstreams per attempt.");
        let failures = Opts::new("lienbook_upstream_failures_total", "Requests to an upstream that failed.");
        let fallbacks = Opts::new("lienbook_upstream_fallbacks_total", "Requests that fell back to the next upstream.");
        let breakers = Opts::new("lienbook_upstream_breaker", "Circuit breaker: 0 closed, 1 half open, 2 open.");
        Ok(Self {
            seconds: HistogramVec::new(seconds.buckets(buckets), &["upstream"])?,
            failures: IntCounterVec::new(failures, &["upstream", "reason"])?,
            fallbacks: IntCounterVec::new(fallbacks, &["capability", "upstream"])?,
            breakers: IntGaugeVec::new(breakers, &["upstream"])?,
        })
    }

    /// Returns the collectors for a metrics registry.
    #[must_use]
    pub fn collectors(&self) -> [Box<dyn Collector>; 4] {
        [
            Box::new(self.seconds.clone()),
            Box::new(self.failures.clone()),
            Box::new(self.fallbacks.clone()),
            Box::new(self.breakers.clone()),
        ]
    }

    /// Returns the metrics of all upstreams, by name.
    #[must_use]
    pub fn stats(&self) -> Vec<UpstreamStats> {
        stats::collect_stats(&self.seconds, &self.failures, &self.fallbacks, &self.breakers)
    }

    pub(super) fn observe_attempt(&self, upstream: &str, took: Duration) {
        self.seconds.with_label_values(&[upstream]).observe(took.as_secs_f64());
    }

    pub(super) fn count_failure(&self, upstream: &str, error: &UpstreamError) {
        self.failures.with_label_values(&[upstream, error.label()]).inc();
    }

    pub(super) fn count_fallback(&self, capability: &str, upstream: &str) {
        self.fallbacks.with_label_values(&[capability, upstream]).inc();
    }

    pub(super) fn set_breaker_state(&self, upstream: &str, reading: BreakerState) {
        self.breakers.with_label_values(&[upstream]).set(reading.gauge_value().into());
    }
}
