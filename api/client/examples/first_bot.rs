//! Keeps one offer at half of the floor of a collection, and follows it until Ctrl-C.
use std::{env, error::Error, fs};

use lienbook_client::types::{CreateManualOffers, ManualItem, OfferIds};
use lienbook_client::{Channel, Client, Event, Feed, IdempotencyKey};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let key = env::var("LIENBOOK_API_KEY")?.parse()?;
    let client = Client::new(env::var("LIENBOOK_URL")?.parse()?, Some(key))?;
    let row = client.get_collection(&env::var("LIENBOOK_COLLECTION")?).await?;
    let term = row.sub_collections.iter().find(|term| term.manual).ok_or("no manual offers")?;
    let mut item: serde_json::Value = serde_json::from_str(&fs::read_to_string("wallet.json")?)?;
    item["collection_slug"] = term.slug.as_str().into();
    item["quantity"] = 1.into();
    let mut feed = Feed::new(&client, [Channel::Book(row.id.clone())])?;
    let (mut quoted, mut offer_ids) = (0, Vec::new());
    loop {
        let event = tokio::select! {
            event = feed.next() => event,
            ended = tokio::signal::ctrl_c() => break ended?,
        };
        let floor = feed.book(&row.id).and_then(|book| book.row().floor).unwrap_or(0);
        // Without live data, or after a move of 1 %, the offer goes.
        if matches!(event, Event::Changed(_)) && quoted > 0 && floor.abs_diff(quoted) * 100 < quoted {
            continue;
        }
        cancel(&client, &mut offer_ids).await?;
        quoted = floor;
        if floor > 0 {
            item["principal_amount"] = (floor / 2).into();
            let item: ManualItem = serde_json::from_value(item.clone())?;
            let body = CreateManualOffers { offers: vec![item], cf_turnstile_response: None };
            let created = client.create_manual_offers(&body, &IdempotencyKey::random()).await?;
            offer_ids = created.offers.into_iter().map(|offer| offer.offer_id).collect();
        }
    }
    cancel(&client, &mut offer_ids).await
}

async fn cancel(client: &Client, offer_ids: &mut Vec<String>) -> Result<(), Box<dyn Error>> {
    if !offer_ids.is_empty() {
        let body = OfferIds { offer_ids: std::mem::take(offer_ids) };
        client.cancel_manual_offers(&body, &IdempotencyKey::random()).await?;
    }
    Ok(())
}
