//! Watches an order book: prints its best offers whenever they change.
//!
//! `cargo run -p lienbook-client --example watch_book -- --url http://127.0.0.1:8080 --collection lantern-foxes`

use std::error::Error;
use std::fmt::Write as _;

use clap::Parser;
use lienbook_client::{Book, Channel, Client, Event, Feed, ServerUrl};

#[derive(Parser)]
struct Arguments {
    /// The server.
    #[arg(long, default_value = "http://127.0.0.1:8080")]
    url: ServerUrl,
    /// The collection, by its slug or id.
    #[arg(long)]
    collection: String,
    /// The number of changes after which it ends; none by default.
    #[arg(long)]
    changes: Option<u64>,
}

#[tokio::main]
#[expect(clippy::print_stdout, reason = "it shows a book")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let client = Client::new(arguments.url, None)?;
    let row = client.get_collection(&arguments.collection).await?;
    let mut feed = Feed::new(&client, [Channel::Book(row.id.clone())])?;
    let mut changes = 0;
    while arguments.changes.is_none_or(|end| changes < end) {
        match feed.next().await {
            Event::Changed(_) => {
                println!("{}", feed.book(&row.id).map_or_else(String::new, shown));
                changes += 1;
            }
            Event::Stale(_, reason) => println!("stale: {reason}"),
            Event::Disconnected(reason) => println!("disconnected: {reason}"),
        }
    }
    Ok(())
}

/// The floor, and the best offer of each ranking.
fn shown(book: &Book) -> String {
    let row = book.row();
    let floor = row.floor.map_or_else(|| "unknown".to_owned(), |floor| floor.to_string());
    let mut line = format!("{} floor {floor}", row.group_slug);
    for ranking in book.rankings() {
        if let Some(best) = ranking.offers.first() {
            // Writing to a string cannot fail.
            let _ = write!(
                line,
                "; {} {:?}: {} sats at {} % for {} days, {} in all",
                best.offer_id,
                ranking.process,
                best.available_sats,
                best.interest_rate_percentage,
                best.loan_term_days,
                ranking.offers.len()
            );
        }
    }
    line
}
