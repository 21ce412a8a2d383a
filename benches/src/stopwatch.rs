//! Time by two clocks: the wall clock, and this thread's processor time.

use std::{
    ops::AddAssign,
    time::{Duration, Instant},
};

use rustix::time::{ClockId, Timespec, clock_gettime};

/// Time spent by a thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spent {
    /// By the wall clock.
    pub wall: Duration,
    /// On a processor: time in which other programs run does not count.
    pub processor: Duration,
}

impl AddAssign for Spent {
    fn add_assign(&mut self, other: Self) {
        self.wall += other.wall;
        self.processor += other.processor;
    }
}

/// A running measurement of [`Spent`].
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    wall: Instant,
    processor: Duration,
}

impl Stopwatch {
    /// Starts the measurement.
    #[must_use]
    pub fn start() -> Self {
        Self { processor: thread_time(), wall: Instant::now() }
    }

    /// The time spent since the start.
    #[must_use]
    pub fn stop(self) -> Spent {
        Spent { wall: self.wall.elapsed(), processor: thread_time().saturating_sub(self.processor) }
    }
}

fn thread_time() -> Duration {
    time_of(ClockId::ThreadCPUTime)
}

/// The machine's monotonic clock, the same for all processes.
///
#[must_use]
pub fn monotonic_nanoseconds() -> u64 {
    u64::try_from(time_of(ClockId::Monotonic).as_nanos()).expect("less than five hundred years since the start")
}

fn time_of(clock: ClockId) -> Duration {
    let Timespec { tv_sec, tv_nsec } = clock_gettime(clock);
    let seconds = u64::try_from(tv_sec).expect("time does not run backwards");
    Duration::new(seconds, u32::try_from(tv_nsec).expect("less than a second"))
}
