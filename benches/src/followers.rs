//! Nodes that follow one journal: how much later their deltas arrive than the writer's, and what one and two of them
//! deliver.

use std::{io, time::Duration};

use postgres_testkit::Server;
use tempfile::TempDir;
use tokio::time::sleep;

use crate::{
    fanout::{Arrivals, connect, folder_in_memory},
    latency::Latencies,
    machine::Watch,
    nats_server::NatsServer,
    number::{count, float_len, median, spread, whole},
    report::{Section, Table, print},
    served_market::{self, Published},
    server_process::ServerProcess,
};

/// The sockets at each node whose deltas are compared.
const COMPARED_SOCKETS: usize = 4;
/// The deliveries of each node in a second, at most: few enough that three nodes and all clients fit on two cores.
const DELIVERIES_A_SECOND: u32 = 10_000;
/// The time allowed for the last deltas.
const SETTLE: Duration = Duration::from_secs(2);

/// A database, a NATS server, the node that decides, and nodes that follow. Fields are dropped in this order.
struct Nodes {
    followers: Vec<ServerProcess>,
    writer: Option<ServerProcess>,
    nats: NatsServer,
    database: Server,
    folders: Vec<TempDir>,
}

impl Nodes {
    fn start(followers: usize) -> io::Result<Self> {
        let (database, nats) = (Server::start(&[]), NatsServer::start()?);
        let mut nodes = Self { followers: Vec::new(), writer: None, nats, database, folders: Vec::new() };
        nodes.writer = Some(nodes.start_node(&[])?);
        for _ in 0..followers {
            let follower = nodes.start_node(&["--follows"])?;
            nodes.followers.push(follower);
        }
        Ok(nodes)
    }

    fn start_node(&mut self, flags: &[&str]) -> io::Result<ServerProcess> {
        let folder = folder_in_memory()?;
        let (journal, nats) = (self.database.url(), self.nats.url());
        let cluster = ["--journal", &journal, "--nats", &nats];
        let key = "7".repeat(64);
        let variables = [("LIENBOOK_SESSION_KEY", key.as_str())];
        let node = ServerProcess::start_with(
            served_market::SUBCOMMAND,
            folder.path(),
            &[&cluster[..], flags].concat(),
            &variables,
        )?;
        self.folders.push(folder);
        Ok(node)
    }

    /// Publishes deltas; returns once the last one has had time to arrive.
    async fn publish(&mut self, frames: u32, interval: Duration) -> io::Result<Published> {
        let mut writer = self.writer.take().expect("the writer is there");
        let publishing = tokio::task::spawn_blocking(move || {
            let published = served_market::publish(&mut writer, frames, interval);
            (writer, published)
        });
        let (writer, published) = publishing.await.map_err(io::Error::other)?;
        self.writer = Some(writer);
        sleep(SETTLE).await;
        published
    }
}

/// The delays of a follower's deltas after the writer's at sockets that were opened in the same order. A delta of a
/// follower may cover several commits.
fn delays(writer: &[Arrivals], follower: &[Arrivals], latencies: &mut Latencies) -> usize {
    let mut missing = 0;
    for (at_writer, at_follower) in writer.iter().zip(follower) {
        for (sequence, arrived) in &at_writer.deltas {
            let place = at_follower.deltas.partition_point(|(other, _)| other < sequence);
            match at_follower.deltas.get(place) {
                Some((_, later)) => latencies.record_nanoseconds(later.saturating_sub(*arrived)),
                None => missing += 1,
            }
        }
    }
    missing
}

/// The delay of one round.
async fn delay_round(deltas_a_second: u32, seconds: u32, latencies: &mut Latencies) -> io::Result<usize> {
    let mut nodes = Nodes::start(1)?;
    let at_writer = connect(&nodes.writer.as_ref().expect("it is there").address, COMPARED_SOCKETS, 0).await?;
    let at_follower = connect(&nodes.followers[0].address, COMPARED_SOCKETS, 0).await?;
    nodes.publish(deltas_a_second * seconds, Duration::from_secs(1) / deltas_a_second).await?;
    let (at_writer, at_follower) = (at_writer.stop().await, at_follower.stop().await);
    drop(tokio::task::spawn_blocking(move || drop(nodes)).await);
    Ok(delays(&at_writer, &at_follower, latencies))
}

/// The deliveries of each follower for a second of its processor time.
async fn delivery_round(followers: usize, sockets: usize, seconds: u32) -> io::Result<Vec<f64>> {
    let mut nodes = Nodes::start(followers)?;
    let mut clients = Vec::new();
    for follower in &nodes.followers {
        clients.push(connect(&follower.address, sockets, 0).await?);
    }
    let before: Vec<f64> = nodes.followers.iter().map(ServerProcess::cpu_seconds).collect();
    let per_second = (DELIVERIES_A_SECOND / u32::try_from(sockets).expect("few sockets")).max(1);
    nodes.publish(per_second * seconds, Duration::from_secs(1) / per_second).await?;
    let after: Vec<f64> = nodes.followers.iter().map(ServerProcess::cpu_seconds).collect();
    let mut rates = Vec::new();
    for ((clients, before), after) in clients.into_iter().zip(before).zip(after) {
        let deliveries: usize = clients.stop().await.iter().map(|of_one| of_one.deltas.len()).sum();
        rates.push(float_len(deliveries) / (after - before));
    }
    drop(tokio::task::spawn_blocking(move || drop(nodes)).await);
    Ok(rates)
}

/// Measures both.
///
/// # Errors
/// If PostgreSQL or nats-server is not installed, a client cannot subscribe, or the results cannot be written.
pub fn run(sockets: usize, deltas_a_second: u32, seconds: u32, rounds: usize) -> io::Result<()> {
    lienbook::server::open_files::raise_limit();
    print("followers");
    let watch = Watch::start();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let (mut latencies, mut missing) = (Latencies::default(), 0);
    let (mut one, mut two, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for round in 1..=rounds {
        missing += runtime.block_on(delay_round(deltas_a_second, seconds, &mut latencies))?;
        let alone: f64 = runtime.block_on(delivery_round(1, sockets, seconds))?.iter().sum();
        let both: f64 = runtime.block_on(delivery_round(2, sockets, seconds))?.iter().sum();
        print(&format!("  round {round}: one {}, two {} deliveries a core second", whole(alone), whole(both)));
        one.push(alone);
        two.push(both);
        ratios.push(both / alone);
    }
    let mut section = Section::new("followers", &watch);
    let columns: Vec<&str> = ["what"].into_iter().chain(Latencies::COLUMNS).collect();
    let title = format!("A follower's deltas after the writer's own, at {deltas_a_second} deltas a second");
    let mut delay = Table::new(&title, &columns);
    delay.row(["the same delta at a socket of each".to_owned()].into_iter().chain(latencies.cells()));
    section.table(delay);
    let columns = ["nodes that follow", "deliveries for a second of processor time of each", "least", "most", "of one"];
    let mut deliveries = Table::new("Deliveries of one node and of two; medians of the rounds", &columns);
    for (name, rates, of_one) in [("1", &one, 1.0), ("2", &two, median(&ratios))] {
        let (least, most) = spread(rates);
        deliveries.row([name.to_owned(), whole(median(rates)), whole(least), whole(most), format!("{of_one:.2}")]);
    }
    section.table(deliveries);
    section.figure("delay_p99_ns", latencies.quantile(0.99));
    section.figure("two_of_one", median(&ratios));
    section.note(format!(
        "{rounds} rounds of {seconds} s each. The delay is between the arrivals of one delta at {COMPARED_SOCKETS} sockets of \
         the writer and of the follower, in the same client process; {missing} were missing. Deliveries are to {} sockets a \
         node, at most {DELIVERIES_A_SECOND} a second for each node, and the processor time is that of the following nodes \
         with all that they do, applying the journal included.",
        count(sockets)
    ));
    section.note(
        "All nodes, the database with `fsync`, the NATS server and the clients are on the same two cores over loopback, without \
         a standby.",
    );
    section.publish()
}
