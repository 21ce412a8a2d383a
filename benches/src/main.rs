//! Measures what the market costs. Every measurement prints its tables, keeps them in `results.json` and in `RESULTS.md`.

use std::io;

use benches::{book, report, side_by_side};
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(about)]
struct Arguments {
    #[command(subcommand)]
    measurement: Measurement,
    /// Where chance begins; printed with every figure.
    #[arg(long, global = true, default_value_t = 21)]
    seed: u64,
}

#[derive(Subcommand)]
enum Measurement {
    /// The bare book: the mix, latencies, price ticks.
    Book {
        /// Live offers.
        #[arg(long, value_delimiter = ',', default_values_t = book::SIZES)]
        sizes: Vec<usize>,
        /// Operations a round, at least.
        #[arg(long, default_value_t = 1_000_000)]
        operations: usize,
        /// Rounds.
        #[arg(long, default_value_t = 5)]
        rounds: usize,
    },
    /// The book beside orderbook-rs and lobster, on what all of them can do.
    SideBySide {
        /// Live orders.
        #[arg(long, value_delimiter = ',', default_values_t = book::SIZES)]
        sizes: Vec<usize>,
        /// Operations a round, at least.
        #[arg(long, default_value_t = 300_000)]
        operations: usize,
        /// Rounds.
        #[arg(long, default_value_t = 5)]
        rounds: usize,
    },
    /// Puts the tables of the results file into RESULTS.md.
    Report,
}

fn main() -> io::Result<()> {
    let Arguments { measurement, seed } = Arguments::parse();
    match measurement {
        Measurement::Book { sizes, operations, rounds } => book::run(seed, &sizes, operations, rounds),
        Measurement::SideBySide { sizes, operations, rounds } => side_by_side::run(seed, &sizes, operations, rounds),
        Measurement::Report => report::regenerate(),
    }
}
