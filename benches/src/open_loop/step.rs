//! The figures of commands at a steady rate.

use std::time::Duration;

use crate::{latency::Latencies, number::float, stopwatch::monotonic_nanoseconds};

/// The latencies of commands at a steady rate, each from the time at which it was due.
#[derive(Clone, Debug, Default)]
pub(super) struct Step {
    pub(super) latencies: Latencies,
    /// The time from the first due command to the last answer.
    elapsed: Duration,
    /// The commands that were refused because there was too much to do; their answers count as others do.
    pub(super) refused: usize,
}

impl Step {
    /// Adds a stretch with a schedule of its own.
    pub(super) fn add(&mut self, latencies: &Latencies, elapsed: Duration) {
        self.latencies.add(latencies);
        self.elapsed += elapsed;
    }

    /// The answers in a second.
    pub(super) fn rate(&self) -> f64 {
        float(self.latencies.len()) / self.elapsed.as_secs_f64().max(1e-9)
    }
}

/// The times at which commands are due: a steady rate from a start.
#[derive(Clone, Copy, Debug)]
pub(super) struct Schedule {
    start: u64,
    interval: f64,
}

impl Schedule {
    /// The schedule of a rate a second, from now on. With an infinite rate all are due at once.
    pub(super) fn from_now(rate: f64) -> Self {
        Self { start: monotonic_nanoseconds(), interval: 1e9 / rate }
    }

    /// The time of a command, in nanoseconds of the machine's monotonic clock.
    pub(super) fn due(self, number: usize) -> u64 {
        let after = Duration::from_secs_f64(self.interval * crate::number::float_len(number) / 1e9);
        self.start + u64::try_from(after.as_nanos()).unwrap_or(u64::MAX / 2)
    }

    /// The time since the start.
    pub(super) fn elapsed(self) -> Duration {
        Duration::from_nanos(monotonic_nanoseconds().saturating_sub(self.start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_due_at_their_rate() {
        let schedule = Schedule { start: 7, interval: 1e9 / 4_000.0 };
        assert_eq!([0, 1, 4_000].map(|number| schedule.due(number)), [7, 250_007, 1_000_000_007]);
        let at_once = Schedule { start: 7, interval: 1e9 / f64::INFINITY };
        assert_eq!(at_once.due(1_000), 7);
    }
}
