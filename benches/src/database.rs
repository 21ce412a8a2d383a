//! The journal in a PostgreSQL database, and the market on it, compared with raw commits of the same bytes on the same
//! server.

use std::{
    io,
    sync::Arc,
    time::{Duration, Instant},
};

use domain::GroupId;
use engine::{
    Market, Settings,
    clock::ManualClock,
    journal::{Batch, Journal as _},
};
use persistence::{PostgresAddress, PostgresJournal, PostgresOptions, SynchronousStandbys, WriterLease};
use postgres_testkit::Server;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use tokio_postgres::{Client, NoTls, Statement, types::ToSql};

use crate::{
    book_events::{batches, book_events, listing},
    book_log::Step,
    drive::{drive, funded_vaults, open_vaults},
    durable::{BATCH_EVENTS, compare_with_raw},
    latency::Latencies,
    machine::Watch,
    market,
    number::{count, float_len, median, per_second, whole},
    planner::{START, funded_log},
    report::{Section, Table, print},
};

const GROUPS: u32 = 40;
const LENDERS: usize = 200;
const OFFERS: usize = 10_000;
/// The number of commands in flight.
const WINDOW: usize = 1_024;
const LEASE_TTL: Duration = Duration::from_hours(1);

/// Commits without a journal: one row of the same bytes in each.
struct RawCommits {
    client: Client,
    insert: Statement,
    bytes: Vec<u8>,
}

impl RawCommits {
    async fn connect(server: &Server) -> io::Result<Self> {
        let (client, connection) = tokio_postgres::connect(&server.url(), NoTls).await.map_err(io::Error::other)?;
        // It ends with the client.
        tokio::spawn(connection);
        client.batch_execute("CREATE TABLE raw (id bigserial, bytes bytea)").await.map_err(io::Error::other)?;
        client
            .batch_execute("ALTER TABLE raw ALTER COLUMN bytes SET STORAGE EXTERNAL")
            .await
            .map_err(io::Error::other)?;
        let insert = client.prepare("INSERT INTO raw (bytes) VALUES ($1)").await.map_err(io::Error::other)?;
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        Ok(Self { client, insert, bytes: (0..1 << 20).map(|_| rng.random()).collect() })
    }

    /// Commits rows one after the other; returns the elapsed time.
    async fn commit(&self, bytes: usize, times: usize, latencies: &mut Latencies) -> io::Result<Duration> {
        let row = &self.bytes[..bytes];
        let values: [&(dyn ToSql + Sync); 1] = [&row];
        let start = Instant::now();
        for _ in 0..times {
            let begun = Instant::now();
            self.client.execute(&self.insert, &values).await.map_err(io::Error::other)?;
            latencies.record(begun.elapsed());
        }
        Ok(start.elapsed())
    }
}

/// Opens a journal in a new database of a server, and begins to write it.
fn open(address: &PostgresAddress) -> io::Result<Arc<PostgresJournal>> {
    let standbys = SynchronousStandbys::NotRequired;
    let options = PostgresOptions { standbys, ..PostgresOptions::default() };
    let journal = PostgresJournal::open(address, options).map_err(io::Error::other)?;
    let lease = WriterLease::open(address, standbys, Duration::from_secs(10)).map_err(io::Error::other)?;
    let claim = lease.claim("bench", "http://127.0.0.1", LEASE_TTL).map_err(io::Error::other)?;
    let claim = claim.ok_or_else(|| io::Error::other("the lease of a new database is taken"))?;
    journal.begin_writing(claim.epoch).map_err(io::Error::other)?;
    Ok(Arc::new(journal))
}

/// The events per second of each round, and the times of commits.
#[derive(Default)]
struct Rounds {
    raw: Vec<f64>,
    journal: Vec<f64>,
    market: Vec<f64>,
    raw_latencies: Latencies,
    journal_latencies: Latencies,
    bytes_a_batch: Vec<f64>,
}

async fn journal_turn(journal: &PostgresJournal, batches: Vec<Batch>, latencies: &mut Latencies) -> f64 {
    let events = batches.len() * BATCH_EVENTS;
    let start = Instant::now();
    for batch in batches {
        let begun = Instant::now();
        let outcome = journal.append(batch).await.expect("the journal's writer is running");
        outcome.expect("the batch is appended");
        latencies.record(begun.elapsed());
    }
    per_second(events, start.elapsed())
}

async fn rounds(servers: &[Server; 2], seed: u64, rounds: usize, batches_a_round: usize) -> io::Result<Rounds> {
    let groups = book_events(seed, GROUPS, (rounds * batches_a_round).div_ceil(40) * BATCH_EVENTS);
    let batches = batches(&groups, BATCH_EVENTS);
    let [alone, served] = servers;
    let journal = open(&alone.url().parse().map_err(io::Error::other)?)?;
    let listed = journal.append(listing(&groups)).await.expect("the journal's writer is running");
    listed.expect("the groups are listed");
    let raw = RawCommits::connect(alone).await?;
    let on_market = open(&served.url().parse().map_err(io::Error::other)?)?;
    let clock = Arc::new(ManualClock::new(START));
    let market = Market::start(on_market.clone(), clock, Settings::default()).map_err(io::Error::other)?;
    market.list_group((*market::group(1)).clone()).await.expect("the group is listed");
    open_vaults(&market, LENDERS).await;
    let (log, _) = funded_log(seed, OFFERS, rounds * batches_a_round * BATCH_EVENTS, funded_vaults(LENDERS));
    drive(&market, GroupId(1), &log.fill, WINDOW).await;
    let steps: Vec<Step> =
        log.windows.into_iter().flat_map(|window| window.mixed.into_iter().chain(window.trim)).collect();
    let mut steps = steps.chunks(batches_a_round * BATCH_EVENTS);
    let mut found = Rounds::default();
    for (round, of_round) in batches.chunks(batches_a_round).take(rounds).enumerate() {
        let before = journal.stats().bytes();
        let journal_rate = journal_turn(&journal, of_round.to_vec(), &mut found.journal_latencies).await;
        let bytes = usize::try_from(journal.stats().bytes() - before).expect("few bytes") / of_round.len();
        let elapsed = raw.commit(bytes, of_round.len(), &mut found.raw_latencies).await?;
        let raw_rate = per_second(of_round.len() * BATCH_EVENTS, elapsed);
        let events = on_market.stats().events();
        let elapsed = drive(&market, GroupId(1), steps.next().expect("the log is long enough"), WINDOW).await;
        let events = usize::try_from(on_market.stats().events() - events).expect("few events");
        let market_rate = per_second(events, elapsed);
        found.bytes_a_batch.push(float_len(bytes));
        print(&format!(
            "  round {}: raw {}, journal {}, market {} events/s",
            round + 1,
            whole(raw_rate),
            whole(journal_rate),
            whole(market_rate)
        ));
        found.raw.push(raw_rate);
        found.journal.push(journal_rate);
        found.market.push(market_rate);
    }
    market.stop().await;
    on_market.close();
    journal.close();
    Ok(found)
}

/// Runs the measurement on two servers of its own, with the contestants alternating.
///
/// # Errors
/// If PostgreSQL is not installed or the results cannot be written.
pub fn run(seed: u64, rounds_wanted: usize, batches_a_round: usize) -> io::Result<()> {
    print(&format!("database: seed {seed}"));
    let watch = Watch::start();
    let servers = [Server::start(&[]), Server::start(&[])];
    let version = servers[0].try_sql("SHOW server_version").unwrap_or_default();
    let found = actix::System::new().block_on(rounds(&servers, seed, rounds_wanted, batches_a_round))?;
    let mut section = Section::new("database", &watch);
    let title =
        format!("Durable events on PostgreSQL, {BATCH_EVENTS} a batch where batches are given; medians of the rounds");
    let contestants = [
        ("raw commits of one row", found.raw.as_slice()),
        ("the journal, one batch at a time", found.journal.as_slice()),
        ("the market: commands to durable answers", found.market.as_slice()),
    ];
    compare_with_raw(&mut section, &title, &contestants);
    let columns: Vec<&str> = ["what"].into_iter().chain(Latencies::COLUMNS).collect();
    let mut latencies = Table::new("Until a batch is committed", &columns);
    for (name, of) in [("raw", &found.raw_latencies), ("the journal", &found.journal_latencies)] {
        latencies.row([name.to_owned()].into_iter().chain(of.cells()));
    }
    section.table(latencies);
    section.note(format!(
        "Seed {seed}, {rounds_wanted} rounds of {} batches of {} bytes over {GROUPS} groups. Raw commits are one `INSERT` of a row \
         with as many bytes, prepared, each after the one before; the journal's commit also checks the epoch, moves the writer's \
         row and writes a row for each block.",
        count(batches_a_round),
        whole(median(&found.bytes_a_batch))
    ));
    section.note(format!(
        "PostgreSQL {} with `fsync`, `full_page_writes` and `synchronous_commit`, no standby, a Unix socket or loopback for all; \
         the market has a server of its own, and {WINDOW} commands of the mix under way.",
        version.trim()
    ));
    section.publish()
}
