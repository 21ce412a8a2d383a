//! Our fan-out beside those of others: nats-server's WebSocket, and Node's `ws`; the same sockets, sizes and rates.

mod nats_frames;
mod peer;
mod subscriber;

use std::{
    collections::HashMap,
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use serde::Serialize;
use tokio::time::sleep;

use self::peer::{Kind, Peer};
use crate::{
    fanout::{Arrivals, Clients, connect_each},
    latency::Latencies,
    machine::{Watch, raise_open_files},
    number::{count, float, float_len, median, nanoseconds, whole},
    report::{Section, Table, print, ratio},
    served_market::Published,
};

/// The numbers of sockets of all, and of our server alone.
pub const SOCKETS: [usize; 2] = [1_000, 4_000];
/// The numbers of sockets of our server alone.
pub const OURS_ALONE: [usize; 2] = [10_000, 20_000];
/// The length of a delta until one of ours was measured, in bytes.
const DELTA_BYTES: usize = 700;
/// The open files of a process beside its sockets, at most.
const FILES_BESIDES: usize = 500;
/// The open files of our server for each socket: the connection, and a second handle that can close it.
const FILES_A_SOCKET: usize = 2;
/// The idle time before memory is measured.
const QUIET: Duration = Duration::from_secs(2);
/// The time without an arrival after which those that are missing count as lost, and how often that is looked at.
const SETTLED: Duration = Duration::from_secs(2);
const POLL_EVERY: Duration = Duration::from_millis(100);

/// The sizes of the measurement.
#[derive(Clone, Debug)]
pub struct Sizes {
    /// The numbers of sockets of all servers.
    pub sockets: Vec<usize>,
    /// The numbers of sockets of our server alone.
    pub ours_alone: Vec<usize>,
    /// Deliveries in a second.
    pub deliveries: u32,
    /// The duration of a run in seconds.
    pub seconds: u32,
    /// Rounds.
    pub rounds: usize,
}

impl Sizes {
    /// The same with no more sockets than a process may open, raised as far as that is permitted.
    fn within_open_files(&self) -> Self {
        let most = self.sockets.iter().chain(&self.ours_alone).max().copied().unwrap_or_default();
        let files = raise_open_files(u64::try_from(FILES_A_SOCKET * most + FILES_BESIDES).expect("few sockets"));
        let sockets_max = usize::try_from(files).unwrap_or(usize::MAX).saturating_sub(FILES_BESIDES) / FILES_A_SOCKET;
        let fitting = |sockets: &[usize]| {
            let mut fitting: Vec<usize> = sockets.iter().map(|count| (*count).min(sockets_max)).collect();
            fitting.dedup();
            fitting
        };
        Self { sockets: fitting(&self.sockets), ours_alone: fitting(&self.ours_alone), ..*self }
    }
}

/// The figures of a run.
#[derive(Clone, Debug, Serialize)]
struct Run {
    server: &'static str,
    sockets: usize,
    deliveries_per_second: f64,
    deliveries_per_processor_second: f64,
    p50_ns: f64,
    p99_ns: f64,
    missing: usize,
    closed: usize,
    bytes_a_socket: f64,
    bytes_a_delta: f64,
}

async fn connect(kind: Kind, peer: &Peer, sockets: usize, arrived: &Arc<AtomicUsize>) -> io::Result<Clients> {
    let address = peer.address();
    connect_each(sockets, |number, stop, slot| {
        let subscriber = (kind.protocol(), address.clone(), number);
        let arrived = Arc::clone(arrived);
        async move { subscriber::read(subscriber, stop, slot, arrived).await.map(Some) }
    })
    .await
}

/// Waits until all have arrived, or none arrives any more.
async fn wait_for_arrivals(arrived: &AtomicUsize, all: usize) {
    let (mut before, mut since) = (arrived.load(Ordering::Relaxed), Instant::now());
    while before < all && since.elapsed() < SETTLED {
        sleep(POLL_EVERY).await;
        let now = arrived.load(Ordering::Relaxed);
        if now != before {
            (before, since) = (now, Instant::now());
        }
    }
}

async fn run_one(kind: Kind, sockets: usize, sizes: &Sizes, bytes: usize) -> io::Result<Run> {
    let mut peer = Peer::start(kind, bytes).await?;
    let arrived = Arc::<AtomicUsize>::default();
    // Memory that the first socket makes the server touch once is not part of the cost of each socket.
    connect(kind, &peer, 1, &arrived).await?.stop().await;
    sleep(QUIET).await;
    let empty = peer.memory_bytes();
    let clients = connect(kind, &peer, sockets, &arrived).await?;
    sleep(QUIET).await;
    let joined = peer.memory_bytes();
    let per_second = (sizes.deliveries / u32::try_from(sockets).map_err(io::Error::other)?).max(1);
    let (frames, interval) = (per_second * sizes.seconds, Duration::from_secs(1) / per_second);
    let before = peer.cpu_seconds();
    let published: Published;
    (peer, published) = peer.publish(frames, interval).await?;
    wait_for_arrivals(&arrived, published.deltas.len() * sockets).await;
    let server_seconds = peer.cpu_seconds() - before;
    let arrivals = clients.stop().await;
    // Ends it, which may take a moment.
    tokio::task::spawn_blocking(move || drop(peer)).await.map_err(io::Error::other)?;
    let bytes_a_socket = (float(joined) - float(empty)) / float_len(sockets);
    Ok(run_of(kind, sockets, &published, &arrivals, [server_seconds, bytes_a_socket]))
}

fn run_of(
    kind: Kind,
    sockets: usize,
    published: &Published,
    arrivals: &[Arrivals],
    [server_seconds, bytes_a_socket]: [f64; 2],
) -> Run {
    let sent_at: HashMap<u64, u64> = published.deltas.iter().copied().collect();
    let first = published.deltas.first().map_or(0, |(_, sent_at)| *sent_at);
    let (mut latencies, mut last, mut deliveries, mut bytes) = (Latencies::default(), first, 0, 0);
    for of_one in arrivals {
        for (sequence, arrived) in &of_one.deltas {
            if let Some(sent_at) = sent_at.get(sequence) {
                latencies.record_nanoseconds(arrived.saturating_sub(*sent_at));
                last = last.max(*arrived);
                deliveries += 1;
            }
        }
        bytes += of_one.bytes;
    }
    let seconds = float(last - first) / 1e9;
    Run {
        server: kind.name(),
        sockets,
        deliveries_per_second: float_len(deliveries) / seconds.max(1e-3),
        deliveries_per_processor_second: float_len(deliveries) / server_seconds.max(1e-2),
        p50_ns: latencies.quantile(0.5),
        p99_ns: latencies.quantile(0.99),
        missing: (published.deltas.len() * sockets).saturating_sub(deliveries),
        closed: arrivals.iter().filter(|of_one| of_one.was_closed).count(),
        bytes_a_socket,
        bytes_a_delta: float_len(bytes) / float_len(deliveries.max(1)),
    }
}

/// The servers and numbers of sockets of a round.
fn plan(sizes: &Sizes) -> Vec<(Kind, usize)> {
    let compared = sizes.sockets.iter().flat_map(|sockets| Kind::ALL.map(|kind| (kind, *sockets)));
    compared.chain(sizes.ours_alone.iter().map(|sockets| (Kind::Ours, *sockets))).collect()
}

fn table(sizes: &Sizes, runs: &[Run]) -> (Table, Vec<(String, f64)>) {
    let columns = [
        "server",
        "sockets",
        "deliveries/s",
        "in a second of the server's processor time",
        "of ours",
        "p50",
        "p99",
        "missing",
        "closed",
        "memory a socket",
    ];
    let title = format!("One delta to every socket, at {} deliveries a second", whole(f64::from(sizes.deliveries)));
    let (mut table, mut figures) = (Table::new(&title, &columns), Vec::new());
    for (kind, sockets) in plan(sizes) {
        let of = |kind: Kind| runs.iter().filter(move |run| run.server == kind.name() && run.sockets == sockets);
        let median_of = |figure: fn(&Run) -> f64| median(&of(kind).map(figure).collect::<Vec<_>>());
        let rate = |run: &Run| run.deliveries_per_processor_second;
        let ratios: Vec<f64> = of(kind).zip(of(Kind::Ours)).map(|(one, ours)| rate(one) / rate(ours)).collect();
        let total = |figure: fn(&Run) -> usize| of(kind).map(figure).sum::<usize>();
        table.row([
            kind.name().to_owned(),
            count(sockets),
            whole(median_of(|run| run.deliveries_per_second)),
            whole(median_of(rate)),
            ratio(median(&ratios), 1.0),
            nanoseconds(median_of(|run| run.p50_ns)),
            nanoseconds(median_of(|run| run.p99_ns)),
            count(total(|run| run.missing)),
            count(total(|run| run.closed)),
            format!("{:.1} KiB", median_of(|run| run.bytes_a_socket) / 1_024.0),
        ]);
        let name = kind.name();
        figures.push((format!("{name}, deliveries per processor second at {sockets}"), median_of(rate)));
        figures.push((format!("{name}, p99 ns at {sockets}"), median_of(|run| run.p99_ns)));
        figures.push((format!("{name}, bytes a socket at {sockets}"), median_of(|run| run.bytes_a_socket)));
    }
    (table, figures)
}

/// Measures every server with every number of sockets, alternating.
///
/// # Errors
/// If a server is not installed or does not start, a subscriber cannot connect, or the results cannot be written.
pub fn run(sizes: &Sizes) -> io::Result<()> {
    print("fanout --peers");
    let sizes = &sizes.within_open_files();
    let watch = Watch::start();
    let (mut runs, mut bytes) = (Vec::new(), DELTA_BYTES);
    for round in 1..=sizes.rounds {
        for (kind, sockets) in plan(sizes) {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
            let run = runtime.block_on(run_one(kind, sockets, sizes, bytes))?;
            print(&format!(
                "  round {round}: {}, {} sockets: {} deliveries/s, {} a processor second, p99 {}",
                kind.name(),
                count(sockets),
                whole(run.deliveries_per_second),
                whole(run.deliveries_per_processor_second),
                nanoseconds(run.p99_ns)
            ));
            if kind == Kind::Ours {
                let digits = format!("{:.0}", run.bytes_a_delta);
                bytes = digits.parse().map_err(io::Error::other)?;
            }
            runs.push(run);
        }
    }
    let mut section = Section::new("fanout-peers", &watch);
    let (table, figures) = table(sizes, &runs);
    section.table(table);
    section.note(format!(
        "Medians of {} rounds of {} s, the servers one after the other; \"of ours\" is the median of the rounds' own ratios, by \
         deliveries in a second of processor time. Deltas have about {bytes} bytes for all. Latency is from the command to the \
         subscriber's parsed frame; \"deliveries/s\" counts from the first command to the last arrival, so it is below the goal \
         where a server falls behind.",
        sizes.rounds, sizes.seconds
    ));
    section.note(
        "Our server decides, journals and encodes an edit of an offer for each delta; the others forward a text. nats-server takes \
         it from a client of its own and sends it to WebSockets without compression; Node runs `ws` with one prepared buffer for \
         all sockets. Every server is a process of its own, whose processor time and memory `/proc` counts; the subscribers \
         are in another one, on the same cores.",
    );
    section.figures.extend(figures);
    section.raw_data(&runs)?;
    section.publish()
}
