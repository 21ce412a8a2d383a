//! PostgreSQL servers for tests: real ones, from Debian's packages, on free loopback ports and in temporary folders.
//!
//! A server ends with the test process, even if that is killed: a shell that waits for its end kills the server and
//! removes the folder. Started by root, a server runs as the user `postgres`, because it refuses to run as root.

mod processes;
mod programs;
mod replicated_server;
mod server;
mod watchdog;

pub use programs::program;
pub use replicated_server::ReplicatedServer;
pub use server::Server;

use std::{
    thread,
    time::{Duration, Instant},
};

/// The limit of every wait. Reaching it fails the test.
pub const WAIT_MAX: Duration = Duration::from_mins(3);

const POLL_EVERY: Duration = Duration::from_millis(10);

/// Waits until a condition holds.
///
/// # Panics
/// If it does not hold within [`WAIT_MAX`].
pub fn wait_until(condition: &str, mut holds: impl FnMut() -> bool) {
    let started_at = Instant::now();
    while !holds() {
        assert!(started_at.elapsed() < WAIT_MAX, "timed out waiting until {condition}");
        thread::sleep(POLL_EVERY);
    }
}
