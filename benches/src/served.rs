//! This program again as a process of its own, which serves a measurement and is spoken to by lines of JSON: so that its
//! processor time and memory can be told from those of the clients.

use std::{
    io::{self, BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use crate::machine::{cpu_seconds, memory_bytes};

/// Where the server listens.
#[derive(Debug, Serialize, Deserialize)]
struct Ready {
    address: String,
}

/// The server's process; it ends when this is dropped.
#[derive(Debug)]
pub struct Served {
    /// Where it listens.
    pub address: String,
    child: Child,
    orders: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Served {
    /// Starts a hidden subcommand on a data folder.
    ///
    /// # Errors
    /// When it does not start.
    pub fn start(subcommand: &str, data: &Path) -> io::Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg(subcommand)
            .arg(data)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let orders = child.stdin.take();
        let mut answers = BufReader::new(child.stdout.take().expect("it is piped"));
        let Ready { address } = read_line(&mut answers)?;
        Ok(Self { address, child, orders, answers })
    }

    /// Gives an order and waits until it is done.
    ///
    /// # Errors
    /// When the server is gone or answers something else.
    pub fn ask<T: for<'a> Deserialize<'a>>(&mut self, order: &impl Serialize) -> io::Result<T> {
        let orders = self.orders.as_mut().expect("it is there until the end");
        serde_json::to_writer(&mut *orders, order)?;
        orders.write_all(b"\n")?;
        orders.flush()?;
        read_line(&mut self.answers)
    }

    /// Resident memory in bytes.
    #[must_use]
    pub fn memory_bytes(&self) -> u64 {
        memory_bytes(self.child.id())
    }

    /// Processor time so far, in seconds.
    #[must_use]
    pub fn cpu_seconds(&self) -> f64 {
        cpu_seconds(self.child.id())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // The end of its orders is the server's sign to stop.
        drop(self.orders.take());
        let _ = self.child.wait();
    }
}

fn read_line<T: for<'a> Deserialize<'a>>(answers: &mut BufReader<ChildStdout>) -> io::Result<T> {
    let mut line = String::new();
    answers.read_line(&mut line)?;
    serde_json::from_str(&line).map_err(|error| io::Error::other(format!("the server said {line:?}: {error}")))
}

/// The server's side: answers an order.
///
/// # Errors
/// When nobody listens any more.
pub fn answer(answer: &impl Serialize) -> io::Result<()> {
    let mut out = io::stdout().lock();
    serde_json::to_writer(&mut out, answer)?;
    out.write_all(b"\n")?;
    out.flush()
}

/// The server's side: says where it listens, and takes orders from now on.
///
/// # Errors
/// When nobody listens any more.
pub fn ready<T>(address: &impl ToString) -> io::Result<mpsc::UnboundedReceiver<T>>
where
    T: for<'a> Deserialize<'a> + Send + 'static,
{
    answer(&Ready { address: address.to_string() })?;
    let (sender, orders) = mpsc::unbounded_channel();
    // A thread of their own, so that waiting for them holds nobody up.
    std::thread::spawn(move || {
        for line in io::stdin().lines().map_while(Result::ok) {
            let order = serde_json::from_str(&line).expect("orders are well-formed");
            if sender.send(order).is_err() {
                break;
            }
        }
    });
    Ok(orders)
}
