//! Metrics of one upstream, for display.

use std::collections::BTreeMap;

use prometheus::core::Collector;
use prometheus::proto::Metric;

use super::breaker::BreakerState;

/// The metrics of one upstream since the start.
#[derive(Clone, Debug, PartialEq)]
pub struct UpstreamStats {
    /// Its name.
    pub name: String,
    /// The state of its circuit breaker.
    pub breaker: BreakerState,
    /// A histogram of latencies: the upper bound of each bucket in seconds, and the number of tries in that bucket
    /// alone. The last bucket is unbounded.
    pub latencies: Vec<(f64, u64)>,
    /// The number of requests without an answer, by reason.
    pub failures: BTreeMap<String, u64>,
    /// The number of requests that fell back to the next upstream, by capability.
    pub fallbacks: BTreeMap<String, u64>,
}

impl UpstreamStats {
    fn empty(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            breaker: BreakerState::Closed,
            latencies: Vec::new(),
            failures: BTreeMap::new(),
            fallbacks: BTreeMap::new(),
        }
    }

    /// Returns the number of tries.
    #[must_use]
    pub fn tries(&self) -> u64 {
        self.latencies.iter().map(|(_, tries)| tries).sum()
    }

    /// Returns the upper bound of the bucket that contains this percentile, in seconds; `None` before the first try.
    #[must_use]
    pub fn latency_percentile(&self, percent: u64) -> Option<f64> {
        let tries = self.tries();
        let wanted = (tries * percent).div_ceil(100).max(1);
        let mut seen = 0;
        let bucket = self.latencies.iter().find(|(_, tries)| {
            seen += tries;
            seen >= wanted
        });
        bucket.filter(|_| tries > 0).map(|(seconds, _)| *seconds)
    }
}

/// Collects the metrics of all upstreams, by name.
pub(super) fn collect_stats(
    seconds: &impl Collector,
    failures: &impl Collector,
    fallbacks: &impl Collector,
    breakers: &impl Collector,
) -> Vec<UpstreamStats> {
    let mut all = BTreeMap::new();
    each(breakers, &mut all, |stats, metric| stats.breaker = state_of(metric.get_gauge().get_value()));
    each(seconds, &mut all, |stats, metric| stats.latencies = buckets_of(metric));
    each(failures, &mut all, |stats, metric| {
        stats.failures.insert(label(metric, "reason").to_owned(), count(metric.get_counter().get_value()));
    });
    each(fallbacks, &mut all, |stats, metric| {
        stats.fallbacks.insert(label(metric, "capability").to_owned(), count(metric.get_counter().get_value()));
    });
    all.into_values().collect()
}

fn each(
    collector: &impl Collector,
    all: &mut BTreeMap<String, UpstreamStats>,
    mut take: impl FnMut(&mut UpstreamStats, &Metric),
) {
    for family in collector.collect() {
        for metric in family.get_metric() {
            let name = label(metric, "upstream");
            take(all.entry(name.to_owned()).or_insert_with(|| UpstreamStats::empty(name)), metric);
        }
    }
}

fn label<'metric>(metric: &'metric Metric, name: &str) -> &'metric str {
    metric.get_label().iter().find(|label| label.name() == name).map_or("", |label| label.value())
}

fn state_of(gauge: f64) -> BreakerState {
    let all = [BreakerState::Closed, BreakerState::HalfOpen, BreakerState::Open];
    all.into_iter().find(|reading| count(gauge) == u64::from(reading.gauge_value())).unwrap_or(BreakerState::Open)
}

/// Counters are floats, but these are whole numbers; the conversion through text is exact.
fn count(counted: f64) -> u64 {
    format!("{counted:.0}").parse().unwrap_or(u64::MAX)
}

/// Converts cumulative buckets to the count of each bucket alone.
fn buckets_of(metric: &Metric) -> Vec<(f64, u64)> {
    let histogram = metric.get_histogram();
    let mut below = 0;
    let mut buckets = Vec::new();
    let ends = histogram.get_bucket().iter().map(|bucket| (bucket.upper_bound(), bucket.cumulative_count()));
    for (end, counted) in ends.filter(|(end, _)| end.is_finite()).chain([(f64::INFINITY, histogram.get_sample_count())])
    {
        buckets.push((end, counted.saturating_sub(below)));
        below = counted.max(below);
    }
    buckets
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stats(latencies: Vec<(f64, u64)>) -> UpstreamStats {
        UpstreamStats { latencies, ..UpstreamStats::empty("it") }
    }

    #[test]
    fn a_percentile_is_the_upper_bound_of_its_bucket() {
        let seconds = |buckets: &[(f64, u64)], percent| stats(buckets.to_vec()).latency_percentile(percent);
        assert_eq!(seconds(&[], 50), None);
        assert_eq!(seconds(&[(0.1, 0), (1.0, 0)], 50), None, "never tried");
        let buckets = [(0.1, 90), (1.0, 9), (f64::INFINITY, 1)];
        for (percent, end) in [(0, 0.1), (50, 0.1), (90, 0.1), (91, 1.0), (99, 1.0), (100, f64::INFINITY)] {
            assert_eq!(seconds(&buckets, percent), Some(end), "{percent} %");
        }
        assert_eq!(stats(buckets.to_vec()).tries(), 100);
    }
}
