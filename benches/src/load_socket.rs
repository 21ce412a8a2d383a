//! Lenders who place, edit and cancel offers over the trading socket without waiting for answers, in both encodings, one by
//! one and in batches.

use std::{
    io,
    path::Path,
    time::{Duration, Instant},
};

use serde::Serialize;

use crate::{
    durable::folder_on_disk,
    http_trader,
    latency::Latencies,
    machine::{Watch, cpu_seconds},
    number::{count, float_len, median, nanoseconds, per_second, spread, whole},
    orders::{OrderSource, Shares},
    report::{Section, Table, print},
    served_market,
    server_process::ServerProcess,
    trading_socket::{Answered, TradingSocket, wire::Wire},
    wallet_client::WalletClient,
};

/// The duration of each way's round in seconds.
pub const SECONDS: u64 = 4;
/// The offers above which a lender only cancels.
const OFFERS_MAX: usize = 100;
/// The orders in a frame, and the frames of a connection without an answer, for single orders and for batches.
const FRAMES: [[usize; 2]; 2] = [[1, 64], [100, 2]];
/// The part of a round before its clock starts.
const WARM: Duration = Duration::from_millis(500);

/// The sizes of the measurement.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Connections, each of a user.
    pub clients: usize,
    /// Rounds.
    pub rounds: usize,
    /// The duration of each way's round in seconds.
    pub seconds: u64,
}

/// A way to send orders, with its connections and its rounds.
struct Way {
    wire: Wire,
    frames: [usize; 2],
    sockets: Vec<TradingSocket>,
    rounds: Vec<Round>,
    latencies: Latencies,
}

/// The figures of a round.
#[derive(Clone, Copy, Debug, Serialize)]
struct Round {
    commands_per_second: f64,
    /// The processor time of the server for one command, in nanoseconds.
    server_ns_per_command: f64,
    client_ns_per_command: f64,
    refused: usize,
}

/// The raw data of a way.
#[derive(Serialize)]
struct RawWay {
    encoding: &'static str,
    orders_in_a_frame: usize,
    rounds: Vec<Round>,
    p50_ns: f64,
    p99_ns: f64,
    p999_ns: f64,
}

impl Way {
    async fn connect(
        address: &str,
        clients: &[WalletClient],
        seed: u64,
        (wire, frames, first_id): (Wire, [usize; 2], u64),
    ) -> io::Result<Self> {
        let mut sockets = Vec::with_capacity(clients.len());
        for (number, client) in clients.iter().enumerate() {
            let source = OrderSource::new(seed, number, Shares::LOAD, OFFERS_MAX);
            let socket = TradingSocket::connect(address, client, wire, source, first_id).await;
            sockets.push(socket.map_err(io::Error::other)?);
        }
        Ok(Self { wire, frames, sockets, rounds: Vec::new(), latencies: Latencies::default() })
    }

    /// Sends orders on all connections for this long; returns the figures since the last call.
    async fn send(&mut self, duration: Duration) -> io::Result<Answered> {
        let ([batch, window], start) = (self.frames, Instant::now());
        // A task for each connection, so that only those with answers are looked at.
        let mut tasks = tokio::task::JoinSet::new();
        for mut socket in self.sockets.drain(..) {
            tasks.spawn(async move {
                let sent = socket.run(batch, window, || start.elapsed() < duration).await;
                sent.map(|()| socket)
            });
        }
        let mut answered = Answered::default();
        while let Some(sent) = tasks.join_next().await {
            let mut socket = sent.map_err(io::Error::other)?.map_err(io::Error::other)?;
            answered.add(&socket.take_answered());
            self.sockets.push(socket);
        }
        Ok(answered)
    }

    async fn round(&mut self, server: &ServerProcess, duration: Duration) -> io::Result<()> {
        self.send(WARM).await?;
        let own = std::process::id();
        let (start, server_seconds, own_seconds) = (Instant::now(), server.cpu_seconds(), cpu_seconds(own));
        let answered = self.send(duration).await?;
        let elapsed = start.elapsed();
        let per_command = |seconds: f64| seconds * 1e9 / float_len(answered.executed + answered.refused);
        self.rounds.push(Round {
            commands_per_second: per_second(answered.executed, elapsed),
            server_ns_per_command: per_command(server.cpu_seconds() - server_seconds),
            client_ns_per_command: per_command(cpu_seconds(own) - own_seconds),
            refused: answered.refused,
        });
        self.latencies.add(&answered.latencies);
        // Each way leaves no offers to the next one.
        for socket in &mut self.sockets {
            socket.trim(0).await.map_err(io::Error::other)?;
            drop(socket.take_answered());
        }
        answered.check_refusals()
    }

    fn of_rounds(&self, figure: impl Fn(&Round) -> f64) -> Vec<f64> {
        self.rounds.iter().map(figure).collect()
    }

    fn name(&self) -> String {
        let [batch, _] = self.frames;
        let orders = if batch == 1 { "single orders".to_owned() } else { format!("batches of {batch}") };
        format!("{}, {orders}", self.wire.name())
    }

    fn cells(&self) -> Vec<String> {
        let rates = self.of_rounds(|round| round.commands_per_second);
        let (least, most) = spread(&rates);
        let server = median(&self.of_rounds(|round| round.server_ns_per_command));
        let client = median(&self.of_rounds(|round| round.client_ns_per_command));
        let [batch, window] = self.frames;
        let [median_latency, p99, slow, _] = self.latencies.cells();
        vec![
            self.name(),
            count(batch * window),
            whole(median(&rates)),
            whole(least),
            whole(most),
            count(self.rounds.iter().map(|round| round.refused).sum()),
            median_latency,
            p99,
            slow,
            nanoseconds(server),
            whole(1e9 / server.max(1.0)),
            nanoseconds(client),
        ]
    }
}

async fn all_rounds(server: &ServerProcess, seed: u64, sizes: Sizes) -> io::Result<Vec<Way>> {
    let http = http_trader::http_client(sizes.clients)?;
    let clients = http_trader::sign_in(&http, &format!("http://{}", server.address), seed, sizes.clients).await?;
    print(&format!("  {} lenders have signed in", sizes.clients));
    let (mut ways, mut first_id) = (Vec::new(), 0);
    for wire in Wire::ALL {
        for frames in FRAMES {
            first_id += 1 << 40;
            ways.push(Way::connect(&server.address, &clients, seed, (wire, frames, first_id)).await?);
        }
    }
    for number in 1..=sizes.rounds {
        for way in &mut ways {
            way.round(server, Duration::from_secs(sizes.seconds)).await?;
            let rate = way.rounds.last().map_or(0.0, |round| round.commands_per_second);
            print(&format!("  round {number}: {}: {} commands/s", way.name(), whole(rate)));
        }
    }
    Ok(ways)
}

/// Measures every way on a server of its own with its journal on disk, with the ways alternating.
///
/// # Errors
/// If the server refuses orders, or the results cannot be written.
pub fn run(seed: u64, sizes: Sizes, chosen: Option<&Path>) -> io::Result<()> {
    lienbook::server::open_files::raise_limit();
    print(&format!("load --socket: seed {seed}"));
    let folder = folder_on_disk(chosen)?;
    let watch = Watch::start();
    let server = ServerProcess::start(served_market::SUBCOMMAND, folder.path())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let ways = runtime.block_on(all_rounds(&server, seed, sizes))?;
    let mut section = Section::new("load-socket", &watch);
    let columns = [
        "orders",
        "under way on each connection",
        "commands/s",
        "least",
        "most",
        "refused as overloaded",
        "p50",
        "p99",
        "p99.9",
        "server's processor time for a command",
        "commands in a second of it",
        "client's",
    ];
    let title = format!("{} connections, medians of {} rounds of {} s", sizes.clients, sizes.rounds, sizes.seconds);
    let mut table = Table::new(&title, &columns);
    let mut raw = Vec::new();
    for way in &ways {
        table.row(way.cells());
        let rate = median(&way.of_rounds(|round| round.commands_per_second));
        section.figure(format!("{}, commands/s", way.name()), rate);
        section.figure(
            format!("{}, server ns a command", way.name()),
            median(&way.of_rounds(|round| round.server_ns_per_command)),
        );
        let (encoding, [orders_in_a_frame, _]) = (way.wire.name(), way.frames);
        raw.push(RawWay {
            encoding,
            orders_in_a_frame,
            rounds: way.rounds.clone(),
            p50_ns: way.latencies.quantile(0.5),
            p99_ns: way.latencies.quantile(0.99),
            p999_ns: way.latencies.quantile(0.999),
        });
    }
    section.table(table);
    section.note(format!(
        "Seed {seed}. Each lender has a connection and sends without waiting: half new offers, 30 % edits, 20 % cancellations, at \
         most {OFFERS_MAX} offers of each. A command is one order; an answer means that it is durable, and its latency is from \
         giving it to the socket to the parsed answer, of a batch that of its answer.",
    ));
    section.note(
        "The server is a process of its own on the same cores as the clients, without rate limits, with its journal on the disk. \
         Processor times are those of whole processes, from `/proc`.",
    );
    section.raw_data(&raw)?;
    section.publish()
}
