//! The memory of an offer and of a socket, by the growth of a process.

use std::{
    io,
    process::{Command as Process, Stdio},
    sync::Arc,
    time::Duration,
};

use clap::ValueEnum;
use domain::{Command, Limits, OrderBook, Sats, UnixMs, UserId};
use futures_util::StreamExt as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::{
    actor::{GROUP, start},
    fanout::{connect, folder_in_memory},
    machine::{Watch, memory_bytes},
    market::{self, RANKINGS, floor_price},
    number::{count, float, float_len, median, spread, whole},
    planner::START,
    report::{Section, Table, print},
    served_market,
    server_process::{ServerProcess, answer},
};

/// The numbers of offers.
pub const OFFERS: [usize; 2] = [100_000, 1_000_000];
/// The number of sockets.
pub const SOCKETS: usize = 2_000;
/// The hidden subcommand.
pub const SUBCOMMAND: &str = "hold-offers";

/// The offers of a lender, and the balance of the vault behind them.
const OFFERS_OF_A_LENDER: usize = 100;
const VAULT: Sats = Sats::new(20_000_000);
/// The number of commands to an actor under way.
const WINDOW: usize = 512;
/// The idle time before a server's memory is measured.
const QUIET: Duration = Duration::from_secs(2);

/// The holder of the offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Holder {
    /// The bare book.
    Book,
    /// The market: the book behind its actor, with what it keeps for lenders, the feed and the market's row.
    Market,
}

impl Holder {
    const ALL: [Self; 2] = [Self::Book, Self::Market];

    const fn name(self) -> &'static str {
        match self {
            Self::Book => "an offer of the bare book",
            Self::Market => "an offer of the market",
        }
    }

    const fn argument(self) -> &'static str {
        match self {
            Self::Book => "book",
            Self::Market => "market",
        }
    }
}

/// The resident memory before and after filling, in bytes.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Growth {
    before: u64,
    after: u64,
}

/// The raw data of one size.
#[derive(Debug, Serialize)]
struct RawSize {
    what: &'static str,
    number: usize,
    bytes_each: Vec<f64>,
}

/// A lender's offer, drawn as the planner does; nothing of it is kept.
fn creation(number: usize, rng: &mut ChaCha8Rng) -> Command {
    let lender = UserId(u64::try_from(1 + number / OFFERS_OF_A_LENDER).expect("few lenders"));
    let draft = market::draft(rng.random_range(0..RANKINGS), floor_price(), VAULT, rng);
    Command::Create { lender, draft, count: 1, usable: Some(VAULT) }
}

fn own_memory() -> u64 {
    memory_bytes(std::process::id())
}

/// Fills a bare book.
fn fill_book(offers: usize, rng: &mut ChaCha8Rng) -> Growth {
    let mut book = OrderBook::new(market::group(GROUP.0), Arc::new(Limits::default()));
    let mut touched = Vec::new();
    let mut act = |command: Command, now: UnixMs| {
        touched.clear();
        for event in book.decide(&command, now).expect("the offer is accepted") {
            book.apply(&event, now, &mut touched);
        }
    };
    act(Command::SetPrice { price: floor_price(), observed_at: START }, START);
    let before = own_memory();
    for number in 0..offers {
        act(creation(number, rng), START.plus_ms(u64::try_from(number).expect("few offers")));
    }
    let after = own_memory();
    assert_eq!(book.offers().count(), offers, "every offer is in the book");
    Growth { before, after }
}

/// Fills the book of a market, whose journal keeps nothing.
async fn fill_market(offers: usize, rng: &mut ChaCha8Rng) -> Growth {
    let market = start(offers.div_ceil(OFFERS_OF_A_LENDER)).await;
    market.move_price(GROUP, floor_price(), START).await.expect("the price is accepted");
    let before = own_memory();
    let commands = (0..offers).map(|number| market.command(GROUP, creation(number, rng), None));
    let mut created = futures_util::stream::iter(commands).buffered(WINDOW);
    while let Some(outcome) = created.next().await {
        outcome.expect("the offer is accepted");
    }
    drop(created);
    let growth = Growth { before, after: own_memory() };
    market.stop().await;
    growth
}

/// Holds offers in this process, and prints its growth.
///
/// # Errors
/// If the reader is gone.
pub fn hold(holder: Holder, offers: usize) -> io::Result<()> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    answer(&match holder {
        Holder::Book => fill_book(offers, &mut rng),
        Holder::Market => actix::System::new().block_on(fill_market(offers, &mut rng)),
    })
}

/// The bytes of an offer in a process of its own.
fn bytes_an_offer(holder: Holder, offers: usize) -> io::Result<f64> {
    let mut command = Process::new(std::env::current_exe()?);
    command.args([SUBCOMMAND, holder.argument(), &offers.to_string()]).stderr(Stdio::inherit());
    let output = command.output()?;
    if !output.status.success() {
        return Err(io::Error::other(format!("{SUBCOMMAND} failed: {}", output.status)));
    }
    let Growth { before, after } = serde_json::from_slice(&output.stdout).map_err(io::Error::other)?;
    Ok((float(after) - float(before)) / float_len(offers))
}

/// The bytes of a socket that is subscribed to a book, at the server.
async fn bytes_a_socket(sockets: usize) -> io::Result<f64> {
    let folder = folder_in_memory()?;
    let server = ServerProcess::start(served_market::SUBCOMMAND, folder.path())?;
    // Memory that the first socket makes the server touch once is not part of the cost of each socket.
    connect(&server.address, 1, 0).await?.stop().await;
    tokio::time::sleep(QUIET).await;
    let empty = server.memory_bytes();
    let clients = connect(&server.address, sockets, 0).await?;
    tokio::time::sleep(QUIET).await;
    let joined = server.memory_bytes();
    clients.stop().await;
    Ok((float(joined) - float(empty)) / float_len(sockets))
}

/// Measures every number of offers, and the sockets.
///
/// # Errors
/// If a process fails, a client cannot subscribe, or the results cannot be written.
pub fn run(offers: &[usize], sockets: usize, rounds: usize) -> io::Result<()> {
    lienbook::server::open_files::raise_limit();
    print("memory");
    let watch = Watch::start();
    let mut sizes: Vec<RawSize> = Vec::new();
    for holder in Holder::ALL {
        for offers in offers {
            let bytes = (0..rounds).map(|_| bytes_an_offer(holder, *offers)).collect::<io::Result<Vec<_>>>()?;
            print(&format!("  {}, {}: {} bytes", holder.name(), count(*offers), whole(median(&bytes))));
            sizes.push(RawSize { what: holder.name(), number: *offers, bytes_each: bytes });
        }
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let bytes = (0..rounds).map(|_| runtime.block_on(bytes_a_socket(sockets))).collect::<io::Result<Vec<_>>>()?;
    sizes.push(RawSize { what: "a socket subscribed to a book", number: sockets, bytes_each: bytes });
    let mut section = Section::new("memory", &watch);
    let mut table = Table::new("Memory: medians of the rounds", &["what", "number", "bytes each", "least", "most"]);
    for RawSize { what, number, bytes_each } in &sizes {
        let (least, most) = spread(bytes_each);
        table.row([(*what).to_owned(), count(*number), whole(median(bytes_each)), whole(least), whole(most)]);
        section.figure(format!("{what}, bytes at {number}"), median(bytes_each));
    }
    section.table(table);
    section.note(format!(
        "The growth of the resident memory of a process from an empty book, or a server without sockets, divided by their number; \
         {rounds} processes each, with mimalloc. Offers are manual and instant in eight rankings, {OFFERS_OF_A_LENDER} of each \
         lender. \"The market\" adds the index of lenders, the feed's state and the ledger; its journal keeps nothing."
    ));
    section.note("A socket's memory in the kernel is not part of the process.");
    section.raw_data(&sizes)?;
    section.publish()
}
