//! The cost of durability: the journal, and the actor on top of it, compared with raw appends and syncs of the same
//! bytes.
//!
//! Disk performance varies by the minute, so the contestants alternate and every round has its own ratio.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use domain::GroupId;
use engine::{
    Market, Settings,
    clock::ManualClock,
    journal::{Batch, Journal as _},
};
use persistence::{Options, SledJournal};

use crate::{
    book_events::{batches, book_events, listing},
    book_log::Step,
    drive::{drive, funded_vaults, open_vaults},
    latency::Latencies,
    machine::Watch,
    market,
    number::{count, float_len, median, per_second, spread, whole},
    planner::{START, funded_log},
    raw_disk::{RawDisk, RawFile},
    report::{Section, Table, print},
};

/// The number of events per batch.
pub const BATCH_EVENTS: usize = 1_024;
const GROUPS: u32 = 40;
/// The lenders and live offers of the market that is driven end to end.
const LENDERS: usize = 200;
const OFFERS: usize = 10_000;
/// The number of commands in flight, as many as a mailbox holds.
const WINDOW: usize = 1_024;
/// The space in the raw file for each batch.
const RAW_BATCH_BYTES_MAX: usize = 128 * 1_024;
/// The size and number of the writes that measure the raw sync rate.
const SMALL_BYTES: usize = 4_096;
const SMALL_SYNCS: usize = 200;

/// Creates a folder on a real disk, removed when dropped.
///
/// # Errors
/// If it cannot be created.
pub fn folder_on_disk(chosen: Option<&Path>) -> io::Result<tempfile::TempDir> {
    let usual = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../target/bench-data"));
    let parent = chosen.map_or_else(usual, Path::to_owned);
    std::fs::create_dir_all(&parent)?;
    tempfile::Builder::new().prefix("lienbook-").tempdir_in(parent)
}

/// The events per second of each round.
#[derive(Default)]
struct Rounds {
    raw: Vec<f64>,
    raw_full: Vec<f64>,
    journal: Vec<f64>,
    market: Vec<f64>,
    syncs: Vec<f64>,
    latencies: Latencies,
    bytes_a_batch: f64,
    bytes_on_disk_an_event: f64,
}

/// The result of one contestant in one round.
struct Turn {
    events: usize,
    elapsed: Duration,
}

impl Turn {
    fn rate(&self) -> f64 {
        per_second(self.events, self.elapsed)
    }
}

/// Appends batches, each once the previous one is durable.
async fn journal_turn(journal: &SledJournal, batches: Vec<Batch>, latencies: &mut Latencies) -> Turn {
    let start = Instant::now();
    let mut events = 0;
    for batch in batches {
        events += batch.appends.iter().map(|append| append.events.len()).sum::<usize>();
        let begun = Instant::now();
        let outcome = journal.append(batch).await.expect("the journal's writer is running");
        outcome.expect("the batch is appended");
        latencies.record(begun.elapsed());
    }
    Turn { events, elapsed: start.elapsed() }
}

/// Submits commands to the market, with as many in flight as its mailbox holds.
async fn market_turn(market: &Market, journal: &SledJournal, steps: &[Step]) -> Turn {
    let before = journal.stats().events();
    let elapsed = drive(market, GroupId(1), steps, WINDOW).await;
    let events = usize::try_from(journal.stats().events() - before).expect("few events");
    Turn { events, elapsed }
}

async fn rounds(folder: &Path, seed: u64, rounds: usize, batches_a_round: usize) -> io::Result<Rounds> {
    let groups = book_events(seed, GROUPS, (rounds * batches_a_round).div_ceil(40) * BATCH_EVENTS);
    let batches = batches(&groups, BATCH_EVENTS);
    let journal = SledJournal::open(folder.join("journal"), Options::default()).map_err(io::Error::other)?;
    let listed = journal.append(listing(&groups)).await.expect("the journal's writer is running");
    listed.expect("the groups are listed");
    let served = Arc::new(SledJournal::open(folder.join("market"), Options::default()).map_err(io::Error::other)?);
    let clock = Arc::new(ManualClock::new(START));
    let market = Market::start(served.clone(), clock, Settings::default()).map_err(io::Error::other)?;
    market.list_group((*market::group(1)).clone()).await.expect("the group is listed");
    open_vaults(&market, LENDERS).await;
    let (log, _) = funded_log(seed, OFFERS, rounds * batches_a_round * BATCH_EVENTS, funded_vaults(LENDERS));
    drive(&market, GroupId(1), &log.fill, WINDOW).await;
    let steps: Vec<Step> =
        log.windows.into_iter().flat_map(|window| window.mixed.into_iter().chain(window.trim)).collect();
    let mut steps = steps.chunks(batches_a_round * BATCH_EVENTS);
    let mut raw = RawDisk::create(folder, batches_a_round * RAW_BATCH_BYTES_MAX)?;
    let mut found = Rounds::default();
    for (round, of_round) in batches.chunks(batches_a_round).take(rounds).enumerate() {
        let before = journal.stats().bytes();
        let journal_rate = journal_turn(&journal, of_round.to_vec(), &mut found.latencies).await.rate();
        let bytes = usize::try_from(journal.stats().bytes() - before).expect("few bytes") / of_round.len();
        let mut raw_turn = |file| {
            let elapsed = raw.write(file, bytes, of_round.len())?;
            Ok::<_, io::Error>(per_second(of_round.len() * BATCH_EVENTS, elapsed))
        };
        let raw_rate = raw_turn(RawFile::Growing)?;
        let raw_full_rate = raw_turn(RawFile::Full)?;
        let market_rate = market_turn(&market, &served, steps.next().expect("the log is long enough")).await.rate();
        found.bytes_a_batch = float_len(bytes);
        found.syncs.push(per_second(SMALL_SYNCS, raw.write(RawFile::Growing, SMALL_BYTES, SMALL_SYNCS)?));
        print(&format!(
            "  round {}: raw {} (full file {}), journal {}, market {} events/s, {} raw syncs/s",
            round + 1,
            whole(raw_rate),
            whole(raw_full_rate),
            whole(journal_rate),
            whole(market_rate),
            whole(found.syncs[round])
        ));
        found.raw.push(raw_rate);
        found.raw_full.push(raw_full_rate);
        found.journal.push(journal_rate);
        found.market.push(market_rate);
    }
    market.stop().await;
    served.close();
    journal.close();
    found.bytes_on_disk_an_event =
        float_len(bytes_in(&folder.join("journal"))?) / float_len(rounds * batches_a_round * BATCH_EVENTS);
    Ok(found)
}

fn bytes_in(folder: &Path) -> io::Result<usize> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        bytes +=
            if metadata.is_dir() { bytes_in(&entry.path())? } else { usize::try_from(metadata.len()).unwrap_or(0) };
    }
    Ok(bytes)
}

fn ratios(one: &[f64], other: &[f64]) -> Vec<f64> {
    one.iter().zip(other).map(|(one, other)| one / other).collect()
}

/// Adds the rates of contestants, in events a second of each round, and their shares of the first one's.
pub(crate) fn compare_with_raw(section: &mut Section, title: &str, contestants: &[(&str, &[f64])]) {
    let columns = ["what", "events/s", "least", "most", "of raw, median", "of raw, least", "of raw, most"];
    let mut table = Table::new(title, &columns);
    let raw = contestants.first().map_or(&[][..], |(_, rates)| rates);
    for (name, rates) in contestants {
        let (least, most) = spread(rates);
        let of_raw = ratios(rates, raw);
        let (worst, best) = spread(&of_raw);
        let shares = [median(&of_raw), worst, best].map(|share| format!("{:.0} %", share * 100.0));
        let rate = median(rates);
        table.row([(*name).to_owned(), whole(rate), whole(least), whole(most)].into_iter().chain(shares));
        section.figure(format!("{name}, of raw"), median(&of_raw));
        section.figure(format!("{name}, events/s"), rate);
    }
    section.table(table);
}

/// Runs the measurement, with the contestants alternating.
///
/// # Errors
/// If the disk fails or the results cannot be written.
pub fn run(seed: u64, rounds_wanted: usize, batches_a_round: usize, chosen: Option<&Path>) -> io::Result<()> {
    print(&format!("durable: seed {seed}"));
    let watch = Watch::start();
    let folder = folder_on_disk(chosen)?;
    let found = actix::System::new().block_on(rounds(folder.path(), seed, rounds_wanted, batches_a_round))?;
    let mut section = Section::new("durable", &watch);
    let title = format!("Durable events, {BATCH_EVENTS} a batch where batches are given; medians of the rounds");
    let contestants = [
        ("raw append and sync", found.raw.as_slice()),
        ("raw write into a full file, and sync", found.raw_full.as_slice()),
        ("the journal, one batch at a time", found.journal.as_slice()),
        ("the market: commands to durable answers", found.market.as_slice()),
    ];
    compare_with_raw(&mut section, &title, &contestants);
    let columns: Vec<&str> = ["what"].into_iter().chain(Latencies::COLUMNS).collect();
    let mut latencies = Table::new("Until a batch is durable", &columns);
    latencies.row(["the journal, one batch at a time".to_owned()].into_iter().chain(found.latencies.cells()));
    section.table(latencies);
    let (slowest, quickest) = spread(&found.syncs);
    section.note(format!(
        "The disk alone: {} appends of {SMALL_BYTES} bytes with `fdatasync` a second (least {}, most {}).",
        whole(median(&found.syncs)),
        whole(slowest),
        whole(quickest)
    ));
    section.note(format!(
        "Seed {seed}, {rounds_wanted} rounds of {} batches of {} bytes over {GROUPS} groups; raw writes as many bytes as often as \
         the journal has commits. The journal's folder holds {:.0} bytes an event.",
        count(batches_a_round),
        whole(found.bytes_a_batch),
        found.bytes_on_disk_an_event
    ));
    section.note(format!(
        "The market has {WINDOW} commands of the mix under way and gathers its batches itself; an accept or a vault tick writes \
         events of several streams."
    ));
    section.figure("raw_syncs_per_second", median(&found.syncs));
    section.publish()
}
