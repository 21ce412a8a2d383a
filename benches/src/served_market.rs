//! The real server with one market in it, as a process of its own: so that its processor time and memory can be told
//! from those of the clients.
//!
//! It is this program again, with a hidden subcommand, and is spoken to by lines of JSON.

use std::{
    io::{self, BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::Duration,
};

use domain::{BookEvent, GroupId, OfferId, UserId};
use lienbook::{
    config::{quotas::Quotas, settings::Settings},
    server::{Server, open_files},
};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use crate::{
    machine::{cpu_seconds, memory_bytes},
    market,
    stopwatch::monotonic_nanoseconds,
};

/// The only group.
pub const GROUP: GroupId = GroupId(1);

/// Offers whose edits are published.
const OFFERS: u64 = 100;
const LENDERS: u64 = 10;

/// What the server is told.
#[derive(Debug, Serialize, Deserialize)]
enum Order {
    /// Publish so many deltas at this interval.
    Publish { frames: u32, interval_us: u64 },
}

/// Where the server listens.
#[derive(Debug, Serialize, Deserialize)]
struct Ready {
    address: String,
}

/// What was published.
#[derive(Debug, Serialize, Deserialize)]
pub struct Published {
    /// Sequence of each delta, and when its command was given, in nanoseconds of the machine's monotonic clock.
    pub deltas: Vec<(u64, u64)>,
    /// Queues that overflowed since the start.
    pub lagged: u64,
    /// Subscriptions open now.
    pub subscribers: u64,
}

/// The server's process; it ends when this is dropped.
#[derive(Debug)]
pub struct ServedMarket {
    /// Where it listens.
    pub address: String,
    child: Child,
    orders: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl ServedMarket {
    /// Starts the server on a data folder.
    ///
    /// # Errors
    /// When it does not start.
    pub fn start(data: &Path) -> io::Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg("serve")
            .arg(data)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let orders = child.stdin.take();
        let mut answers = BufReader::new(child.stdout.take().expect("it is piped"));
        let Ready { address } = read_line(&mut answers)?;
        Ok(Self { address, child, orders, answers })
    }

    /// Publishes deltas; returns when the last one is durable.
    ///
    /// # Errors
    /// When the server is gone.
    pub fn publish(&mut self, frames: u32, interval: Duration) -> io::Result<Published> {
        let interval_us = u64::try_from(interval.as_micros()).unwrap_or(u64::MAX);
        let orders = self.orders.as_mut().expect("it is there until the end");
        serde_json::to_writer(&mut *orders, &Order::Publish { frames, interval_us })?;
        orders.write_all(b"\n")?;
        orders.flush()?;
        read_line(&mut self.answers)
    }

    /// Resident memory in bytes.
    #[must_use]
    pub fn memory_bytes(&self) -> u64 {
        memory_bytes(self.child.id())
    }

    /// Processor time so far, in seconds.
    #[must_use]
    pub fn cpu_seconds(&self) -> f64 {
        cpu_seconds(self.child.id())
    }
}

impl Drop for ServedMarket {
    fn drop(&mut self) {
        // The end of its orders is the server's sign to stop.
        drop(self.orders.take());
        let _ = self.child.wait();
    }
}

fn read_line<T: for<'a> Deserialize<'a>>(answers: &mut BufReader<ChildStdout>) -> io::Result<T> {
    let mut line = String::new();
    answers.read_line(&mut line)?;
    serde_json::from_str(&line).map_err(|error| io::Error::other(format!("the server said {line:?}: {error}")))
}

fn answer(answer: &impl Serialize) -> io::Result<()> {
    let mut out = io::stdout().lock();
    serde_json::to_writer(&mut out, answer)?;
    out.write_all(b"\n")?;
    out.flush()
}

/// The server's side: serves the folder until its orders end.
///
/// # Errors
/// When it cannot start or nobody listens any more.
pub fn serve(data: &Path) -> io::Result<()> {
    open_files::raise_limit();
    actix::System::new().block_on(async {
        let everything = u32::MAX / 4;
        let quotas = Quotas {
            sign_ins_per_minute: everything,
            tickets_per_minute: everything,
            writes_per_minute: everything,
            lookups_per_minute: everything,
            reads_per_minute: everything,
            sockets_max: 100_000,
            sockets_per_ip_max: 100_000,
            ..Quotas::default()
        };
        let listen = "127.0.0.1:0".parse().expect("an address");
        let settings = Settings { listen, data: data.to_owned(), quotas, ..Settings::default() };
        let server =
            Server::start(settings, None, &|_| {}).await.map_err(|failure| io::Error::other(failure.to_string()))?;
        let mut publisher = Publisher::new(&server).await;
        answer(&Ready { address: server.address.to_string() })?;
        let mut orders = orders();
        while let Some(Order::Publish { frames, interval_us }) = orders.recv().await {
            answer(&publisher.publish(&server, frames, Duration::from_micros(interval_us)).await)?;
        }
        server.stop().await;
        Ok(())
    })
}

/// Reads orders on a thread of its own, so that waiting for them holds nobody up.
fn orders() -> mpsc::UnboundedReceiver<Order> {
    let (sender, orders) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in io::stdin().lines().map_while(Result::ok) {
            let order = serde_json::from_str(&line).expect("orders are well-formed");
            if sender.send(order).is_err() {
                break;
            }
        }
    });
    orders
}

/// Edits offers in turn; every edit is one delta of the book's channel.
struct Publisher {
    offers: Vec<(UserId, OfferId)>,
    next: usize,
    rng: ChaCha8Rng,
}

impl Publisher {
    async fn new(server: &Server) -> Self {
        let market = &server.app().market;
        market.list_group((*market::group(GROUP.0)).clone()).await.expect("the group is listed");
        let observed_at = server.app().now();
        market.move_price(GROUP, market::floor_price(), observed_at).await.expect("the price is taken");
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut offers = Vec::new();
        for number in 0..OFFERS {
            let lender = UserId(1 + number % LENDERS);
            let command = domain::Command::Create { lender, draft: manual_draft(&mut rng), count: 1, usable: None };
            let applied = market.command(GROUP, command, None).await.expect("the offer is taken");
            offers.push((lender, created(&applied.events)));
        }
        Self { offers, next: 0, rng }
    }

    async fn publish(&mut self, server: &Server, frames: u32, interval: Duration) -> Published {
        let market = &server.app().market;
        let start = tokio::time::Instant::now();
        let mut deltas = Vec::new();
        for number in 0..frames {
            tokio::time::sleep_until(start + interval * number).await;
            let place = self.next % self.offers.len();
            self.next += 1;
            let (lender, offer) = self.offers[place];
            let command = domain::Command::Edit { lender, offer, draft: manual_draft(&mut self.rng), usable: None };
            let given_at = monotonic_nanoseconds();
            let applied = market.command(GROUP, command, None).await.expect("the edit is taken");
            self.offers[place].1 = created(&applied.events);
            deltas.push((applied.sequence, given_at));
        }
        let stats = market.stats();
        Published { deltas, lagged: stats.lagged, subscribers: stats.subscribers }
    }
}

/// Manual offers need no vault; they stand in the first ranking.
fn manual_draft(rng: &mut ChaCha8Rng) -> domain::OfferDraft {
    market::draft(0, market::floor_price(), domain::Sats::ZERO, rng)
}

fn created(events: &[BookEvent]) -> OfferId {
    let id = events.iter().find_map(|event| match event {
        BookEvent::OfferCreated { offer, .. } => Some(*offer),
        _ => None,
    });
    id.expect("a create creates")
}
