//! The sub-collections in which lenders can quote.

use reqwest::Client;
use serde::Deserialize;

/// The range of quotes as shares of the floor price, in percent.
const LEAST_PER_CENT: u64 = 40;
const MOST_PER_CENT: u64 = 80;
/// The minimum offer; smaller ones are refused.
const LEAST_SATS: u64 = 50_000;
/// The number of collections in one answer.
const COLLECTIONS_MAX: usize = 100;

#[derive(Deserialize)]
struct Page {
    data: Vec<Collection>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Collection {
    collateral_type: String,
    is_lending_allowed: bool,
    floor: Option<u64>,
    sub_collections: Vec<SubCollection>,
}

#[derive(Deserialize)]
struct SubCollection {
    slug: String,
    manual: bool,
}

/// A sub-collection that takes manual offers, with the range of principals to offer.
#[derive(Debug)]
pub(super) struct ManualMarket {
    /// The slug of the sub-collection.
    pub(super) slug: String,
    /// The principals in sats.
    pub(super) principals: std::ops::RangeInclusive<u64>,
}

/// Every [`ManualMarket`] of the server.
#[derive(Debug)]
pub(super) struct Markets(pub(super) Vec<ManualMarket>);

impl Markets {
    /// Queries the server for its collections.
    pub(super) async fn ask(http: &Client, url: &str) -> Result<Self, String> {
        let answer = http.get(format!("{url}/api/v1/collections?limit={COLLECTIONS_MAX}")).send().await;
        let page: Page = answer.map_err(|error| error.to_string())?.json().await.map_err(|error| error.to_string())?;
        let markets: Vec<ManualMarket> = page.data.iter().flat_map(markets_of).collect();
        if markets.is_empty() {
            Err("the server lists nothing that takes manual offers".to_owned())
        } else {
            Ok(Self(markets))
        }
    }
}

fn markets_of(collection: &Collection) -> Vec<ManualMarket> {
    let Some(floor) =
        collection.floor.filter(|_| collection.is_lending_allowed && collection.collateral_type == "inscription")
    else {
        return Vec::new();
    };
    let (least, most) = (floor * LEAST_PER_CENT / 100, floor * MOST_PER_CENT / 100);
    if least < LEAST_SATS {
        return Vec::new();
    }
    let manual = collection.sub_collections.iter().filter(|sub_collection| sub_collection.manual);
    manual.map(|sub_collection| ManualMarket { slug: sub_collection.slug.clone(), principals: least..=most }).collect()
}
