//! Tests of BRC-20 over HTTP: from a balance to a transfer inscription that a loan can take, and every refusal on the
//! way.

use bitcoin::Amount;
use devchain::EmbeddedChain;
use engine::chain::Chain as _;
use escrow::address::AddressKind;
use serde_json::{Value, json};

use super::lender::TestUser;
use super::rig::{Answer, Rig, groups};

const ORDERS: &str = "/api/v1/brc20/orders";
const COMMIT: &str = "/api/v1/brc20/orders/commit";
const PANEL: &str = "/api/v1/brc20/panels/newt-bundle";

/// A user with 25,000 newts and two coins, in a market with bundles of 10,000.
async fn owner() -> (Rig, EmbeddedChain, TestUser) {
    let chain = EmbeddedChain::new(1_800_000_000).unwrap();
    let rig = Rig::start_on(chain.clone()).await;
    for group in groups() {
        rig.app().market.list_group(group).await.unwrap();
    }
    let user = TestUser::sign_in(&rig, 7).await;
    let ordinals_script = user.wallet.ordinals_address().script_pubkey();
    for text in [
        r#"{"p":"brc-20","op":"deploy","tick":"newt","max":"21000000"}"#,
        r#"{"p":"brc-20","op":"mint","tick":"newt","amt":"25000"}"#,
    ] {
        chain.inscribe(&ordinals_script, Amount::from_sat(546), "text/plain", text.as_bytes()).unwrap();
    }
    for sats in [80_000, 60_000] {
        chain.fund(&user.wallet.payment_address().script_pubkey(), Amount::from_sat(sats)).unwrap();
    }
    (rig, chain, user)
}

fn request(user: &TestUser, amount: &str) -> Value {
    json!({
        "ticker": "NEWT", "amount": amount, "feeRate": 30,
        "paymentAddress": user.address(), "paymentPubkey": user.wallet.public_key_hex(AddressKind::P2wpkh),
        "recieveAddress": user.wallet.ordinals_address().to_string(),
    })
}

async fn prepared(rig: &Rig, user: &TestUser, amount: &str) -> Value {
    user.post(rig, ORDERS, &request(user, amount)).await.ok()
}

async fn commit(rig: &Rig, user: &TestUser, order: &Value, signed: &str) -> Answer {
    user.post(rig, COMMIT, &json!({"orderId": order["orderId"], "signedBase64": signed})).await
}

fn signed(user: &TestUser, order: &Value) -> String {
    user.wallet.sign_psbt(order["transactionBase64"].as_str().unwrap()).unwrap()
}

#[actix_web::test]
async fn a_balance_becomes_a_transfer_inscription_of_exactly_the_bundle() {
    let (rig, chain, user) = owner().await;
    let token = |available: &str, transferable: &str| {
        json!({"ticker": "newt", "overallBalance": "25000", "availableBalance": available,
            "transferrableBalance": transferable})
    };
    let collateral = user.get(&rig, "/api/v1/brc20/collateral").await.ok();
    assert_eq!(collateral, json!({"brc20": [token("25000", "0")]}));
    let panel = user.get(&rig, PANEL).await.ok();
    assert_eq!((&panel["state"], &panel["bundleSize"]), (&json!("no_note"), &json!("10000")));

    let order = prepared(&rig, &user, "10000").await;
    let side = json!({"index": 0, "address": user.address(), "sighash": 1, "disable_tweak_signer": false});
    assert_eq!(order["sides"], json!([side]));
    assert_eq!(prepared(&rig, &user, "10000.0").await, order, "the same order");
    let signed = signed(&user, &order);
    let reveal = commit(&rig, &user, &order, &signed).await.ok();
    assert_eq!(commit(&rig, &user, &order, &signed).await.ok(), reveal);
    let hash = reveal["revealTransaction"].as_str().unwrap();
    let pending = json!({"orderId": order["orderId"], "ticker": "newt", "amount": "10000", "transactionId": hash});
    assert_eq!(user.get(&rig, ORDERS).await.ok(), json!({"orders": [pending]}));
    let panel = user.get(&rig, PANEL).await.ok();
    assert_eq!((&panel["state"], &panel["pending"]), (&json!("note_pending"), &pending));
    user.post(&rig, ORDERS, &request(&user, "10000")).await.refused(409, "note_pending");
    assert_eq!(user.get(&rig, &format!("/api/v1/brc20/transfers/{hash}")).await.ok(), json!({"transfers": []}));

    chain.mine(1).unwrap();
    assert_eq!(user.get(&rig, ORDERS).await.ok(), json!({"orders": []}));
    let note = json!({"inscriptionId": format!("{hash}i0"), "isValid": true, "ticker": "newt", "amount": "10000"});
    let transfers = user.get(&rig, &format!("/api/v1/brc20/transfers/{hash}")).await.ok();
    assert_eq!(transfers, json!({"transfers": [note]}));
    let panel = user.get(&rig, PANEL).await.ok();
    assert_eq!((&panel["state"], &panel["note"]), (&json!("note_available"), &note));
    let collateral = user.get(&rig, "/api/v1/brc20/collateral").await.ok();
    assert_eq!(collateral, json!({"brc20": [token("15000", "10000")]}));
    rig.server.stop().await;
}

#[actix_web::test]
async fn invalid_orders_are_refused_with_their_codes() {
    let (rig, _chain, user) = owner().await;
    let other = TestUser::sign_in(&rig, 8).await;
    let ask = async |change: &dyn Fn(&mut Value)| {
        let mut body = request(&user, "10000");
        change(&mut body);
        user.post(&rig, ORDERS, &body).await
    };
    for (field, value) in [
        ("paymentAddress", other.address()),
        ("paymentPubkey", other.wallet.public_key_hex(AddressKind::P2wpkh)),
        ("recieveAddress", other.wallet.ordinals_address().to_string()),
    ] {
        let answer = ask(&|body| body[field] = json!(value)).await;
        assert_eq!(answer.body["values"]["field"], field);
        answer.refused(422, "invalid_field");
    }
    for amount in ["0", "", "-1", "1.0000000000000000001", "ten", "18446744073709551616"] {
        ask(&|body| body["amount"] = json!(amount)).await.refused(422, "invalid_field");
    }
    ask(&|body| body["amount"] = json!(10_000)).await.refused(422, "invalid_body");
    ask(&|body| body["feeRate"] = json!("30")).await.refused(422, "invalid_body");
    ask(&|body| body["feeRate"] = json!(1.0001)).await.refused(422, "invalid_field");
    for rate in [json!(0), json!(0.096), json!(1000.001)] {
        ask(&|body| body["feeRate"] = rate.clone()).await.refused(422, "fee_rate_out_of_range");
    }
    ask(&|body| body["ticker"] = json!("ordi")).await.refused(404, "unknown_token");
    let short = ask(&|body| body["amount"] = json!("25000.5")).await;
    assert_eq!(short.body["values"], json!({"available": "25000", "promised": "0", "wanted": "25000.5"}));
    short.refused(422, "insufficient_tokens");
    other.post(&rig, ORDERS, &request(&other, "1")).await.refused(422, "insufficient_tokens");
    ask(&|body| body["feeRate"] = json!(500)).await.refused(422, "insufficient_funds");
    let order = prepared(&rig, &user, "10000").await;
    let promised = ask(&|body| body["amount"] = json!("20000")).await;
    assert_eq!(promised.body["values"], json!({"available": "25000", "promised": "10000", "wanted": "20000"}));
    rig.post(ORDERS, &request(&user, "1")).await.refused(401, "unauthenticated");

    let text = signed(&user, &order);
    commit(&rig, &other, &order, &text).await.refused(404, "unknown_order");
    commit(&rig, &user, &json!({"orderId": "or_1"}), &text).await.refused(404, "unknown_order");
    let unsigned = order["transactionBase64"].as_str().unwrap();
    let missing = commit(&rig, &user, &order, unsigned).await;
    assert_eq!(missing.body["values"], json!({"input": 0}));
    missing.refused(422, "psbt_signature_missing");
    commit(&rig, &user, &order, "?").await.refused(422, "psbt_not_text");
    commit(&rig, &user, &order, "cHNidP8=").await.refused(422, "psbt_malformed");
    assert_eq!(user.get(&rig, ORDERS).await.ok(), json!({"orders": []}), "nothing was broadcast");

    user.get(&rig, "/api/v1/brc20/panels/newt").await.refused(404, "unknown_collection");
    user.get(&rig, "/api/v1/brc20/panels/frog-pond-bundle").await.refused(404, "unknown_collection");
    for hash in ["ab".repeat(32), "frog".to_owned()] {
        user.get(&rig, &format!("/api/v1/brc20/transfers/{hash}")).await.refused(404, "transfer_not_found");
    }
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_spent_coin_and_a_server_without_a_node_give_no_transfer_inscription() {
    let (rig, chain, user) = owner().await;
    let order = prepared(&rig, &user, "10000").await;
    // Another order of the same coin replaces it and is broadcast.
    let mut dearer = request(&user, "10000");
    dearer["feeRate"] = json!(40.5);
    let second = user.post(&rig, ORDERS, &dearer).await.ok();
    commit(&rig, &user, &order, &signed(&user, &order)).await.refused(409, "order_ended");
    commit(&rig, &user, &second, &signed(&user, &second)).await.ok();
    assert_eq!(chain.mempool_txids().len(), 2);
    assert!(chain.transaction(chain.mempool_txids()[1]).await.unwrap().is_some());
    rig.server.stop().await;

    let rig = Rig::start().await;
    let user = TestUser::sign_in(&rig, 7).await;
    for path in ["/api/v1/brc20/collateral", ORDERS, PANEL] {
        user.get(&rig, path).await.refused(503, "node_unavailable");
    }
    user.post(&rig, ORDERS, &request(&user, "10000")).await.refused(503, "node_unavailable");
    rig.server.stop().await;
}

#[actix_web::test]
async fn requests_about_whole_wallets_are_rate_limited() {
    let rig = Rig::start_with(|settings| settings.quotas.lookups_per_minute = 1).await;
    let user = TestUser::sign_in(&rig, 7).await;
    user.get(&rig, "/api/v1/brc20/collateral").await.refused(503, "node_unavailable");
    user.get(&rig, "/api/v1/brc20/collateral").await.refused(429, "rate_limited");
    user.post(&rig, "/api/v1/loans/repayment/prepare", &json!({"loanIds": ["ln_1"], "feeRate": 3}))
        .await
        .refused(429, "rate_limited");
    rig.server.stop().await;
}
