//! A histogram of durations with fixed buckets: an observation is two atomic additions.

use std::{
    array,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// The upper bounds of all buckets but the last, which has none, in microseconds: from a write to memory up to a disk
/// that hangs.
const BOUNDS_US: [u64; 16] = [
    100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000,
    5_000_000, 10_000_000,
];

/// A histogram of durations.
#[derive(Debug)]
pub struct DurationHistogram {
    /// The observations in each bucket alone; the last has those beyond all bounds.
    counts: [AtomicU64; BOUNDS_US.len() + 1],
    sum_us: AtomicU64,
}

impl Default for DurationHistogram {
    fn default() -> Self {
        Self { counts: array::from_fn(|_| AtomicU64::default()), sum_us: AtomicU64::default() }
    }
}

impl DurationHistogram {
    /// Counts a duration.
    pub fn observe(&self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let bucket = BOUNDS_US.partition_point(|bound| *bound < micros);
        if let Some(count) = self.counts.get(bucket) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        self.sum_us.fetch_add(micros, Ordering::Relaxed);
    }

    /// Returns the counts so far. The sum may belong to a slightly different moment.
    #[must_use]
    pub fn read(&self) -> DurationCounts {
        let mut count = 0;
        let counts = self.counts.iter().map(|alone| {
            count += alone.load(Ordering::Relaxed);
            count
        });
        let cumulative: Vec<u64> = counts.collect();
        let bounds = BOUNDS_US.iter().map(|bound| Duration::from_micros(*bound));
        let buckets = bounds.zip(cumulative).collect();
        DurationCounts { buckets, count, sum: Duration::from_micros(self.sum_us.load(Ordering::Relaxed)) }
    }
}

/// The counts of a histogram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DurationCounts {
    /// The upper bound of each bounded bucket, and the number of durations up to it.
    pub buckets: Vec<(Duration, u64)>,
    /// The number of all durations.
    pub count: u64,
    /// The sum of all durations.
    pub sum: Duration,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_counted_in_every_bucket_that_it_fits_into() {
        let histogram = DurationHistogram::default();
        assert_eq!((histogram.read().count, histogram.read().sum), (0, Duration::ZERO));
        for micros in [0, 100, 101, 10_000_000, 10_000_001] {
            histogram.observe(Duration::from_micros(micros));
        }
        let DurationCounts { buckets, count, sum } = histogram.read();
        let up_to = |micros| buckets.iter().find(|(bound, _)| *bound == Duration::from_micros(micros)).unwrap().1;
        assert_eq!((up_to(100), up_to(250), up_to(5_000_000), up_to(10_000_000)), (2, 3, 3, 4));
        assert_eq!((count, sum), (5, Duration::from_micros(20_000_202)));
        assert!(buckets.is_sorted(), "bounds and counts ascend");
    }
}
