//! The real server with one market, as a separate process.

use std::{io, path::Path, time::Duration};

use clap::Args;
use domain::{BookEvent, GroupId, OfferId, UserId};
use futures_util::StreamExt as _;
use lienbook::{
    config::{quotas::Quotas, settings::Settings},
    server::{Server, open_files},
};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::{
    market,
    server_process::{ServerProcess, answer, ready},
    stopwatch::monotonic_nanoseconds,
};

/// The hidden subcommand.
pub const SUBCOMMAND: &str = "serve";

/// The only group.
pub const GROUP: GroupId = GroupId(1);

/// The number of offers whose edits are published.
const OFFERS: u64 = 100;
const LENDERS: u64 = 10;

/// The first lender of those whose offers fill the book, and the offers of each.
const FILLERS_FROM: u64 = 1_000_000;
const OFFERS_OF_A_FILLER: usize = 100;
/// The number of their commands under way.
const FILL_WINDOW: usize = 512;

/// The requests to the server.
#[derive(Debug, Serialize, Deserialize)]
enum Request {
    /// Publish this many deltas at this interval.
    Publish { frames: u32, interval_us: u64 },
}

/// The published deltas.
#[derive(Debug, Serialize, Deserialize)]
pub struct Published {
    /// The sequence of each delta, and the time of its command, in nanoseconds of the machine's monotonic clock.
    pub deltas: Vec<(u64, u64)>,
    /// The number of queues that overflowed since the start.
    pub lagged: u64,
    /// The number of open subscriptions.
    pub subscribers: u64,
}

/// Publishes deltas; returns once the last one is durable.
///
/// # Errors
/// If the server has ended.
pub fn publish(server: &mut ServerProcess, frames: u32, interval: Duration) -> io::Result<Published> {
    let interval_us = u64::try_from(interval.as_micros()).unwrap_or(u64::MAX);
    server.ask(&Request::Publish { frames, interval_us })
}

/// Quotas that no measurement reaches.
#[must_use]
pub fn unlimited_quotas() -> Quotas {
    let limit = u32::MAX / 4;
    Quotas {
        sign_ins_per_minute: limit,
        tickets_per_minute: limit,
        writes_per_minute: limit,
        lookups_per_minute: limit,
        reads_per_minute: limit,
        sockets_max: 100_000,
        sockets_per_ip_max: 100_000,
        ..Quotas::default()
    }
}

/// The cluster of a served node, as the flags of the subcommand.
#[derive(Debug, Args)]
pub struct ClusterFlags {
    /// The URL of the journal's database; without it the journal is in the data folder.
    #[arg(long)]
    journal: Option<String>,
    /// The URL of the NATS server.
    #[arg(long)]
    nats: Option<String>,
    /// Whether another node decides.
    #[arg(long)]
    follows: bool,
    /// The number of manual offers in the book from the beginning.
    #[arg(long, default_value_t = 0)]
    offers: usize,
}

/// Serves the folder until its input ends; on the server's side.
///
/// # Errors
/// If it cannot start or the reader is gone.
pub fn serve(data: &Path, flags: &ClusterFlags) -> io::Result<()> {
    open_files::raise_limit();
    actix::System::new().block_on(async {
        let listen = "127.0.0.1:0".parse().expect("an address");
        let settings = Settings {
            listen,
            data: data.to_owned(),
            quotas: unlimited_quotas(),
            journal: flags.journal.as_deref().map(str::parse).transpose().map_err(io::Error::other)?,
            journal_standbys: 0,
            nats_url: flags.nats.as_deref().map(str::parse).transpose().map_err(io::Error::other)?,
            ..Settings::default()
        };
        let server =
            Server::builder(settings).start().await.map_err(|failure| io::Error::other(failure.to_string()))?;
        if flags.follows {
            let mut requests = ready::<Request>(&server.address)?;
            while requests.recv().await.is_some() {}
            server.stop().await;
            return Ok(());
        }
        if let Some(cluster) = &server.app().cluster {
            cluster.wait_to_decide().await;
        }
        let mut publisher = Publisher::new(&server).await;
        fill(&server, flags.offers).await;
        let mut requests = ready(&server.address)?;
        while let Some(Request::Publish { frames, interval_us }) = requests.recv().await {
            answer(&publisher.publish(&server, frames, Duration::from_micros(interval_us)).await)?;
        }
        server.stop().await;
        Ok(())
    })
}

/// Creates manual offers of lenders who never sign in, each of a hundred.
async fn fill(server: &Server, offers: usize) {
    let (market, mut rng) = (&server.app().market, ChaCha8Rng::seed_from_u64(2));
    let creations = (0..offers).map(|number| {
        let lender = UserId(FILLERS_FROM + u64::try_from(number / OFFERS_OF_A_FILLER).expect("few lenders"));
        let ranking = rng.random_range(0..market::MANUAL_RANKINGS) * 2;
        let draft = market::draft(ranking, market::floor_price(), domain::Sats::ZERO, &mut rng);
        market.command(GROUP, domain::Command::Create { lender, draft, count: 1, usable: None }, None)
    });
    let mut created = futures_util::stream::iter(creations).buffered(FILL_WINDOW);
    while let Some(outcome) = created.next().await {
        outcome.expect("the offer is accepted");
    }
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
        market.move_price(GROUP, market::floor_price(), observed_at).await.expect("the price is accepted");
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut offers = Vec::new();
        for number in 0..OFFERS {
            let lender = UserId(1 + number % LENDERS);
            let command = domain::Command::Create { lender, draft: manual_draft(&mut rng), count: 1, usable: None };
            let applied = market.command(GROUP, command, None).await.expect("the offer is accepted");
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
            let sent_at = monotonic_nanoseconds();
            let applied = market.command(GROUP, command, None).await.expect("the edit is accepted");
            self.offers[place].1 = created(&applied.events);
            deltas.push((applied.sequence, sent_at));
        }
        let stats = market.stats();
        Published { deltas, lagged: stats.lagged, subscribers: stats.subscribers }
    }
}

/// Manual offers need no vault; they are all in the first ranking.
fn manual_draft(rng: &mut ChaCha8Rng) -> domain::OfferDraft {
    market::draft(0, market::floor_price(), domain::Sats::ZERO, rng)
}

fn created(events: &[BookEvent]) -> OfferId {
    let id = events.iter().find_map(|event| match event {
        BookEvent::OfferCreated { offer, .. } => Some(*offer),
        _ => None,
    });
    id.expect("a create command creates an offer")
}
