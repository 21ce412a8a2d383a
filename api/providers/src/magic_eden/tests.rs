//! The shapes come from Magic Eden's documentation.

use serde_json::{Value, json};

use super::*;
use crate::scripted_server::{Told, start};
use crate::upstream_tests::site;

async fn price(traded: Traded, line: &'static str, told: Value) -> Result<Option<u64>, Trouble> {
    let (url, _) = start(move |asked| {
        assert_eq!(asked.line, line);
        Told::ok(&told)
    })
    .await;
    MagicEden::new(site(&url)).quote(&traded).await.map(|quote| quote.map(|quote| quote.price_scaled))
}

async fn floor(floor: Value) -> Result<Option<u64>, Trouble> {
    let told = json!({ "totalVolume": "1", "owners": "2", "supply": "3", "floorPrice": floor, "totalListed": "4",
        "pendingTransactions": "5", "symbol": "frogs" });
    let line = "GET /v2/ord/btc/stat?collectionSymbol=frogs";
    price(Traded::Collection("frogs".to_owned()), line, told).await
}

#[tokio::test]
async fn the_unit_of_a_floor_is_told_from_the_number_or_it_is_refused() {
    assert_eq!(floor(json!("2500000")).await, Ok(Some(250_000_000_000_000)));
    assert_eq!(floor(json!(2_500_000)).await, Ok(Some(250_000_000_000_000)));
    assert_eq!(floor(json!("0.025")).await, Ok(Some(250_000_000_000_000)), "bitcoin");
    assert_eq!(floor(json!(0.025)).await, Ok(Some(250_000_000_000_000)));
    for nothing in [json!("0"), json!(0), json!(null)] {
        assert_eq!(floor(nothing).await, Ok(None));
    }
    // One bitcoin or one sat; sats with decimals, or more bitcoin than anybody asks; parts of a sat.
    for unclear in
        [json!("1"), json!(999), json!("2500000.5"), json!("0.000000001"), json!("1e30"), json!("-5"), json!("x")]
    {
        let found = floor(unclear.clone()).await;
        assert!(matches!(found, Err(Trouble::Nonsense(_))), "{unclear}: {found:?}");
    }
}

#[tokio::test]
async fn a_floor_is_of_what_was_asked_for() {
    let told = json!({ "floorPrice": "2500000", "symbol": "toads" });
    let found =
        price(Traded::Collection("frogs".to_owned()), "GET /v2/ord/btc/stat?collectionSymbol=frogs", told).await;
    assert!(matches!(found, Err(Trouble::Nonsense(_))));
    assert_eq!(price(Traded::Brc20("ordi".to_owned()), "nothing", json!({})).await, Ok(None));
}

#[tokio::test]
async fn a_rune_costs_what_is_told_twice() {
    let dogs = async |told: Value| {
        let line = "GET /v2/ord/btc/runes/market/DOGS/info";
        price(Traded::Rune("DOGS".to_owned()), line, json!({ "ticker": "DOGS", "floorUnitPrice": told })).await
    };
    assert_eq!(dogs(json!({ "formatted": "3.25", "value": "3.25" })).await, Ok(Some(325_000_000)));
    assert_eq!(dogs(json!({ "value": 3.25 })).await, Ok(Some(325_000_000)));
    assert_eq!(dogs(json!(null)).await, Ok(None));
    let unclear = dogs(json!({ "formatted": "3.25", "value": "325000000" })).await;
    assert!(matches!(unclear, Err(Trouble::Nonsense(_))));
}
