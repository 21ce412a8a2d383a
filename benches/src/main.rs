//! The runner of the measurements, each of which prints its tables and stores them in `results.json` and `RESULTS.md`.

use std::{io, path::PathBuf};

use benches::{
    actor, book, contracts, durable, fanout, instant, load, recovery, report, served_lending, served_market,
    side_by_side,
};
use clap::{Args, Parser, Subcommand};

/// The allocator that the server uses.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Parser)]
#[command(about)]
struct Arguments {
    #[command(subcommand)]
    measurement: Measurement,
    /// Where chance begins; printed with every figure.
    #[arg(long, global = true, default_value_t = 21)]
    seed: u64,
    /// A folder on the disk to be measured, instead of one under `target`.
    #[arg(long, global = true)]
    folder: Option<PathBuf>,
}

#[derive(Args)]
struct Books {
    /// Live offers of the books.
    #[arg(long, value_delimiter = ',')]
    sizes: Vec<usize>,
    /// Operations a round, at least.
    #[arg(long)]
    operations: Option<usize>,
    /// Rounds.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
}

impl Books {
    fn sizes(&self, usual: &[usize]) -> Vec<usize> {
        if self.sizes.is_empty() { usual.to_vec() } else { self.sizes.clone() }
    }
}

#[derive(Subcommand)]
enum Measurement {
    /// Everything, one after the other.
    All,
    /// The bare book: the mix, latencies, price ticks.
    Book(Books),
    /// The book beside orderbook-rs and lobster, on what all of them can do.
    SideBySide(Books),
    /// The book behind its actor, with a journal that is durable at once.
    Actor(Books),
    /// What the contracts cost: preparing, verifying and finishing transactions, choosing coins.
    Contracts {
        /// How often each step is done.
        #[arg(long, default_value_t = 5_000)]
        times: usize,
    },
    /// The journal and the market on it, beside raw appends with fdatasync.
    Durable {
        /// Rounds.
        #[arg(long, default_value_t = 7)]
        rounds: usize,
        /// Batches a round.
        #[arg(long, default_value_t = 128)]
        batches: usize,
    },
    /// How long a restart takes.
    Recovery {
        /// Events in the journal.
        #[arg(long, default_value_t = 1_000_000)]
        events: usize,
        /// Rounds.
        #[arg(long, default_value_t = 5)]
        rounds: usize,
    },
    /// The feed's fan-out to many sockets.
    Fanout {
        /// Sockets.
        #[arg(long, value_delimiter = ',', default_values_t = fanout::SOCKETS)]
        sockets: Vec<usize>,
        /// Deliveries a second, at most.
        #[arg(long, default_value_t = 40_000)]
        deliveries: u32,
        /// How long, in seconds.
        #[arg(long, default_value_t = 10)]
        seconds: u32,
    },
    /// Lenders who create, edit and cancel offers over HTTP.
    Load {
        /// A running server, such as <http://127.0.0.1:8080>; without one, a server of its own.
        #[arg(long)]
        url: Option<String>,
        /// Lenders.
        #[arg(long, default_value_t = 64)]
        clients: usize,
        /// How long, in seconds.
        #[arg(long, default_value_t = 15)]
        seconds: u64,
    },
    /// Instant loans over HTTP at a steady rate, and when other people's sockets hear of them.
    Instant {
        /// Loans.
        #[arg(long, default_value_t = 2_000)]
        loans: usize,
        /// Submissions a second.
        #[arg(long, default_value_t = 200)]
        rate: u32,
        /// Lenders.
        #[arg(long, default_value_t = 20)]
        lenders: usize,
        /// Borrowers.
        #[arg(long, default_value_t = 200)]
        borrowers: usize,
    },
    /// Puts the tables of the results file into RESULTS.md.
    Report,
    /// Serves a market to a measurement, which speaks to it by lines.
    #[command(hide = true)]
    Serve {
        /// The data folder.
        data: PathBuf,
    },
    /// The same on a chain of its own.
    #[command(hide = true)]
    ServeLending {
        /// The data folder.
        data: PathBuf,
    },
}

/// The measurements that run as processes of their own, with their default sizes.
const ALL: [&str; 9] =
    ["book", "side-by-side", "actor", "contracts", "durable", "recovery", "fanout", "load", "instant"];

fn main() -> io::Result<()> {
    let Arguments { measurement, seed, folder } = Arguments::parse();
    let folder = folder.as_deref();
    match measurement {
        Measurement::All => ALL.iter().try_for_each(|name| by_itself(name, seed, folder)),
        Measurement::Book(books) => {
            book::run(seed, &books.sizes(&book::SIZES), books.operations.unwrap_or(1_000_000), books.rounds)
        }
        Measurement::SideBySide(books) => {
            side_by_side::run(seed, &books.sizes(&book::SIZES), books.operations.unwrap_or(300_000), books.rounds)
        }
        Measurement::Actor(books) => {
            actor::run(seed, &books.sizes(&actor::SIZES), books.operations.unwrap_or(200_000), books.rounds)
        }
        Measurement::Contracts { times } => contracts::run(seed, times),
        Measurement::Durable { rounds, batches } => durable::run(seed, rounds, batches, folder),
        Measurement::Recovery { events, rounds } => recovery::run(seed, events, rounds, folder),
        Measurement::Fanout { sockets, deliveries, seconds } => fanout::run(&sockets, deliveries, seconds),
        Measurement::Load { url, clients, seconds } => load::run(seed, url, clients, seconds, folder),
        Measurement::Instant { loans, rate, lenders, borrowers } => {
            instant::run(seed, instant::Sizes { loans, rate, lenders, borrowers }, folder)
        }
        Measurement::Report => report::regenerate(),
        Measurement::Serve { data } => served_market::serve(&data),
        Measurement::ServeLending { data } => served_lending::serve(&data),
    }
}

/// Runs a measurement as a process of its own, so that its allocator state does not affect the next one.
fn by_itself(name: &str, seed: u64, folder: Option<&std::path::Path>) -> io::Result<()> {
    let mut command = std::process::Command::new(std::env::current_exe()?);
    command.arg(name).arg("--seed").arg(seed.to_string());
    if let Some(folder) = folder {
        command.arg("--folder").arg(folder);
    }
    let status = command.status()?;
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("{name} failed: {status}"))) }
}
