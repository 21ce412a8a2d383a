//! The mix of commands through the market's actor, with a journal that answers immediately.

use std::{io, sync::Arc};

use domain::GroupId;
use engine::{
    Market, Settings,
    clock::ManualClock,
    feed::{Channel, SocketQueue, SocketQueueLimits},
};
use futures_util::StreamExt as _;

use crate::{
    book_log::Log,
    drive::{drive, drive_one_by_one, funded_vaults, open_vaults},
    latency::Latencies,
    machine::Watch,
    market,
    memory_journal::MemoryJournal,
    number::{count, median, per_second, spread, whole},
    planner::{START, funded_log, lenders_for},
    report::{Section, Table, print},
};

/// The only group.
pub const GROUP: GroupId = GroupId(1);
/// The numbers of live offers in the measured books.
pub const SIZES: [usize; 2] = [1_000, 100_000];
/// The number of commands in flight; less than the capacity of a book's mailbox.
const WINDOW: usize = 512;
/// The number of commands whose latency is measured individually.
const ONE_BY_ONE: usize = 20_000;

/// Starts a market with one group, without a disk, and a funded vault for each of `lenders`.
pub(crate) async fn start(lenders: usize) -> Market {
    let clock = Arc::new(ManualClock::new(START));
    let settings = Settings { arbiters: 1, ..Settings::default() };
    let market = Market::start(Arc::<MemoryJournal>::default(), clock, settings).expect("the market starts");
    market.list_group((*market::group(GROUP.0)).clone()).await.expect("the group is listed");
    open_vaults(&market, lenders).await;
    market
}

/// Reads the feed of one subscriber until it ends.
async fn read_feed(market: Market) {
    let mut socket_queue = SocketQueue::new(SocketQueueLimits { frames_max: 100_000, bytes_max: 1 << 30, lags_max: 3 });
    let subscription = market.subscribe(Channel::Book(GROUP), &socket_queue).await.expect("the book can be watched");
    while socket_queue.next().await.is_some() {}
    drop(subscription);
}

/// Returns the operations per second of the mix.
async fn rate(log: &Log, lenders: usize, is_watched: bool) -> f64 {
    let market = start(lenders).await;
    drive(&market, GROUP, &log.fill, WINDOW).await;
    let reader = is_watched.then(|| actix::spawn(read_feed(market.clone())));
    let mut elapsed = std::time::Duration::ZERO;
    for window in &log.windows {
        elapsed += drive(&market, GROUP, &window.mixed, WINDOW).await;
        drive(&market, GROUP, &window.trim, WINDOW).await;
    }
    market.stop().await;
    if let Some(reader) = reader {
        reader.abort();
    }
    per_second(log.operations(), elapsed)
}

async fn latencies(log: &Log, lenders: usize) -> Latencies {
    let market = start(lenders).await;
    drive(&market, GROUP, &log.fill, WINDOW).await;
    let mut latencies = Latencies::default();
    let mut left = ONE_BY_ONE;
    for window in &log.windows {
        let (now, later) = window.mixed.split_at(left.min(window.mixed.len()));
        drive_one_by_one(&market, GROUP, now, &mut latencies).await;
        left -= now.len();
        if left == 0 {
            break;
        }
        drive(&market, GROUP, later, WINDOW).await;
        drive(&market, GROUP, &window.trim, WINDOW).await;
    }
    market.stop().await;
    latencies
}

/// Measures every size.
///
/// # Errors
/// If the results cannot be written.
pub fn run(seed: u64, sizes: &[usize], operations: usize, rounds: usize) -> io::Result<()> {
    print(&format!("actor: seed {seed}"));
    let watch = Watch::start();
    let columns = ["live offers", "operations/s", "least", "most", "with a feed subscriber"];
    let mut rates = Table::new(&format!("The mix through the actor, {WINDOW} commands under way: median"), &columns);
    let columns = ["live offers"].into_iter().chain(Latencies::COLUMNS).collect::<Vec<_>>();
    let mut one_by_one = Table::new("One command, from the caller to the actor and back", &columns);
    let mut figures = Vec::new();
    for size in sizes {
        let lenders = lenders_for(*size);
        let (log, _) = funded_log(seed, *size, operations, funded_vaults(lenders));
        let (mut alone, mut watched) = (Vec::new(), Vec::new());
        for round in 1..=rounds {
            alone.push(actix::System::new().block_on(rate(&log, lenders, false)));
            watched.push(actix::System::new().block_on(rate(&log, lenders, true)));
            print(&format!("  {} offers, round {round}: {} operations/s", count(*size), whole(alone[round - 1])));
        }
        let (least, most) = spread(&alone);
        rates.row([count(*size), whole(median(&alone)), whole(least), whole(most), whole(median(&watched))]);
        figures.push((format!("operations_per_second_{size}"), median(&alone)));
        let found = actix::System::new().block_on(latencies(&log, lenders));
        figures.push((format!("p99_ns_{size}"), found.quantile(0.99)));
        one_by_one.row([count(*size)].into_iter().chain(found.cells()));
    }
    let mut section = Section::new("actor", &watch);
    section.table(rates);
    section.table(one_by_one);
    section
        .note(format!("Seed {seed}, {rounds} rounds of at least {} operations, by the wall clock.", count(operations)));
    section.note(
        "Included: the queue, the ledger of vaults and pledges, the answer with the lender's offer and its rank, the market's \
         row. The journal answers at once and keeps nothing. The caller runs on a thread of its own.",
    );
    section.figures.extend(figures);
    section.publish()
}
