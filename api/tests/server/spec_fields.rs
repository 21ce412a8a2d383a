//! Tests of the fields of the public records in the responses that carry them.

use domain::{Sats, UnitPrice};
use reqwest::Method;
use serde_json::{Value, json};
use simulator::{DemoMarket, Pace};

use super::lender::TestUser;
use super::rig::{FLOOR_SATS, Rig};
use super::signed_requests::{create_ordinal, create_rune};

async fn created(rig: &Rig, lender: &TestUser, (path, body): (String, Value)) -> String {
    lender.post(rig, &path, &body).await.ok()["offer"]["offerId"].as_str().unwrap().to_owned()
}

/// The caller's own offer as the list has it.
async fn listed(rig: &Rig, lender: &TestUser, id: &str) -> Value {
    let page = lender.get(rig, "/api/v1/offers").await.ok();
    page["data"].as_array().unwrap().iter().find(|offer| offer["offerId"] == id).unwrap().clone()
}

async fn set_floor(rig: &Rig, sats: u64) {
    let group = rig.app().market.group_named("paper-frogs").unwrap().id;
    let price = UnitPrice::from_sats(Sats::new(sats)).unwrap();
    rig.app().market.move_price(group, price, rig.app().now()).await.unwrap();
}

#[actix_web::test]
async fn a_collection_has_its_types_its_instant_slug_and_the_highest_ltv_of_its_instant_offers() {
    let rig = Rig::start().await;
    let row = async |slug: &str| rig.get(&format!("/api/v1/collections/{slug}")).await.ok();
    let types = |row: &Value| -> Vec<Value> {
        row["subCollections"].as_array().unwrap().iter().map(|sub| sub["collectionTypes"].clone()).collect()
    };
    let both = json!(["MANUAL_FIXED", "INSTANT_PARTIAL"]);
    let frogs = row("paper-frogs").await;
    assert_eq!(types(&frogs), [both.clone(), both]);
    assert_eq!(frogs["instantOrdinalSlug"], "paper-frogs-7d");
    assert_eq!(frogs["maxInstantLTV"], Value::Null);
    let pond = row("frog-pond").await;
    assert_eq!(types(&pond), [json!(["MANUAL_FIXED"]), json!(["INSTANT_PARTIAL"])]);
    assert_eq!(pond["instantOrdinalSlug"], Value::Null, "runes are not ordinals");
    assert_eq!(types(&row("newt").await), [json!(["MANUAL_FIXED"])]);

    let lender = TestUser::sign_in(&rig, 1).await;
    lender.fund(&rig, 10_000_000).await;
    for sats in [300_000, 400_000, 350_000] {
        let body = create_ordinal(&rig, &lender, sats).await;
        created(&rig, &lender, body).await;
    }
    // A manual offer with a higher LTV does not count.
    lender.quote(&rig, "paper-frogs-7d", 600_000, 1).await;
    let highest = 400_000 * 100 / FLOOR_SATS;
    assert_eq!(row("paper-frogs").await["maxInstantLTV"].as_f64(), Some(f64::from(u32::try_from(highest).unwrap())));
    let book = rig.get("/api/v1/collections/paper-frogs/orderbook").await.ok();
    assert_eq!(book["collection"]["instantOrdinalSlug"], "paper-frogs-7d");
    rig.server.stop().await;
}

#[actix_web::test]
async fn an_own_offer_has_its_id_at_the_signer_its_cap_and_the_reason_of_a_pause() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    lender.fund(&rig, 10_000_000).await;
    let manual = lender.quote(&rig, "paper-frogs-7d", 300_000, 1).await.remove(0);
    let shown = listed(&rig, &lender, &manual).await;
    for field in ["canisterInstantID", "maxInstantLTV"] {
        assert_eq!(shown.get(field), Some(&Value::Null), "{field}");
    }
    assert_eq!((&shown["ltv_paused"], &shown["balance_paused"]), (&json!(false), &json!(false)));

    let body = create_ordinal(&rig, &lender, 500_000).await;
    let cap = f64::from(u32::try_from(body.1["ltv_max"].as_u64().unwrap()).unwrap()) / 100.0;
    let ordinal = created(&rig, &lender, body).await;
    let body = create_rune(&rig, &lender, 200_000).await;
    let rune = created(&rig, &lender, body).await;
    for id in [&ordinal, &rune] {
        let shown = listed(&rig, &lender, id).await;
        assert_eq!(shown["canisterInstantID"], json!(id));
        assert_eq!((&shown["ltv_paused"], &shown["balance_paused"]), (&json!(false), &json!(false)));
    }
    let shown = listed(&rig, &lender, &ordinal).await;
    assert_eq!((shown["maxInstantLTV"].as_f64(), &shown["maxInstantLTV"]), (Some(cap), &shown["maxLtv"]));

    // The floor falls until the LTV is above the cap, and rises again.
    for (floor, is_paused) in [(510_000, true), (FLOOR_SATS, false)] {
        set_floor(&rig, floor).await;
        let shown = listed(&rig, &lender, &ordinal).await;
        assert_eq!(shown["ltv_paused"], json!(is_paused), "at {floor}");
        assert_eq!((&shown["ltv_paused"], &json!(false)), (&shown["isPausedFromMaxLTV"], &shown["balance_paused"]));
        assert_eq!(listed(&rig, &lender, &rune).await["ltv_paused"], false, "of another collection");
    }
    rig.app().market.debit_vault(lender.id, Sats::new(9_600_000)).await.unwrap();
    for (id, is_paused) in [(&ordinal, true), (&rune, false), (&manual, false)] {
        let shown = listed(&rig, &lender, id).await;
        assert_eq!(shown["balance_paused"], json!(is_paused), "{id}");
        assert_eq!(
            (&shown["balance_paused"], &json!(false)),
            (&shown["isPausedFromInsufficientBalance"], &shown["ltv_paused"])
        );
    }
    rig.server.stop().await;
}

/// The demo's chain has no address where content is shown, so this is `null` in both.
#[actix_web::test]
async fn an_own_inscription_has_the_same_content_address_as_the_public_inscription() {
    let market = DemoMarket::new(7).with_lenders(0, Pace::LIVELY);
    let rig = Rig::start_demo(market, |settings| settings.demo_block_seconds = 3_600).await;
    let user = TestUser::sign_in(&rig, 1).await;
    let request_body = json!({"collection_group_slug": "lantern-foxes"});
    let given = user.post(&rig, "/api/v1/devnet/faucet", &request_body).await.ok();
    rig.send(rig.request(Method::POST, "/api/v1/devnet/mine")).await.ok();
    let own = user.get(&rig, "/api/v1/me/collateral").await.ok()["inscriptions"][0].clone();
    assert_eq!(own["inscription_id"], given["inscriptionId"]);
    let id = own["inscription_id"].as_str().unwrap();
    let inscription = rig.get(&format!("/api/v1/inscriptions/{id}")).await.ok();
    assert_eq!(own.get("content_url"), Some(&inscription["contentURI"]));
    rig.server.stop().await;
}
