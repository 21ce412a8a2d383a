//! Tests of the collateral that a user can pledge.

use reqwest::Method;
use serde_json::{Value, json};
use simulator::{DemoMarket, Pace};

use super::lender::TestUser;
use super::rig::Rig;

const COLLATERAL: &str = "/api/v1/me/collateral";
const SUMS: &str = "/api/v1/me/rune-balances";

async fn given(rig: &Rig, visitor: &TestUser, request_body: Value) -> Value {
    visitor.post(rig, "/api/v1/devnet/faucet", &request_body).await.ok()
}

#[actix_web::test]
async fn a_user_sees_their_inscriptions_and_runes_of_listed_collections() {
    let market = DemoMarket::new(7).with_lenders(0, Pace::LIVELY);
    let rig = Rig::start_demo(market, |settings| settings.demo_block_seconds = 3_600).await;
    let visitor = TestUser::sign_in(&rig, 1).await;
    let nothing = json!({"inscriptions": [], "runes": []});
    assert_eq!(visitor.get(&rig, COLLATERAL).await.ok(), nothing);

    let king = given(&rig, &visitor, json!({"collection_group_slug": "hollow-kings"})).await;
    let fox = given(&rig, &visitor, json!({"collection_group_slug": "lantern-foxes"})).await;
    for amount in ["10000", "2500"] {
        given(&rig, &visitor, json!({"collection_group_slug": "midnight-grocery", "amount": amount})).await;
    }
    assert_eq!(visitor.get(&rig, COLLATERAL).await.ok(), nothing, "unconfirmed collateral cannot be pledged");
    rig.send(rig.request(Method::POST, "/api/v1/devnet/mine")).await.ok();

    let seen = visitor.get(&rig, COLLATERAL).await.ok();
    let ids: Vec<&Value> = seen["inscriptions"].as_array().unwrap().iter().map(|own| &own["inscription_id"]).collect();
    assert_eq!(ids, [&king["inscriptionId"], &fox["inscriptionId"]], "by their names");
    let first = &seen["inscriptions"][0];
    let start = &king["inscriptionId"].as_str().unwrap()[..6];
    assert_eq!(first["inscription_name"], format!("Hollow Kings {start}"));
    assert_eq!((&first["groupSlug"], &first["isPromised"]), (&json!("hollow-kings"), &json!(false)));
    assert_eq!((&first["content_type"], &first["mime_type"]), (&json!("image/svg+xml"), &json!("image/svg+xml")));
    let numbers = [first, &seen["inscriptions"][1]].map(|own| own["inscription_number"].as_u64().unwrap());
    assert_eq!(numbers[0].abs_diff(numbers[1]), 1, "the demo's chain counts its inscriptions");
    let row = rig.get("/api/v1/collections/midnight-grocery").await.ok();
    let runes = &seen["runes"];
    assert_eq!(runes.as_array().unwrap().len(), 1);
    assert_eq!((&runes[0]["runeId"], &runes[0]["free"]), (&row["runeId"], &json!("12500")));
    assert_eq!(runes[0]["raw"], runes[0]["freeRaw"]);
    let counted = visitor.get(&rig, SUMS).await.ok();
    let sum = &counted["runes"][0];
    assert_eq!(counted["provider"], "demo");
    assert_eq!((&sum["raw"], &sum["amount"], &sum["runeId"]), (&runes[0]["raw"], &json!("12500"), &row["runeId"]));
    assert_eq!(sum["runeName"], row["runeName"]);
    let other_user = TestUser::sign_in(&rig, 2).await;
    assert_eq!(other_user.get(&rig, COLLATERAL).await.ok(), nothing);
    assert_eq!(other_user.get(&rig, SUMS).await.ok(), json!({"provider": "demo", "runes": []}));
    for path in [COLLATERAL, SUMS] {
        rig.get(path).await.refused(401, "unauthenticated");
    }
    rig.server.stop().await;
}

#[actix_web::test]
async fn an_inscription_is_shown_with_its_location_its_content_and_its_collection() {
    let market = DemoMarket::new(7).with_lenders(0, Pace::LIVELY);
    let rig = Rig::start_demo(market, |settings| settings.demo_block_seconds = 3_600).await;
    let visitor = TestUser::sign_in(&rig, 1).await;
    let king = given(&rig, &visitor, json!({"collection_group_slug": "hollow-kings"})).await;
    rig.send(rig.request(Method::POST, "/api/v1/devnet/mine")).await.ok();
    let id = king["inscriptionId"].as_str().unwrap();
    let shown = rig.get(&format!("/api/v1/inscriptions/{id}")).await.ok();
    let utxo = format!("{}:{}", king["txid"].as_str().unwrap(), king["vout"]);
    assert_eq!((&shown["inscriptionId"], &shown["owner"]), (&json!(id), &king["address"]));
    assert_eq!((&shown["utxo"], &shown["satpoint"]), (&json!(utxo), &json!(format!("{utxo}:0"))));
    assert_eq!((&shown["collectionName"], &shown["collectionSlug"]), (&json!("Hollow Kings"), &json!("hollow-kings")));
    assert_eq!((&shown["provider"], &shown["attributes"]), (&json!("DEMO"), &json!([])));
    assert_eq!((&shown["inscriptionName"], shown["inscriptionNumber"].is_u64()), (&json!(null), true));
    assert!(shown["outputvalue"].as_u64().unwrap() > 0 && shown["mimeType"].is_string(), "{shown}");
    for unknown in [format!("{}i9", &id[..64]), "frog".to_owned(), format!("{id}0"), "..%2fmetrics".to_owned()] {
        rig.get(&format!("/api/v1/inscriptions/{unknown}")).await.refused(404, "unknown_inscription");
    }
    rig.server.stop().await;
}
