//! The feed's fan-out: one book's deltas to many sockets of the real server, some of which have stopped reading.

mod reader;

use std::{collections::HashMap, io, path::PathBuf, time::Duration};

use lienbook::server::open_files;
use tokio::{
    sync::{Semaphore, watch},
    task::JoinSet,
    time::sleep,
};

pub(crate) use self::reader::{Arrivals, ConnectSlot, sequence_of, subscription};
use self::reader::{read_feed, stall};
use crate::{
    latency::Latencies,
    machine::Watch,
    number::{count, float, float_len, whole},
    report::{Section, Table, print},
    served_market::{self, Published},
    server_process::ServerProcess,
};

/// The numbers of sockets of the runs.
pub const SOCKETS: [usize; 3] = [100, 1_000, 5_000];
/// The percentages of sockets that stop reading.
const STALLED_PER_CENT: [usize; 2] = [0, 1];
/// The number of concurrent handshakes.
const HANDSHAKES: usize = 64;
/// The idle time before the server's memory is measured.
const QUIET: Duration = Duration::from_secs(2);
/// The time allowed for the last deltas.
const SETTLE: Duration = Duration::from_secs(2);

/// Creates a folder for the journal, in memory if possible, because the disk is not measured.
pub(crate) fn folder_in_memory() -> io::Result<tempfile::TempDir> {
    let shared_memory = PathBuf::from("/dev/shm");
    let parent = if shared_memory.is_dir() { shared_memory } else { std::env::temp_dir() };
    tempfile::Builder::new().prefix("lienbook-").tempdir_in(parent)
}

/// The results of one run.
struct Run {
    sockets: usize,
    stalled: usize,
    frames: usize,
    /// The deltas received by reading clients.
    deliveries: usize,
    /// The deltas that reading clients should have received and did not.
    missing: usize,
    latencies: Latencies,
    server_seconds: f64,
    wall_seconds: f64,
    bytes_a_socket: f64,
    bytes_a_socket_after: f64,
    lagged: u64,
    closed: usize,
}

async fn run_one(sockets: usize, stalled: usize, deliveries_a_second: u32, seconds: u32) -> io::Result<Run> {
    let folder = folder_in_memory()?;
    let mut server = ServerProcess::start(served_market::SUBCOMMAND, folder.path())?;
    // Memory that the first socket makes the server touch once is not part of the cost of each socket.
    let warm = connect(&server.address, 1, 0).await?;
    warm.stop().await;
    sleep(QUIET).await;
    let empty = server.memory_bytes();
    let clients = connect(&server.address, sockets, stalled).await?;
    sleep(QUIET).await;
    let joined = server.memory_bytes();
    let per_second = (deliveries_a_second / u32::try_from(sockets).expect("few sockets")).max(1);
    let (begun, cpu) = (std::time::Instant::now(), server.cpu_seconds());
    let frames = per_second * seconds;
    let published;
    (server, published) = tokio::task::spawn_blocking(move || {
        let published = served_market::publish(&mut server, frames, Duration::from_secs(1) / per_second);
        (server, published)
    })
    .await
    .map_err(io::Error::other)?;
    let published = published?;
    let wall_seconds = begun.elapsed().as_secs_f64();
    sleep(SETTLE).await;
    let (server_seconds, after) = (server.cpu_seconds() - cpu, server.memory_bytes());
    let arrivals = clients.stop().await;
    drop(tokio::task::spawn_blocking(move || drop(server)).await);
    let mut run = Run {
        sockets,
        stalled,
        frames: published.deltas.len(),
        deliveries: 0,
        missing: 0,
        latencies: Latencies::default(),
        server_seconds,
        wall_seconds,
        bytes_a_socket: (float(joined) - float(empty)) / float_len(sockets),
        bytes_a_socket_after: (float(after) - float(empty)) / float_len(sockets),
        lagged: published.lagged,
        closed: 0,
    };
    run.record(&published, &arrivals);
    Ok(run)
}

impl Run {
    fn record(&mut self, published: &Published, arrivals: &[Arrivals]) {
        let sent_at: HashMap<u64, u64> = published.deltas.iter().copied().collect();
        for Arrivals { deltas, was_closed, .. } in arrivals {
            let mut found = 0;
            for (sequence, arrived) in deltas {
                if let Some(sent_at) = sent_at.get(sequence) {
                    self.latencies.record_nanoseconds(arrived.saturating_sub(*sent_at));
                    found += 1;
                }
            }
            self.deliveries += found;
            self.missing += self.frames.saturating_sub(found);
            self.closed += usize::from(*was_closed);
        }
    }

    fn cells(&self) -> Vec<String> {
        let [p50, p99, p999, worst] = self.latencies.cells();
        vec![
            count(self.sockets),
            count(self.stalled),
            whole(float_len(self.deliveries) / self.wall_seconds),
            whole(float_len(self.deliveries) / self.server_seconds),
            p50,
            p99,
            p999,
            worst,
            count(self.missing),
            self.lagged.to_string(),
            format!("{:.1} KiB", self.bytes_a_socket / 1_024.0),
            format!("{:.1} KiB", self.bytes_a_socket_after / 1_024.0),
        ]
    }
}

/// The connected clients.
pub(crate) struct Clients {
    tasks: JoinSet<io::Result<Option<Arrivals>>>,
    stop: watch::Sender<bool>,
}

/// Connects `sockets` sockets, of which `stalled` stop reading as soon as they have their snapshot.
pub(crate) async fn connect(address: &str, sockets: usize, stalled: usize) -> io::Result<Clients> {
    connect_each(sockets, |number, stopped, slot| {
        let address = address.to_owned();
        async move {
            if number < stalled {
                stall(&address, stopped, slot).await.map(|()| None)
            } else {
                read_feed(&address, stopped, slot).await.map(Some)
            }
        }
    })
    .await
}

/// Connects sockets, a few at a time; `client` is one of them, by its number, until it is stopped.
pub(crate) async fn connect_each<F>(
    sockets: usize,
    client: impl Fn(usize, watch::Receiver<bool>, ConnectSlot) -> F,
) -> io::Result<Clients>
where
    F: Future<Output = io::Result<Option<Arrivals>>> + Send + 'static,
{
    let (stop, stopped) = watch::channel(false);
    let handshakes = std::sync::Arc::new(Semaphore::new(HANDSHAKES));
    let (joined, mut all_joined) = tokio::sync::mpsc::unbounded_channel();
    let mut tasks = JoinSet::new();
    for number in 0..sockets {
        let permit = handshakes.clone().acquire_owned().await.map_err(io::Error::other)?;
        tasks.spawn(client(number, stopped.clone(), (permit, joined.clone())));
    }
    drop(joined);
    for _ in 0..sockets {
        let joined = tokio::time::timeout(Duration::from_mins(1), all_joined.recv()).await.map_err(io::Error::other)?;
        joined.ok_or_else(|| io::Error::other("a client could not subscribe to the feed"))?;
    }
    Ok(Clients { tasks, stop })
}

impl Clients {
    /// Stops every client; returns the deltas that the reading ones have received.
    pub(crate) async fn stop(mut self) -> Vec<Arrivals> {
        // Fails if all clients have been closed already.
        let _ = self.stop.send(true);
        let mut arrivals = Vec::new();
        while let Some(ended) = self.tasks.join_next().await {
            if let Ok(Ok(Some(of_one))) = ended {
                arrivals.push(of_one);
            }
        }
        arrivals
    }
}

/// Measures every number of sockets, without and with stalled ones.
///
/// # Errors
/// If the server does not start, a client cannot subscribe, or the results cannot be written.
pub fn run(sockets: &[usize], deliveries_a_second: u32, seconds: u32) -> io::Result<()> {
    open_files::raise_limit();
    print("fanout");
    let watch = Watch::start();
    let columns = [
        "sockets",
        "stalled",
        "deliveries/s",
        "a second of the server's processor time",
        "p50",
        "p99",
        "p99.9",
        "max",
        "missing",
        "lagged",
        "memory a socket",
        "after the run",
    ];
    let mut table = Table::new("One book's deltas to every socket; latency from the command to the client", &columns);
    let mut figures = Vec::new();
    for sockets in sockets {
        for per_cent in STALLED_PER_CENT {
            let stalled = (sockets * per_cent).div_ceil(100);
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
            let run = runtime.block_on(run_one(*sockets, stalled, deliveries_a_second, seconds))?;
            let rate = float_len(run.deliveries) / run.server_seconds;
            print(&format!(
                "  {sockets} sockets, {stalled} stalled: {} deliveries a core second, {} closed",
                whole(rate),
                run.closed
            ));
            figures.push((format!("deliveries_per_core_second_{sockets}_{per_cent}"), rate));
            figures.push((format!("p99_ns_{sockets}_{per_cent}"), run.latencies.quantile(0.99)));
            figures.push((format!("bytes_a_socket_{sockets}_{per_cent}"), run.bytes_a_socket));
            table.row(run.cells());
        }
    }
    let mut section = Section::new("fanout", &watch);
    section.table(table);
    section.note(format!(
        "At most {deliveries_a_second} deliveries a second for {seconds} s: with more sockets fewer deltas. Every delta is one \
         edit of an offer, about 0.7 KB of JSON. Latency is from giving the command, through actor, journal and encoding, to the \
         client's parsed frame; the journal lies in memory, so that no disk is measured."
    ));
    section.note(
        "Server and clients are two processes on the same cores over loopback; the clients' own work delays what they measure. \
         Stalled clients stop reading after their snapshot, with the smallest receive buffer. \"Missing\" counts deltas that a \
         reading client did not get, \"lagged\" queues that overflowed.",
    );
    section.figures.extend(figures);
    section.publish()
}
