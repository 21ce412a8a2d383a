//! The runner of the measurements, each of which prints its tables and stores them in `results.json` and `RESULTS.md`.

use std::{io, path::PathBuf};

use benches::{
    actor, book, contracts, database, durable, fanout, fanout_peers, followers, instant, instead, load, load_socket,
    memory, open_loop, pegs, recovery, report, served_lending, served_market, side_by_side,
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
    /// The random seed; printed with every figure.
    #[arg(long, global = true, default_value_t = 21)]
    seed: u64,
    /// A folder on the disk to be measured, instead of one under `target`.
    #[arg(long, global = true)]
    folder: Option<PathBuf>,
}

#[derive(Args)]
struct Books {
    /// The numbers of live offers in the books.
    #[arg(long, value_delimiter = ',')]
    sizes: Vec<usize>,
    /// The minimum number of operations per round.
    #[arg(long)]
    operations: Option<usize>,
    /// Rounds.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
}

#[derive(Args)]
struct FanoutFlags {
    /// Sockets.
    #[arg(long, value_delimiter = ',')]
    sockets: Vec<usize>,
    /// The maximum number of deliveries per second.
    #[arg(long)]
    deliveries: Option<u32>,
    /// The duration of a run in seconds.
    #[arg(long)]
    seconds: Option<u32>,
    /// Compared with nats-server's WebSocket and Node's ws.
    #[arg(long)]
    peers: bool,
    /// Sockets of our server alone, where it is compared.
    #[arg(long, value_delimiter = ',', requires = "peers", default_values_t = fanout_peers::OURS_ALONE)]
    ours_alone: Vec<usize>,
    /// Rounds, where it is compared.
    #[arg(long, default_value_t = 5, requires = "peers")]
    rounds: usize,
}

impl FanoutFlags {
    fn run(self) -> io::Result<()> {
        let or = |default: &[usize]| if self.sockets.is_empty() { default.to_vec() } else { self.sockets.clone() };
        if !self.peers {
            let (deliveries, seconds) = (self.deliveries.unwrap_or(40_000), self.seconds.unwrap_or(10));
            return fanout::run(&or(&fanout::SOCKETS), deliveries, seconds);
        }
        fanout_peers::run(&fanout_peers::Sizes {
            sockets: or(&fanout_peers::SOCKETS),
            ours_alone: self.ours_alone,
            deliveries: self.deliveries.unwrap_or(100_000),
            seconds: self.seconds.unwrap_or(5),
            rounds: self.rounds,
        })
    }
}

impl Books {
    fn sizes(&self, default: &[usize]) -> Vec<usize> {
        if self.sizes.is_empty() { default.to_vec() } else { self.sizes.clone() }
    }
}

#[derive(Subcommand)]
enum Measurement {
    /// All measurements, one after the other.
    All,
    /// The bare order book: throughput of the mix, latencies, price ticks.
    Book(Books),
    /// Price ticks on a bare book of offers that follow the floor.
    Pegs(Books),
    /// The book compared with orderbook-rs and lobster, on the operations that all of them support.
    SideBySide(Books),
    /// The book behind its actor, with a journal that answers immediately.
    Actor(Books),
    /// The cost of contracts: preparing, verifying and finalizing transactions, coin selection.
    Contracts {
        /// The number of repetitions of each step.
        #[arg(long, default_value_t = 5_000)]
        times: usize,
    },
    /// The journal and the market on it, compared with raw appends with fdatasync.
    Durable {
        /// Rounds.
        #[arg(long, default_value_t = 7)]
        rounds: usize,
        /// Batches per round.
        #[arg(long, default_value_t = 128)]
        batches: usize,
    },
    /// The journal in a PostgreSQL database and the market on it, compared with raw commits.
    Database {
        /// Rounds.
        #[arg(long, default_value_t = 7)]
        rounds: usize,
        /// Batches per round.
        #[arg(long, default_value_t = 128)]
        batches: usize,
    },
    /// Tables of PostgreSQL and `SQLite` that a user would build instead, compared with our server's durable orders.
    Instead {
        /// The numbers of offers in the books.
        #[arg(long, value_delimiter = ',', default_values_t = instead::SIZES)]
        sizes: Vec<usize>,
        /// Rounds.
        #[arg(long, default_value_t = 5)]
        rounds: usize,
        /// The duration of each contestant's round in seconds.
        #[arg(long, default_value_t = 3)]
        seconds: u64,
    },
    /// The duration of a restart.
    Recovery {
        /// Events in the journal.
        #[arg(long, default_value_t = 1_000_000)]
        events: usize,
        /// Rounds.
        #[arg(long, default_value_t = 5)]
        rounds: usize,
    },
    /// The feed's fan-out to many sockets.
    Fanout(FanoutFlags),
    /// Lenders who create, edit and cancel offers over HTTP or over the trading socket.
    Load {
        /// A running server, such as <http://127.0.0.1:8080>; without one, a server is started.
        #[arg(long)]
        url: Option<String>,
        /// Lenders.
        #[arg(long, default_value_t = 64)]
        clients: usize,
        /// The duration in seconds, over the socket of each way's round.
        #[arg(long)]
        seconds: Option<u64>,
        /// Over the trading socket, pipelined, in both encodings, one by one and in batches; on a server of its own.
        #[arg(long, conflicts_with = "url")]
        socket: bool,
        /// Rounds over the socket.
        #[arg(long, default_value_t = 5, requires = "socket")]
        rounds: usize,
    },
    /// Instant loans over HTTP at a steady rate, with the latency until other clients' sockets receive them.
    Instant {
        /// Loans.
        #[arg(long, default_value_t = 2_000)]
        loans: usize,
        /// Submissions per second.
        #[arg(long, default_value_t = 200)]
        rate: u32,
        /// Lenders.
        #[arg(long, default_value_t = 20)]
        lenders: usize,
        /// Borrowers.
        #[arg(long, default_value_t = 200)]
        borrowers: usize,
        /// Signers that share the vaults.
        #[arg(long, default_value_t = 1)]
        signers: usize,
    },
    /// Latencies at steady rates, 10 to 90 % of the maximum, counted from the scheduled time of each command.
    OpenLoop {
        /// Rounds.
        #[arg(long, default_value_t = 5)]
        rounds: usize,
        /// The duration of a step in seconds, at most.
        #[arg(long, default_value_t = 2.0)]
        seconds: f64,
        /// The operations of the logs, which end a step earlier.
        #[arg(long, default_value_t = 400_000)]
        operations: usize,
    },
    /// The memory of an offer and of a socket.
    Memory {
        /// The numbers of offers.
        #[arg(long, value_delimiter = ',', default_values_t = memory::OFFERS)]
        offers: Vec<usize>,
        /// Sockets.
        #[arg(long, default_value_t = memory::SOCKETS)]
        sockets: usize,
        /// Rounds.
        #[arg(long, default_value_t = 5)]
        rounds: usize,
    },
    /// Nodes that follow one journal: the delay of their deltas, and the deliveries of one and of two.
    Followers {
        /// Sockets at each node.
        #[arg(long, default_value_t = 500)]
        sockets: usize,
        /// The deltas a second for the delay.
        #[arg(long, default_value_t = 1_000)]
        deltas: u32,
        /// The duration of each run in seconds.
        #[arg(long, default_value_t = 20)]
        seconds: u32,
        /// Rounds.
        #[arg(long, default_value_t = 5)]
        rounds: usize,
    },
    /// Puts the tables of the results file into RESULTS.md.
    Report,
    /// Serves a market to a measurement, controlled by lines of JSON.
    #[command(hide = true)]
    Serve {
        /// The data folder.
        data: PathBuf,
        #[command(flatten)]
        cluster: served_market::ClusterFlags,
    },
    /// Holds offers in a book and prints the growth of the process.
    #[command(hide = true)]
    HoldOffers {
        /// Their holder.
        holder: memory::Holder,
        /// The number of offers.
        offers: usize,
    },
    /// Serves a market with an embedded chain.
    #[command(hide = true)]
    ServeLending {
        /// The data folder.
        data: PathBuf,
        /// Signers that share the vaults.
        #[arg(long, default_value_t = 1)]
        signers: usize,
    },
}

/// The measurements that run as processes of their own, with their default sizes.
const ALL: [&[&str]; 18] = [
    &["book"],
    &["pegs"],
    &["side-by-side"],
    &["actor"],
    &["contracts"],
    &["durable"],
    &["database"],
    &["instead"],
    &["recovery"],
    &["fanout"],
    &["fanout", "--peers"],
    &["followers"],
    &["load"],
    &["load", "--socket"],
    &["instant"],
    &["instant", "--signers", "3"],
    &["open-loop"],
    &["memory"],
];

fn main() -> io::Result<()> {
    let Arguments { measurement, seed, folder } = Arguments::parse();
    let folder = folder.as_deref();
    match measurement {
        Measurement::All => ALL.iter().try_for_each(|words| run_subprocess(words, seed, folder)),
        Measurement::Book(books) => {
            book::run(seed, &books.sizes(&book::SIZES), books.operations.unwrap_or(1_000_000), books.rounds)
        }
        Measurement::Pegs(books) => pegs::run(seed, &books.sizes(&pegs::SIZES), books.rounds),
        Measurement::SideBySide(books) => {
            side_by_side::run(seed, &books.sizes(&book::SIZES), books.operations.unwrap_or(300_000), books.rounds)
        }
        Measurement::Actor(books) => {
            actor::run(seed, &books.sizes(&actor::SIZES), books.operations.unwrap_or(200_000), books.rounds)
        }
        Measurement::Contracts { times } => contracts::run(seed, times),
        Measurement::Durable { rounds, batches } => durable::run(seed, rounds, batches, folder),
        Measurement::Database { rounds, batches } => database::run(seed, rounds, batches),
        Measurement::Instead { sizes, rounds, seconds } => instead::run(seed, &sizes, rounds, seconds, folder),
        Measurement::Recovery { events, rounds } => recovery::run(seed, events, rounds, folder),
        Measurement::Fanout(flags) => flags.run(),
        Measurement::Load { socket: true, clients, seconds, rounds, .. } => {
            let seconds = seconds.unwrap_or(load_socket::SECONDS);
            load_socket::run(seed, load_socket::Sizes { clients, rounds, seconds }, folder)
        }
        Measurement::Load { url, clients, seconds, .. } => {
            load::run(seed, url, clients, seconds.unwrap_or(load::SECONDS), folder)
        }
        Measurement::Instant { loans, rate, lenders, borrowers, signers } => {
            instant::run(seed, instant::Sizes { loans, rate, lenders, borrowers, signers }, folder)
        }
        Measurement::Followers { sockets, deltas, seconds, rounds } => followers::run(sockets, deltas, seconds, rounds),
        Measurement::OpenLoop { rounds, seconds, operations } => {
            open_loop::run(seed, open_loop::Sizes { rounds, seconds, operations }, folder)
        }
        Measurement::Memory { offers, sockets, rounds } => memory::run(&offers, sockets, rounds),
        Measurement::HoldOffers { holder, offers } => memory::hold(holder, offers),
        Measurement::Report => report::regenerate(),
        Measurement::Serve { data, cluster } => served_market::serve(&data, &cluster),
        Measurement::ServeLending { data, signers } => served_lending::serve(&data, signers),
    }
}

/// Runs a measurement as a process of its own, so that its allocator state does not affect the next one.
fn run_subprocess(words: &[&str], seed: u64, folder: Option<&std::path::Path>) -> io::Result<()> {
    let mut command = std::process::Command::new(std::env::current_exe()?);
    command.args(words).arg("--seed").arg(seed.to_string());
    if let Some(folder) = folder {
        command.arg("--folder").arg(folder);
    }
    let status = command.status()?;
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("{} failed: {status}", words.join(" ")))) }
}
