//! The round of a contestant.

use std::time::{Duration, Instant};

use crate::{
    latency::Latencies,
    number::{float, per_second},
};

/// The result of a round.
#[derive(Clone, Debug)]
pub(super) struct Round {
    /// The latencies of each command, or of each batch where several are sent together.
    pub(super) latencies: Latencies,
    commands: u64,
    elapsed: Duration,
    /// The commands that were refused because there was too much to do; they are not among the others.
    pub(super) refused: usize,
}

impl Round {
    /// A round of single commands.
    pub(super) fn of_singles(start: Instant, of_clients: &[Latencies]) -> Self {
        let mut latencies = Latencies::default();
        for of_one in of_clients {
            latencies.add(of_one);
        }
        Self { commands: latencies.len(), elapsed: start.elapsed(), latencies, refused: 0 }
    }

    /// A round of batches.
    pub(super) fn of_batches(start: Instant, latencies: Latencies, commands: usize) -> Self {
        let commands = u64::try_from(commands).expect("few commands");
        Self { commands, elapsed: start.elapsed(), latencies, refused: 0 }
    }

    /// The number of commands.
    pub(super) fn commands(&self) -> f64 {
        float(self.commands)
    }

    /// The commands in a second.
    pub(super) fn rate(&self) -> f64 {
        per_second(usize::try_from(self.commands).expect("few commands"), self.elapsed)
    }
}
