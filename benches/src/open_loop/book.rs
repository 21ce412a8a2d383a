//! The bare book at a steady rate: one thread that waits for the time of each command.

use domain::OrderBook;

use super::step::{Schedule, Step};
use crate::{
    book::{empty_like, execute, execute_one},
    book_log::Log,
    latency::Latencies,
    stopwatch::monotonic_nanoseconds,
};

/// Carries out the log's commands at a rate, for at most this long; filling and trimming have no schedule.
pub(super) fn step(like: &OrderBook, log: &Log, rate: f64, seconds: f64) -> Step {
    let (mut book, mut touched, mut step) = (empty_like(like), Vec::new(), Step::default());
    execute(&mut book, &log.fill, &mut touched);
    let mut left = seconds;
    for window in &log.windows {
        let (mut latencies, schedule) = (Latencies::default(), Schedule::from_now(rate));
        for (number, command) in window.mixed.iter().enumerate() {
            let due = schedule.due(number);
            while monotonic_nanoseconds() < due {
                std::hint::spin_loop();
            }
            execute_one(&mut book, command, &mut touched);
            latencies.record_nanoseconds(monotonic_nanoseconds().saturating_sub(due));
        }
        let elapsed = schedule.elapsed();
        step.add(&latencies, elapsed);
        left -= elapsed.as_secs_f64();
        if left <= 0.0 {
            break;
        }
        execute(&mut book, &window.trim, &mut touched);
    }
    step
}
