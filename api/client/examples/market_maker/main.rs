//! A market maker for one collection of inscriptions: quotes around the floor, within a budget.
//!
//! `LIENBOOK_API_KEY=lbk_… cargo run -p lienbook-client --example market_maker -- --config market_maker.toml`
//!
//! It cancels its offers when the data is lost or old, when a request fails, and when it ends. It signs nothing: loans that
//! borrowers accept wait for the wallet. An absence limit of the account (`absenceMinutes`) pauses its offers when the whole
//! machine is lost.

mod config;
mod decision;
mod keeper;
mod plan;
mod volatility;

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use lienbook_client::types::ManualItem;
use lienbook_client::{ApiKey, Channel, Client, Event, Feed, ServerUrl};
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{Instant, sleep_until};

use config::Config;
use keeper::Keeper;

#[derive(Parser)]
struct Arguments {
    /// The server.
    #[arg(long, default_value = "http://127.0.0.1:8080")]
    url: ServerUrl,
    /// An API key with the scopes `read`, `quote` and `cancel`.
    #[arg(long, env = "LIENBOOK_API_KEY", hide_env_values = true)]
    key: ApiKey,
    /// The configuration, in TOML.
    #[arg(long)]
    config: PathBuf,
}

/// The least time between two turns, so that a busy book does not use up the quota.
const TURN_MIN: Duration = Duration::from_secs(1);

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let config = Config::read(&arguments.config)?;
    let mut item: serde_json::Value = serde_json::from_str(&fs::read_to_string(&config.wallet)?)?;
    for (field, value) in [("collection_slug", "-".into()), ("principal_amount", 1.into()), ("quantity", 1.into())] {
        item[field] = value;
    }
    let item: ManualItem = serde_json::from_value(item)?;
    let client = Client::new(arguments.url, Some(arguments.key))?;
    let mut keeper = Keeper::new(client.clone(), config.clone(), item).await?;
    let mut feed = Feed::new(&client, [Channel::Book(keeper.group_id().to_owned())])?;
    let ended = keep(&mut keeper, &mut feed, &config).await;
    // Whatever ended it: the offers must not outlive the program.
    keeper.cancel_all("the program ends").await?;
    ended
}

/// Decides at every change of the book and at every interval, until a signal ends the program.
#[expect(clippy::print_stderr, reason = "the log of failures")]
async fn keep(keeper: &mut Keeper, feed: &mut Feed, config: &Config) -> Result<(), Box<dyn Error>> {
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let interval = Duration::from_millis(config.interval_ms).max(TURN_MIN);
    let (mut turn_at, mut last_turn) = (Instant::now(), Instant::now());
    loop {
        tokio::select! {
            _ = interrupt.recv() => return Ok(()),
            _ = terminate.recv() => return Ok(()),
            event = feed.next() => match event {
                // Data that is lost is acted on at once, a change soon.
                Event::Stale(..) | Event::Disconnected(_) => turn_at = Instant::now(),
                Event::Changed(_) => turn_at = turn_at.min(last_turn + TURN_MIN),
            },
            () = sleep_until(turn_at) => {
                if let Err(error) = keeper.turn(feed).await {
                    eprintln!("{error}");
                    if let Err(error) = keeper.cancel_all("a request failed").await {
                        eprintln!("cannot cancel: {error}");
                    }
                }
                last_turn = Instant::now();
                turn_at = last_turn + interval;
            }
        }
    }
}
