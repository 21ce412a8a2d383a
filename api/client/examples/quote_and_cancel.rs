//! Quotes half of the floor in the first term of a collection that takes manual offers, and cancels the quote.
//!
//! `lienbook wallet show lender.wallet > wallet.json`, then
//! `LIENBOOK_API_KEY=lbk_… cargo run -p lienbook-client --example quote_and_cancel -- --collection lantern-foxes --wallet wallet.json`

use std::error::Error;
use std::fs;
use std::path::PathBuf;

use clap::Parser;
use lienbook_client::types::{CreateManualOffers, ManualItem, OfferIds};
use lienbook_client::{ApiKey, Client, IdempotencyKey, ServerUrl};

#[derive(Parser)]
struct Arguments {
    /// The server.
    #[arg(long, default_value = "http://127.0.0.1:8080")]
    url: ServerUrl,
    /// An API key with the scopes `quote` and `cancel`.
    #[arg(long, env = "LIENBOOK_API_KEY", hide_env_values = true)]
    key: ApiKey,
    /// The collection, by its slug or id.
    #[arg(long)]
    collection: String,
    /// A file with the lender's addresses and public keys, as `lienbook wallet show` prints them.
    #[arg(long)]
    wallet: PathBuf,
}

#[tokio::main]
#[expect(clippy::print_stdout, reason = "it shows its steps")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let client = Client::new(arguments.url, Some(arguments.key))?;
    let row = client.get_collection(&arguments.collection).await?;
    let floor = row.floor.ok_or("the floor is not known")?;
    let term = row.sub_collections.iter().find(|term| term.manual).ok_or("it takes no manual offers")?;

    // The wallet's part of the item, to which the terms are added.
    let mut item: serde_json::Value = serde_json::from_str(&fs::read_to_string(arguments.wallet)?)?;
    item["collection_slug"] = term.slug.as_str().into();
    item["principal_amount"] = (floor / 2).into();
    item["quantity"] = 1.into();
    let item: ManualItem = serde_json::from_value(item)?;

    // The key makes a repetition of the request harmless, also by another process that is given the same one.
    let body = CreateManualOffers { offers: vec![item], cf_turnstile_response: None };
    let created = client.create_manual_offers(&body, &IdempotencyKey::random()).await?;
    let offer_ids: Vec<String> = created.offers.into_iter().map(|offer| offer.offer_id).collect();
    println!("quoted {} sats for {} days: {}", floor / 2, term.term, offer_ids.join(", "));

    let cancelled = client.cancel_manual_offers(&OfferIds { offer_ids }, &IdempotencyKey::random()).await?;
    for result in cancelled.results {
        match result.error {
            None => println!("cancelled {}", result.offer_id),
            Some(problem) => println!("not cancelled {}: {}", result.offer_id, problem.detail),
        }
    }
    Ok(())
}
