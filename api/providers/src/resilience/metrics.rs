//! Prometheus metrics of upstreams.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use prometheus::core::Collector;
use prometheus::{GaugeVec, HistogramOpts, HistogramVec, IntCounterVec, IntGaugeVec, Opts};

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
    up: IntGaugeVec,
    last_success: GaugeVec,
    heights: IntGaugeVec,
    serves: IntGaugeVec,
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
        let up = Opts::new("lienbook_upstream_up", "Whether the last request to an upstream was answered.");
        let help = "The time of the last answer of an upstream; the start of the server before the first.";
        let last_success = Opts::new("lienbook_upstream_last_success_timestamp_seconds", help);
        let heights = Opts::new("lienbook_upstream_height", "The height of the last block that an upstream reported.");
        let serves = Opts::new("lienbook_upstream_serves", "The upstreams of each capability: always 1.");
        Ok(Self {
            seconds: HistogramVec::new(seconds.buckets(buckets), &["upstream"])?,
            failures: IntCounterVec::new(failures, &["upstream", "reason"])?,
            fallbacks: IntCounterVec::new(fallbacks, &["capability", "upstream"])?,
            breakers: IntGaugeVec::new(breakers, &["upstream"])?,
            up: IntGaugeVec::new(up, &["upstream"])?,
            last_success: GaugeVec::new(last_success, &["upstream"])?,
            heights: IntGaugeVec::new(heights, &["upstream"])?,
            serves: IntGaugeVec::new(serves, &["capability", "upstream"])?,
        })
    }

    /// Returns the collectors for a metrics registry.
    #[must_use]
    pub fn collectors(&self) -> [Box<dyn Collector>; 8] {
        [
            Box::new(self.seconds.clone()),
            Box::new(self.failures.clone()),
            Box::new(self.fallbacks.clone()),
            Box::new(self.breakers.clone()),
            Box::new(self.up.clone()),
            Box::new(self.last_success.clone()),
            Box::new(self.heights.clone()),
            Box::new(self.serves.clone()),
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

    /// Records that an upstream exists. Until its first request it counts as working.
    pub(super) fn add_upstream(&self, upstream: &str) {
        self.set_breaker_state(upstream, BreakerState::Closed);
        self.record_success(upstream);
    }

    /// Records an answer, now.
    pub(super) fn record_success(&self, upstream: &str) {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        self.up.with_label_values(&[upstream]).set(1);
        self.last_success.with_label_values(&[upstream]).set(since.as_secs_f64());
    }

    /// Records a request without an answer.
    pub(super) fn record_down(&self, upstream: &str) {
        self.up.with_label_values(&[upstream]).set(0);
    }

    pub(super) fn set_height(&self, upstream: &str, height: u32) {
        self.heights.with_label_values(&[upstream]).set(height.into());
    }

    pub(super) fn set_capability(&self, capability: &str, upstream: &str) {
        self.serves.with_label_values(&[capability, upstream]).set(1);
    }

    pub(super) fn set_breaker_state(&self, upstream: &str, reading: BreakerState) {
        self.breakers.with_label_values(&[upstream]).set(reading.gauge_value().into());
    }
}
