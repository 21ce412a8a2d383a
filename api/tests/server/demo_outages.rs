//! Tests of the outages that a visitor of the demo can simulate for their own requests alone.

use lienbook::outage;
use reqwest::Method;
use serde_json::{Value, json};
use simulator::{DemoMarket, Pace};

use super::lender::TestUser;
use super::rig::{Answer, Rig};

async fn demo() -> Rig {
    let market = DemoMarket::new(7).with_lenders(0, Pace::LIVELY);
    Rig::start_demo(market, |settings| settings.demo_block_seconds = 3_600).await
}

/// Sends a request with a simulated outage of these parts.
async fn without(rig: &Rig, parts: &str, who: Option<&TestUser>, path: &str) -> Answer {
    let request = rig.request(Method::GET, path).header("Cookie", format!("{}={parts}", outage::COOKIE));
    rig.send(match who {
        Some(who) => request.bearer_auth(&who.token),
        None => request,
    })
    .await
}

#[actix_web::test]
async fn a_simulated_outage_affects_only_the_requests_of_its_visitor() {
    let rig = demo().await;
    let (one, other) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    for (parts, path, status, code) in [
        ("node", "/api/v1/me/collateral", 503, "node_unavailable"),
        ("indexer", "/api/v1/me/collateral", 503, "indexer_unavailable"),
        ("indexer", "/api/v1/me/rune-balances", 503, "indexer_unavailable"),
        ("indexer.node", "/api/v1/brc20/panels/lumenfall-200", 503, "node_unavailable"),
        ("indexer", "/api/v1/brc20/panels/lumenfall-200", 503, "notes_unavailable"),
        ("signer.node", "/api/v1/chain", 503, "node_unavailable"),
    ] {
        without(&rig, parts, Some(&one), path).await.refused(status, code);
        other.get(&rig, path).await.ok();
        one.get(&rig, path).await.ok();
    }
    assert_eq!(without(&rig, "signer", None, "/api/v1/config").await.ok()["vaultSignerId"], Value::Null);
    assert!(rig.get("/api/v1/config").await.ok()["vaultSignerId"].is_string());
    assert!(without(&rig, "", None, "/api/v1/config").await.ok()["vaultSignerId"].is_string());
    rig.server.stop().await;
}

#[actix_web::test]
async fn background_work_of_the_request_has_the_same_outage() {
    let rig = demo().await;
    let visitor = TestUser::sign_in(&rig, 1).await;
    let opening = visitor.opening(&rig).await;
    let request = rig.request(Method::POST, "/api/v1/vaults").json(&opening).bearer_auth(&visitor.token);
    rig.send(request.header("Cookie", format!("{}=signer", outage::COOKIE))).await.refused(503, "signer_unavailable");
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_server_with_a_real_market_ignores_the_cookie() {
    let rig = Rig::start().await;
    assert!(without(&rig, "signer", None, "/api/v1/config").await.ok()["vaultSignerId"].is_string());
    rig.server.stop().await;
}

#[actix_web::test]
async fn an_external_transaction_is_accepted_if_the_chain_accepts_it() {
    let rig = demo().await;
    let visitor = TestUser::sign_in(&rig, 1).await;
    let broadcast = "/api/v1/devnet/broadcast";
    for transaction in ["", "00", "not hexadecimal"] {
        visitor.post(&rig, broadcast, &json!({"transaction": transaction})).await.refused(422, "invalid_field");
    }
    // It spends an output that does not exist.
    let spends_nothing =
        format!("0200000001{}0000000000ffffffff01e803000000000000160014{}00000000", "11".repeat(32), "22".repeat(20));
    visitor.post(&rig, broadcast, &json!({"transaction": spends_nothing})).await.refused(409, "transaction_not_taken");
    rig.post(broadcast, &json!({"transaction": spends_nothing})).await.refused(401, "unauthenticated");
    rig.server.stop().await;
}
