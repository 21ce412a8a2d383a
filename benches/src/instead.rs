//! Alternatives that a user would build instead of our book: a table of offers in PostgreSQL or `SQLite`, with a
//! transaction for each order that reads the offer's rank and the best offer; and our server, over HTTP and over the socket.

mod contestant;
mod ours;
mod postgres;
mod sqlite;
mod table;

use std::{
    io,
    path::Path,
    rc::Rc,
    time::{Duration, Instant},
};

use postgres_testkit::Server;
use serde::Serialize;

use self::{
    contestant::Round,
    ours::{Clients, OverHttp, OverSocket},
    postgres::Postgres,
    sqlite::Sqlite,
};
use crate::{
    durable::folder_on_disk,
    http_trader,
    latency::Latencies,
    machine::Watch,
    number::{count, median, nanoseconds, per_second, spread, whole},
    raw_disk::{RawDisk, RawFile},
    report::{Section, Table, print, ratio},
    served_market,
    server_process::ServerProcess,
    trading_socket::wire::Wire,
};

/// The numbers of offers in the books.
pub const SIZES: [usize; 2] = [10_000, 100_000];
/// Our users, as many as the most connections of the database.
const USERS: usize = 32;
/// The commands of a batch, and those unanswered at once where commands are sent without waiting.
const BATCH: usize = 64;
const DEPTH: usize = 16;
/// The size and number of the writes that measure the disk alone.
const SYNC_BYTES: usize = 4_096;
const SYNCS: usize = 100;

/// The contestants that the others are compared with.
const HTTP: &str = "ours: HTTP, 32 users, one request under way each";
const SOCKET: &str = "ours: socket, 32 users, 16 orders under way each";

/// A contestant with its table or its connections.
enum Contestant {
    Postgres(Postgres),
    Sqlite(Box<Sqlite>),
    Http(OverHttp),
    Socket(OverSocket),
}

impl Contestant {
    async fn round(&mut self, duration: Duration) -> io::Result<Round> {
        match self {
            Self::Postgres(contestant) => contestant.round(duration).await,
            Self::Sqlite(contestant) => contestant.round(duration),
            Self::Http(contestant) => contestant.round(duration).await,
            Self::Socket(contestant) => contestant.round(duration).await,
        }
    }
}

/// The rounds of a contestant.
struct Rounds {
    name: &'static str,
    contestant: Contestant,
    rates: Vec<f64>,
    commands: f64,
    refused: usize,
    latencies: Latencies,
}

/// The raw data of a contestant.
#[derive(Serialize)]
struct RawRounds {
    offers: usize,
    contestant: &'static str,
    commands_per_second: Vec<f64>,
    commands: f64,
    p50_ns: f64,
    p99_ns: f64,
}

/// Opens the tables of both databases with as many offers.
async fn tables(
    server: &Server,
    folder: &Path,
    seed: u64,
    offers: usize,
) -> io::Result<Vec<(&'static str, Contestant)>> {
    Postgres::fill(server, seed, offers).await?;
    let variants = [
        ("PostgreSQL, 1 connection", [1, 1], true),
        ("PostgreSQL, 8 connections", [8, 1], true),
        ("PostgreSQL, 32 connections", [USERS, 1], true),
        ("PostgreSQL, 32 connections, 16 commands pipelined on each", [USERS, DEPTH], true),
        ("PostgreSQL, the same without ranks, best offer only", [USERS, DEPTH], false),
    ];
    let (mut contestants, mut lender) = (Vec::new(), 1);
    for (name, connections, is_ranked) in variants {
        let opened = Postgres::open(server, seed, lender, connections, is_ranked).await?;
        lender += connections[0];
        contestants.push((name, Contestant::Postgres(opened)));
    }
    let variants = [("SQLite, a command in each transaction", 1), ("SQLite, 64 commands in each transaction", BATCH)];
    for (name, batch) in variants {
        let sqlite = Sqlite::create(folder, seed, offers, batch)?;
        contestants.push((name, Contestant::Sqlite(Box::new(sqlite))));
    }
    Ok(contestants)
}

/// Connects the users of our server in each way.
async fn users(address: &str, seed: u64) -> io::Result<Vec<(&'static str, Contestant)>> {
    let http = http_trader::http_client(USERS)?;
    let clients = http_trader::sign_in(&http, &format!("http://{address}"), seed, USERS).await?;
    let clients: Clients = clients.into_iter().map(Rc::new).collect();
    let variants = [
        (SOCKET, Wire::Json, [1, DEPTH], false),
        ("ours: the same, each user reading all own ranks", Wire::Json, [1, DEPTH], true),
        ("ours: socket, binary, 32 users, 64 orders in a batch", Wire::Binary, [BATCH, 2], false),
    ];
    let (mut contestants, mut first_id) = (Vec::new(), 0);
    for (name, wire, frames, reads_ranks) in variants {
        first_id += 1 << 40;
        let sockets = OverSocket::new(address, seed, (&clients, first_id), wire, frames, reads_ranks);
        contestants.push((name, Contestant::Socket(sockets)));
    }
    contestants.insert(0, (HTTP, Contestant::Http(OverHttp::new(seed, &clients))));
    Ok(contestants)
}

async fn all_rounds(
    (server, ours): (&Server, &ServerProcess),
    folder: &Path,
    (seed, offers): (u64, usize),
    (rounds, duration): (usize, Duration),
) -> io::Result<Vec<Rounds>> {
    let mut contestants = tables(server, folder, seed, offers).await?;
    contestants.extend(users(&ours.address, seed).await?);
    let unmeasured = |(name, contestant)| Rounds {
        name,
        contestant,
        rates: Vec::new(),
        commands: 0.0,
        refused: 0,
        latencies: Latencies::default(),
    };
    let mut contestants: Vec<Rounds> = contestants.into_iter().map(unmeasured).collect();
    for number in 0..=rounds {
        for of_one in &mut contestants {
            // The first round warms caches and is not counted.
            let round = of_one.contestant.round(if number == 0 { duration / 4 } else { duration }).await?;
            if number == 0 {
                continue;
            }
            print(&format!(
                "  {} offers, round {number}: {}: {} commands/s",
                count(offers),
                of_one.name,
                whole(round.rate())
            ));
            of_one.rates.push(round.rate());
            of_one.commands += round.commands();
            of_one.refused += round.refused;
            of_one.latencies.add(&round.latencies);
        }
    }
    Ok(contestants)
}

/// The appends with `fdatasync` in a second of the disk alone.
fn syncs_per_second(folder: &Path) -> io::Result<f64> {
    let mut disk = RawDisk::create(folder, SYNC_BYTES * SYNCS * 2)?;
    Ok(per_second(SYNCS, disk.write(RawFile::Growing, SYNC_BYTES, SYNCS)?))
}

/// A table of one size of the book, and what is behind it.
fn record(section: &mut Section, raw: &mut Vec<RawRounds>, offers: usize, contestants: &[Rounds]) {
    let columns = ["what", "commands/s", "least", "most", "p50", "p99", "refused", "to our HTTP", "to our socket"];
    let title = format!("Durable orders on a book of {} offers; medians of the rounds", count(offers));
    let mut table = Table::new(&title, &columns);
    let rates_of = |name: &str| contestants.iter().find(|it| it.name == name).map_or(&[][..], |it| it.rates.as_slice());
    for Rounds { name, rates, commands, refused, latencies, .. } in contestants {
        let (least, most) = spread(rates);
        let [p50, p99] = [0.5, 0.99].map(|share| latencies.quantile(share));
        let to = |other: &str| {
            let ratios: Vec<f64> = rates.iter().zip(rates_of(other)).map(|(one, other)| one / other).collect();
            median(&ratios)
        };
        let cells = [(*name).to_owned(), whole(median(rates)), whole(least), whole(most)];
        let latency = [nanoseconds(p50), nanoseconds(p99), count(*refused)];
        table.row(cells.into_iter().chain(latency).chain([HTTP, SOCKET].map(|other| ratio(to(other), 1.0))));
        section.figure(format!("{name}, commands/s at {offers}"), median(rates));
        section.figure(format!("{name}, to our socket at {offers}"), to(SOCKET));
        raw.push(RawRounds {
            offers,
            contestant: name,
            commands_per_second: rates.clone(),
            commands: *commands,
            p50_ns: p50,
            p99_ns: p99,
        });
    }
    section.table(table);
}

/// Measures every size, with the contestants alternating.
///
/// # Errors
/// If PostgreSQL is not installed, a server refuses an order, or the results cannot be written.
pub fn run(seed: u64, sizes: &[usize], rounds: usize, seconds: u64, chosen: Option<&Path>) -> io::Result<()> {
    lienbook::server::open_files::raise_limit();
    print(&format!("instead: seed {seed}"));
    let (watch, start) = (Watch::start(), Instant::now());
    let (mut found, mut version, mut syncs) = (Vec::new(), String::new(), Vec::new());
    for offers in sizes {
        let folder = folder_on_disk(chosen)?;
        let server = Server::start(&postgres::SETTINGS);
        version = server.try_sql("SHOW server_version").unwrap_or_default();
        let (flags, data) = (["--offers", &offers.to_string()], folder.path().join("ours"));
        std::fs::create_dir(&data)?;
        let ours = ServerProcess::start_with(served_market::SUBCOMMAND, &data, &flags, &[])?;
        syncs.push(syncs_per_second(folder.path())?);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let plan = (rounds, Duration::from_secs(seconds));
        found.push((*offers, runtime.block_on(all_rounds((&server, &ours), folder.path(), (seed, *offers), plan))?));
    }
    let mut section = Section::new("instead", &watch);
    let mut raw = Vec::new();
    for (offers, contestants) in &found {
        record(&mut section, &mut raw, *offers, contestants);
    }
    section.note(format!(
        "Seed {seed}, {rounds} rounds of {seconds} s for each, one after the other, after one that is not counted; {:.0} s in \
         all. Orders of lenders on manual offers: six new offers to one replaced and six cancelled ones, drawn from the seed, \
         each about one of the lender's own offers. Every answer means that the change is on the disk; the latency is that of \
         the answer to a command, or to a batch.",
        start.elapsed().as_secs_f64()
    ));
    section.note(format!(
        "PostgreSQL {} with `fsync`, `full_page_writes` and `synchronous_commit`, {}: one function call of a prepared statement \
         for each command, which is one transaction and one round trip; it checks owner and state, and reads the rank, by \
         counting better offers in a covering index, and the best offer.",
        version.trim(),
        postgres::SETTINGS.join(", ")
    ));
    section.note(
        "SQLite with a write-ahead log and `synchronous=FULL`, in the measuring process, one writer, without a network. Neither \
         database signs users in, keeps limits, an event journal or a feed; our server does, and makes each order's event \
         durable in its journal.",
    );
    section.note(
        "Our answers over HTTP have the offer with its rank and the best offer. Those over the socket have its id and position; \
         \"reading all own ranks\" subscribes each user to all own offers with their ranks, which are sent whenever they change.",
    );
    section.note(format!(
        "The disk alone: {} appends of {SYNC_BYTES} bytes with `fdatasync` a second. Clients and servers share the cores.",
        whole(median(&syncs))
    ));
    section.figure("raw_syncs_per_second", median(&syncs));
    section.raw_data(&raw)?;
    section.publish()
}
