//! The text format of Prometheus, for figures that are read with the page.

use std::fmt::{Display, Write as _};

use engine::duration_histogram::DurationCounts;

/// A part of the page.
#[derive(Debug, Default)]
pub(super) struct Exposition(String);

impl Exposition {
    /// Adds a counter. Its name ends in `_total`.
    pub(super) fn counter(&mut self, name: &str, help: &str, value: u64) {
        self.head("counter", name, help);
        self.sample(name, value);
    }

    /// Adds a gauge.
    pub(super) fn gauge(&mut self, name: &str, help: &str, value: impl Display) {
        self.head("gauge", name, help);
        self.sample(name, value);
    }

    /// Adds a gauge whose value is known.
    pub(super) fn known(&mut self, name: &str, help: &str, value: Option<impl Display>) {
        if let Some(value) = value {
            self.gauge(name, help, value);
        }
    }

    /// Adds a gauge with one label, whose values need no escapes.
    pub(super) fn gauges<'value, V: Display>(
        &mut self,
        name: &str,
        help: &str,
        label: &str,
        values: impl IntoIterator<Item = (&'value str, V)>,
    ) {
        self.head("gauge", name, help);
        for (of, value) in values {
            self.sample(&format!("{name}{{{label}=\"{of}\"}}"), value);
        }
    }

    /// Adds a histogram of seconds.
    pub(super) fn histogram(&mut self, name: &str, help: &str, counts: &DurationCounts) {
        self.head("histogram", name, help);
        for (bound, count) in &counts.buckets {
            self.sample(&format!("{name}_bucket{{le=\"{}\"}}", bound.as_secs_f64()), count);
        }
        self.sample(&format!("{name}_bucket{{le=\"+Inf\"}}"), counts.count);
        self.sample(&format!("{name}_sum"), counts.sum.as_secs_f64());
        self.sample(&format!("{name}_count"), counts.count);
    }

    /// Returns the text.
    pub(super) fn into_text(self) -> String {
        self.0
    }

    fn head(&mut self, kind: &str, name: &str, help: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn sample(&mut self, series: &str, value: impl Display) {
        let _ = writeln!(self.0, "{series} {value}");
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use engine::duration_histogram::DurationHistogram;

    use super::*;

    #[test]
    fn a_histogram_is_written_with_cumulative_buckets_in_seconds() {
        let histogram = DurationHistogram::default();
        for millis in [1, 1, 30_000] {
            histogram.observe(Duration::from_millis(millis));
        }
        let mut page = Exposition::default();
        page.histogram("h_seconds", "Help.", &histogram.read());
        page.gauges("g", "Of each.", "of", [("a", 1), ("b", 2)]);
        let text = page.into_text();
        assert!(text.starts_with("# HELP h_seconds Help.\n# TYPE h_seconds histogram\n"), "{text}");
        for line in [
            "h_seconds_bucket{le=\"0.0005\"} 0",
            "h_seconds_bucket{le=\"0.001\"} 2",
            "h_seconds_bucket{le=\"10\"} 2",
            "h_seconds_bucket{le=\"+Inf\"} 3",
            "h_seconds_sum 30.002",
            "h_seconds_count 3",
            "g{of=\"b\"} 2",
        ] {
            assert!(text.lines().any(|other| other == line), "{line} is not in\n{text}");
        }
    }
}
