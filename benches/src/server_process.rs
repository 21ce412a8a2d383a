//! A separate server process: this program run again and controlled by lines of JSON, so that its processor time and
//! memory can be distinguished from those of the clients.

use std::{
    io::{self, BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use crate::machine::{cpu_seconds, memory_bytes};

/// The address that the server listens on.
#[derive(Debug, Serialize, Deserialize)]
struct Ready {
    address: String,
}

/// The server's process; it ends when this is dropped.
#[derive(Debug)]
pub struct ServerProcess {
    /// The address that it listens on.
    pub address: String,
    child: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl ServerProcess {
    /// Starts a hidden subcommand on a data folder.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start(subcommand: &str, data: &Path) -> io::Result<Self> {
        Self::start_with(subcommand, data, &[], &[])
    }

    /// Does the same with flags and variables.
    ///
    /// # Errors
    /// Those of [`Self::start`].
    pub fn start_with(subcommand: &str, data: &Path, flags: &[&str], variables: &[(&str, &str)]) -> io::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(subcommand).arg(data).args(flags).envs(variables.iter().copied());
        Self::spawn(command)
    }

    /// Starts a program that is controlled in the same way.
    ///
    /// # Errors
    /// Those of [`Self::start`].
    pub fn spawn(mut command: Command) -> io::Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let requests = child.stdin.take();
        let mut answers = BufReader::new(child.stdout.take().expect("it is piped"));
        let Ready { address } = read_line(&mut answers)?;
        Ok(Self { address, child, requests, answers })
    }

    /// Sends a request and waits for its answer.
    ///
    /// # Errors
    /// If the server has ended or gives an unexpected answer.
    pub fn ask<T: for<'a> Deserialize<'a>>(&mut self, request: &impl Serialize) -> io::Result<T> {
        let requests = self.requests.as_mut().expect("it is there until the end");
        serde_json::to_writer(&mut *requests, request)?;
        requests.write_all(b"\n")?;
        requests.flush()?;
        read_line(&mut self.answers)
    }

    /// The resident memory in bytes.
    #[must_use]
    pub fn memory_bytes(&self) -> u64 {
        memory_bytes(self.child.id())
    }

    /// The processor time so far, in seconds.
    #[must_use]
    pub fn cpu_seconds(&self) -> f64 {
        cpu_seconds(self.child.id())
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // The end of its input signals the server to stop.
        drop(self.requests.take());
        let _ = self.child.wait();
    }
}

fn read_line<T: for<'a> Deserialize<'a>>(answers: &mut BufReader<ChildStdout>) -> io::Result<T> {
    let mut line = String::new();
    answers.read_line(&mut line)?;
    serde_json::from_str(&line)
        .map_err(|error| io::Error::other(format!("unexpected answer from the server {line:?}: {error}")))
}

/// Answers a request, on the server's side.
///
/// # Errors
/// If the reader is gone.
pub fn answer(answer: &impl Serialize) -> io::Result<()> {
    let mut out = io::stdout().lock();
    serde_json::to_writer(&mut out, answer)?;
    out.write_all(b"\n")?;
    out.flush()
}

/// Reports the address, and returns the requests received from then on; on the server's side.
///
/// # Errors
/// If the reader is gone.
pub fn ready<T>(address: &impl ToString) -> io::Result<mpsc::UnboundedReceiver<T>>
where
    T: for<'a> Deserialize<'a> + Send + 'static,
{
    answer(&Ready { address: address.to_string() })?;
    let (sender, requests) = mpsc::unbounded_channel();
    // A thread of its own, so that reading them blocks no other task.
    std::thread::spawn(move || {
        for line in io::stdin().lines().map_while(Result::ok) {
            let request = serde_json::from_str(&line).expect("requests are valid JSON");
            if sender.send(request).is_err() {
                break;
            }
        }
    });
    Ok(requests)
}
