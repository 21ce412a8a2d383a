//! A child process that runs until it is dropped.

use std::fs::File;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// The timeout for a program to start, or to end.
const TIMEOUT: Duration = Duration::from_mins(1);
/// The polling interval.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// A running program, killed on drop, also while a test panics.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    log: PathBuf,
}

impl Process {
    /// Starts it, with its output in a file.
    pub(crate) fn start(program: &Path, arguments: &[String], log: PathBuf) -> Self {
        let output = File::create(&log).unwrap();
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::null()).stdout(output.try_clone().unwrap()).stderr(output);
        let child = command.spawn().unwrap_or_else(|error| panic!("{} does not start: {error}", program.display()));
        Self { child, log }
    }

    /// Waits until a condition holds. The error is the end of the program's output, when it ends first or times out.
    pub(crate) async fn until(&mut self, mut holds: impl AsyncFnMut() -> bool) -> Result<(), String> {
        let begun = Instant::now();
        loop {
            let ended = self.child.try_wait().unwrap();
            if ended.is_some() || begun.elapsed() > TIMEOUT {
                return Err(format!("{ended:?} after {:?}\n{}", begun.elapsed(), self.log_tail()));
            }
            if holds().await {
                return Ok(());
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Waits until it has ended by itself.
    pub(crate) async fn end(mut self) {
        let begun = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            assert!(begun.elapsed() < TIMEOUT, "it does not end\n{}", self.log_tail());
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Stops or continues it by a signal.
    pub(crate) fn set_frozen(&self, is_frozen: bool) {
        let signal = if is_frozen { "-STOP" } else { "-CONT" };
        let sent = Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success(), "kill {signal}");
    }

    fn log_tail(&self) -> String {
        let log = std::fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(20)..].join("\n")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The maximum number of starts of a program whose port is taken by another process.
pub(crate) const STARTS_MAX: usize = 5;

/// Returns a free port, below the ephemeral ones. Tests in other processes search at the same time, each from another
/// start.
pub(crate) fn free_port() -> u16 {
    static TAKEN: AtomicU32 = AtomicU32::new(0);
    loop {
        let place = std::process::id().wrapping_mul(101).wrapping_add(TAKEN.fetch_add(1, Ordering::Relaxed));
        let port = 10_000 + u16::try_from(place % 22_000).unwrap();
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}
