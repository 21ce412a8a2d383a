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
    MagicEden::new(site(&url), Network::Regtest).quote(&traded).await.map(|quote| quote.map(|quote| quote.price_scaled))
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

const TXID: &str = "2222222222222222222222222222222222222222222222222222222222222222";

async fn token(told: Value) -> Result<Option<Sighting>, Trouble> {
    let (url, _) = start(move |asked| {
        assert_eq!(asked.line, format!("GET /v2/ord/btc/tokens?tokenIds={TXID}i0"));
        Told::ok(&told)
    })
    .await;
    MagicEden::new(site(&url), Network::Regtest).sighting(format!("{TXID}i0").parse().unwrap()).await
}

#[tokio::test]
async fn an_inscription_has_a_name_a_place_and_attributes() {
    let told = json!({ "id": format!("{TXID}i0"), "contentURI": "https://example.com/content", "contentType": "image/webp",
        "inscriptionNumber": 12, "location": format!("{TXID}:1:3"), "output": format!("{TXID}:1"), "outputValue": 546,
        "owner": "bcrt1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqdku202", "collectionSymbol": "frogs", "listed": false,
        "collection": { "name": "Paper Frogs" },
        "meta": { "name": "Frog #8", "attributes": [
            { "trait_type": "Pond", "value": "Moss" }, { "trait_type": "Spots", "value": 7 },
            { "trait_type": "Nothing", "value": null }, { "trait_type": "", "value": "x" } ] } });
    let seen = token(json!({ "tokens": [told] })).await.unwrap().unwrap();
    assert_eq!((seen.outpoint.vout, seen.offset_sats, seen.output_sats), (1, Some(3), Some(546)));
    assert_eq!((seen.number, seen.content_type.as_deref()), (Some(12), Some("image/webp")));
    assert_eq!((seen.name.as_deref(), seen.collection_name.as_deref()), (Some("Frog #8"), Some("Paper Frogs")));
    assert_eq!((seen.collection_slug.as_deref(), seen.owner.is_some()), (Some("frogs"), true));
    let pairs: Vec<_> = seen.attributes.iter().map(|it| (it.name.as_str(), it.value.as_str())).collect();
    assert_eq!(pairs, [("Pond", "Moss"), ("Spots", "7")]);
}

#[tokio::test]
async fn what_a_collection_says_in_another_shape_is_left_out() {
    for meta in
        [json!(null), json!("frog"), json!({ "name": ["x"], "attributes": null }), json!({ "attributes": [7, {}] })]
    {
        let told =
            json!({ "id": format!("{TXID}i0"), "location": format!("{TXID}:1:3"), "meta": meta, "collection": 7 });
        let seen = token(json!({ "tokens": [told] })).await.unwrap().unwrap();
        assert_eq!((seen.name, seen.collection_name, seen.attributes), (None, None, vec![]), "{meta}");
    }
}

#[tokio::test]
async fn an_inscription_is_the_one_that_was_asked_for() {
    assert_eq!(token(json!({ "tokens": [] })).await, Ok(None));
    let other = json!({ "id": format!("{TXID}i1"), "location": format!("{TXID}:1:3") });
    let own = json!({ "id": format!("{TXID}i0"), "location": format!("{TXID}:1:3") });
    for wrong in [json!([other]), json!([own, own]), json!([{ "id": format!("{TXID}i0") }]), json!("none")] {
        let found = token(json!({ "tokens": wrong })).await;
        assert!(matches!(found, Err(Trouble::Nonsense(_))), "{wrong}: {found:?}");
    }
}
