//! Latencies as an HDR histogram.

use std::time::{Duration, Instant};

use hdrhistogram::Histogram;

use crate::number::{float, nanoseconds};

/// Latencies in nanoseconds with three significant digits.
#[derive(Clone, Debug)]
pub struct Latencies(Histogram<u64>);

impl Default for Latencies {
    fn default() -> Self {
        Self(Histogram::new(3).expect("three digits are allowed"))
    }
}

impl Latencies {
    /// The columns of [`Self::cells`].
    pub const COLUMNS: [&'static str; 4] = ["p50", "p99", "p99.9", "max"];

    /// Records a latency.
    pub fn record(&mut self, latency: Duration) {
        self.record_nanoseconds(u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX));
    }

    /// Records a latency.
    pub fn record_nanoseconds(&mut self, latency: u64) {
        self.0.record(latency).expect("the histogram grows by itself");
    }

    /// Adds the latencies of another histogram.
    pub fn add(&mut self, other: &Self) {
        self.0.add(&other.0).expect("the histogram grows by itself");
    }

    /// The number of latencies.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.0.len()
    }

    /// Whether there are no latencies.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The mean without the slowest thousandth, which contains the preemptions; in nanoseconds.
    #[must_use]
    pub fn usual_mean(&self) -> f64 {
        let most = self.0.value_at_quantile(0.999);
        let usual = self.0.iter_recorded().take_while(|step| step.value_iterated_to() <= most);
        let (sum, count) = usual.fold((0.0, 0.0), |(sum, count), step| {
            let times = float(step.count_at_value());
            (sum + float(step.value_iterated_to()) * times, count + times)
        });
        if count > 0.0 { sum / count } else { 0.0 }
    }

    /// The quantile of the latencies at `share`, in nanoseconds; 0.5 is the median.
    #[must_use]
    pub fn quantile(&self, share: f64) -> f64 {
        float(self.0.value_at_quantile(share))
    }

    /// The median, two tail quantiles and the maximum, for a table.
    #[must_use]
    pub fn cells(&self) -> [String; 4] {
        [0.5, 0.99, 0.999, 1.0].map(|share| nanoseconds(self.quantile(share)))
    }
}

/// The cost of reading the clock once, in nanoseconds, which every latency contains.
#[must_use]
pub fn clock_cost() -> f64 {
    const READINGS: u32 = 1_000_000;
    let start = Instant::now();
    for _ in 0..READINGS {
        std::hint::black_box(Instant::now());
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(READINGS)
}
